import type { DatabaseSync, StatementSync } from "node:sqlite";
import { positionsOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { CHECKSUM, UNLIKE_CALLS } from "./journal-views.ts";

/** Enough for repeated texts, and a bound for the others. */
const NAMES_MAX = 10_000;

/** A row by position, in the order of `positionsOf` for its table. The number of its run follows the last column. */
export type JournalRow = (string | number | null)[];

type TextOf = (id: number) => string | null;

/**
 * The journal's runs by number, with all their rows. They are the same rows that `read-runs.ts` reads by id, but cost
 * less: they are contiguous, each repeated text is looked up once, and a row is an array without names.
 */
export class JournalRows {
  readonly #nameOf: StatementSync;
  readonly #names = new Map<number, string>();
  readonly #next: TableReader;
  readonly #unlike: StatementSync;
  /** Statements for runs and for the rows of each table, above one run number and up to another. */
  readonly runs: TableReader;
  readonly calls: TableReader;
  readonly attempts: TableReader;
  readonly reconciliations: TableReader;

  constructor(database: DatabaseSync) {
    this.#nameOf = database.prepare("SELECT name FROM names WHERE id = ?");
    const textOf = (id: number): string | null => this.#textOf(id);
    const part = (table: Columns, run: string, rest: string, instead = {}): TableReader =>
      new TableReader(database, textOf, table, run, rest, instead);
    const checksum = { checksum: CHECKSUM };
    this.#next = part(RUN_COLUMNS, "r.id", "runs AS r WHERE r.id > ? ORDER BY r.id LIMIT ?", checksum);
    this.runs = part(RUN_COLUMNS, "r.id", "runs AS r WHERE r.id > ? AND r.id <= ? ORDER BY r.id", checksum);
    const among = "r.run > ? AND r.run <= ? ORDER BY r.run, r.ordinal";
    this.calls = part(CALL_COLUMNS, "r.run", `calls AS r WHERE ${among}`);
    this.attempts = part(ATTEMPT_COLUMNS, "r.run", `attempts AS r WHERE ${among}, r.number`);
    this.#unlike = database.prepare(UNLIKE_CALLS);
    this.reconciliations = part(RECONCILIATION_COLUMNS, "r.run", `reconciliations AS r WHERE ${among}, r.revision`);
  }

  /** The next runs after a number. */
  runsAfter(number: number, countMax: number): readonly JournalRow[] {
    return this.#next.read(number, countMax);
  }

  /** The numbers of runs with copied columns in their calls that differ from the run's own. */
  unlikeTheirCalls(after: number, upTo: number): ReadonlySet<number> {
    return new Set(this.#unlike.all(after, upTo).map(({ run }) => run as number));
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
}

/** The rows of one table. */
class TableReader {
  readonly #statement: StatementSync;
  readonly #textOf: TextOf;
  /** Positions at which the journal has a number in place of a text. */
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
    this.#namesAt = columns.flatMap(({ column }, at) => (column.valueType.isName ? [at] : []));
    this.#runAt = columns.length;
  }

  read(after: number, upTo: number): readonly JournalRow[] {
    const rows = this.#statement.all(after, upTo) as unknown as readonly JournalRow[];
    for (const row of rows) {
      for (const at of this.#namesAt) if (row[at] !== null) row[at] = this.#textOf(row[at] as number);
    }
    return rows;
  }

  runOf(row: JournalRow): number {
    return row[this.#runAt] as number;
  }

  /**
   * The rows of each run, for runs in ascending order.
   * @param orphan called with the run number of each skipped row
   */
  byRun(after: number, upTo: number, orphan: (run: number) => void = () => {}): (run: number) => readonly JournalRow[] {
    const rows = this.read(after, upTo);
    let at = 0;
    return (run) => {
      for (; at < rows.length && this.runOf(rows[at]!) < run; at += 1) orphan(this.runOf(rows[at]!));
      const from = at;
      while (at < rows.length && this.runOf(rows[at]!) === run) at += 1;
      return rows.slice(from, at);
    };
  }
}
