import type { DamagedRuns } from "../api/damaged-lines.ts";
import { kindOfId, ObjectLink } from "./object-link.tsx";
import { Shape } from "./outcome.tsx";
import "./failure.css";

interface DamagedProps {
  readonly runs: DamagedRuns;
  /** What happens to these runs on this page, such as "left out of this list". */
  readonly says: string;
}

/** Lists the runs whose records are damaged, with links to pages that show the readable rest. */
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
            <li key={run}>{kindOfId(run) === "run" ? <ObjectLink id={run} isWhole /> : run}</li>
          ))}
          {count > named.length && <li>and {count - named.length} more</li>}
        </ul>
      </div>
    </div>
  );
}
