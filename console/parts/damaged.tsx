import type { DamagedRuns } from "../api/damaged-lines.ts";
import { kindOfId, ObjectLink } from "./object-link.tsx";
import { Shape } from "./outcome.tsx";
import "./failure.css";

interface DamagedProps {
  readonly runs: DamagedRuns;
  /** What became of them here: "left out of this list". */
  readonly says: string;
}

/** Names the runs whose records are damaged: their pages show what is left of them. */
export function Damaged({ runs: { count, named }, says }: DamagedProps) {
  return (
    <div class="failure" role="status">
      <Shape of="failed" />
      <div>
        <p>
          {count === 1 ? "The record of 1 run is" : `The records of ${count} runs are`} damaged, and {says}:
        </p>
        <ul>
          {named.map((run) => (
            <li key={run}>{kindOfId(run) === "run" ? <ObjectLink id={run} /> : run}</li>
          ))}
          {count > named.length && <li>and {count - named.length} more</li>}
        </ul>
      </div>
    </div>
  );
}
