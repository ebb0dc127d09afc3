import type { DamagedRuns } from "../api/damaged-lines.ts";
import { Command } from "./copy.tsx";
import { kindOfId, ObjectLink } from "./object-link.tsx";
import { Shape } from "./outcome.tsx";
import "./failure.css";

interface DamagedProps {
  readonly runs: DamagedRuns;
  /** What became of them here: "left out of this list". */
  readonly says: string;
}

/** That indexes of the ledger cannot be read, and what that means for a list. */
export function DamagedLedger() {
  return (
    <div class="failure" role="status">
      <Shape of="failed" />
      <div>
        <p>
          The ledger is damaged. What can be read of it is listed newest first, and those with a charge that nobody
          knows are among the others. This says what is lost:
        </p>
        <Command>datarun ledger verify</Command>
      </div>
    </div>
  );
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
