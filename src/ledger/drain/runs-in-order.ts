import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { positionOf, positionsOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { JOURNAL_FILE } from "../journal/journal-database.ts";
import { CHECKSUM } from "../journal/journal-views.ts";
import { checksumOfValues } from "../journal/run-checksum.ts";
import type { BatchBuilder } from "./batch-builder.ts";

const WAIT_MS = 5_000;
/** Enough for the texts that repeat; a bound for those that do not. */
const NAMES_MAX = 10_000;
/** So few that what is read of them is gone before V8 has to move it. */
const RUNS_AT_ONCE = 64;

type Row = (string | number | null)[];
type TextOf = (id: number) => string | null;

/**
 * The journal's runs in the order in which they were written, with all their rows. They are the rows that `read-runs.ts`
 * reads by id, and reading them costs less, because they lie together, a text that repeats is looked up once, and a row
 * is an array without names.
 */
export class RunsInOrder {
  readonly #database: DatabaseSync;
  readonly #names = new Map<number, string>();
  readonly #nameOf: StatementSync;
  readonly #runs: Part;
  readonly #calls: Part;
  readonly #attempts: Part;
  readonly #reconciliations: Part;

  constructor(directory: string) {
    this.#database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true, timeout: WAIT_MS });
    this.#nameOf = this.#database.prepare("SELECT name FROM names WHERE id = ?");
    const part = (table: Columns, run: string, rest: string, instead = {}): Part =>
      new Part(this.#database, (id) => this.#textOf(id), table, run, rest, instead);
    const among = "r.run > ? AND r.run <= ? ORDER BY r.run, r.ordinal";
    this.#runs = part(RUN_COLUMNS, "r.id", "runs AS r WHERE r.id > ? ORDER BY r.id LIMIT ?", { checksum: CHECKSUM });
    this.#calls = part(CALL_COLUMNS, "r.run", `calls AS r WHERE ${among}`);
    this.#attempts = part(ATTEMPT_COLUMNS, "r.run", `attempts AS r WHERE ${among}, r.number`);
    this.#reconciliations = part(RECONCILIATION_COLUMNS, "r.run", `reconciliations AS r WHERE ${among}, r.revision`);
  }

  /**
   * Adds the next runs after that number, up to the first that is not sound, until the batch is full.
   * @param added is told the number of each
   * @throws if the journal is damaged there: what was added before is sound
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

  #read(after: number, countMax: number): readonly FoundRun[] {
    // One moment of the journal: a run may be settled between two statements.
    this.#database.exec("BEGIN");
    try {
      const runs = this.#runs.read(after, countMax);
      const last = runs.at(-1);
      if (last === undefined) return [];
      const upTo = this.#runs.runOf(last);
      const callsOf = this.#calls.byRun(after, upTo);
      const attemptsOf = this.#attempts.byRun(after, upTo);
      const reconciliationsOf = this.#reconciliations.byRun(after, upTo);
      return runs.map((run): FoundRun => {
        const number = this.#runs.runOf(run);
        const [calls, attempts] = [callsOf(number), attemptsOf(number)];
        return { number, run, calls, attempts, reconciliations: reconciliationsOf(number) };
      });
    } finally {
      this.#database.exec("ROLLBACK");
    }
  }

  #textOf(id: number): string | null {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const found = this.#nameOf.get(id)?.["name"] as string | undefined;
    if (found === undefined) return null;
    if (this.#names.size >= NAMES_MAX) this.#names.clear();
    this.#names.set(id, found);
    return found;
  }

  close(): void {
    this.#database.close();
  }
}

interface FoundRun {
  readonly number: number;
  readonly run: Row;
  readonly calls: readonly Row[];
  readonly attempts: readonly Row[];
  readonly reconciliations: readonly Row[];
}

const TRANSACTION_ID = positionOf(RUN_COLUMNS, "transaction_id");
const CHECKSUM_OF_RUN = positionOf(RUN_COLUMNS, "checksum");

function addIfSound(batch: BatchBuilder, { run, calls, attempts, reconciliations }: FoundRun): boolean {
  const checksum = run[CHECKSUM_OF_RUN];
  // A run from before checksums cannot be checked.
  if (checksum !== null && checksum !== checksumOfValues(run, calls, attempts, reconciliations)) return false;
  batch.add(run[TRANSACTION_ID] as string, run, calls, attempts, reconciliations);
  return true;
}

/** Rows of a table by position, as `positionsOf` orders them, and after them the number of their run. */
class Part {
  readonly #statement: StatementSync;
  readonly #textOf: TextOf;
  /** Where the journal has a number in place of a text. */
  readonly #namesAt: readonly number[];
  readonly #runAt: number;

  constructor(
    database: DatabaseSync,
    textOf: TextOf,
    table: Columns,
    run: string,
    from: string,
    instead: { readonly [name: string]: string },
  ) {
    const { columns } = positionsOf(table);
    const selected = columns.map(({ name, column }) => instead[name] ?? `r.${column.inJournal ?? name}`);
    this.#statement = database.prepare(`SELECT ${selected.join(", ")}, ${run} FROM ${from}`);
    this.#statement.setReturnArrays(true);
    this.#textOf = textOf;
    this.#namesAt = columns.flatMap(({ column }, at) => (column.holds.isName ? [at] : []));
    this.#runAt = columns.length;
  }

  read(after: number, upTo: number): readonly Row[] {
    const rows = this.#statement.all(after, upTo) as unknown as readonly Row[];
    for (const row of rows) {
      for (const at of this.#namesAt) if (row[at] !== null) row[at] = this.#textOf(row[at] as number);
    }
    return rows;
  }

  runOf(row: Row): number {
    return row[this.#runAt] as number;
  }

  /** For runs in ascending order: the rows of each. Those of no run are passed over. */
  byRun(after: number, upTo: number): (run: number) => readonly Row[] {
    const rows = this.read(after, upTo);
    let at = 0;
    return (run) => {
      while (at < rows.length && this.runOf(rows[at]!) < run) at += 1;
      const from = at;
      while (at < rows.length && this.runOf(rows[at]!) === run) at += 1;
      return rows.slice(from, at);
    };
  }
}
