import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { positionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import { JOURNAL_FILE } from "../journal/journal-file.ts";
import { JournalRows, type JournalRow } from "../journal/journal-rows.ts";
import { checksumOfValues } from "../journal/run-checksum.ts";
import type { BatchBuilder } from "./batch-builder.ts";

const WAIT_MS = 5_000;
/** Few enough that the rows become garbage before V8 has to move them. */
const RUNS_AT_ONCE = 64;

/** The journal's runs in the order in which they were written, with all their rows. */
export class RunsInOrder {
  readonly #database: DatabaseSync;
  readonly #rows: JournalRows;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true, timeout: WAIT_MS });
    this.#rows = new JournalRows(this.#database);
  }

  /**
   * Adds the runs after a number, up to the first damaged one, until the batch is full.
   * @param added called with the number of each added run
   * @throws if the journal is damaged there: the runs added before are sound
   */
  addAfter(after: number, batch: BatchBuilder, countMax: number, added: (run: number) => void): void {
    let last = after;
    while (batch.count < countMax) {
      const count = Math.min(RUNS_AT_ONCE, countMax - batch.count);
      const found = this.#read(last, count);
      for (const run of found) {
        if (!addIfSound(batch, run)) return;
        last = run.number;
        added(last);
      }
      if (found.length < count) return;
    }
  }

  #read(after: number, countMax: number): readonly JournalRun[] {
    // A snapshot of the journal: a run may be settled between two statements.
    this.#database.exec("BEGIN");
    try {
      const { runs: table, calls, attempts, reconciliations } = this.#rows;
      const runs = this.#rows.runsAfter(after, countMax);
      const last = runs.at(-1);
      if (last === undefined) return [];
      const upTo = table.runOf(last);
      const callsOf = calls.byRun(after, upTo);
      const attemptsOf = attempts.byRun(after, upTo);
      const reconciliationsOf = reconciliations.byRun(after, upTo);
      return runs.map((run): JournalRun => {
        const number = table.runOf(run);
        const [ownCalls, ownAttempts] = [callsOf(number), attemptsOf(number)];
        return { number, run, calls: ownCalls, attempts: ownAttempts, reconciliations: reconciliationsOf(number) };
      });
    } finally {
      this.#database.exec("ROLLBACK");
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface JournalRun {
  readonly number: number;
  readonly run: JournalRow;
  readonly calls: readonly JournalRow[];
  readonly attempts: readonly JournalRow[];
  readonly reconciliations: readonly JournalRow[];
}

const TRANSACTION_ID = positionOf(RUN_COLUMNS, "transaction_id");
const CHECKSUM_OF_RUN = positionOf(RUN_COLUMNS, "checksum");

function addIfSound(batch: BatchBuilder, { run, calls, attempts, reconciliations }: JournalRun): boolean {
  const checksum = run[CHECKSUM_OF_RUN];
  // A run from before checksums cannot be checked.
  if (checksum !== null && checksum !== checksumOfValues(run, calls, attempts, reconciliations)) return false;
  batch.add(run[TRANSACTION_ID] as string, run, calls, attempts, reconciliations);
  return true;
}
