import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { JOURNAL_FILE } from "../journal/journal-database.ts";
import { CHECKSUM } from "../journal/journal-views.ts";
import type { AttemptRow, CallRow, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";

type Values = readonly (string | number | null)[];

const WAIT_MS = 5_000;
/** Enough for the texts that repeat; a bound for those that do not. */
const NAMES_MAX = 10_000;

interface Part {
  readonly statement: StatementSync;
  /** The columns, and whether the journal has a number in place of their text. */
  readonly columns: readonly { readonly name: string; readonly isName: boolean }[];
}

/**
 * The journal's runs in the order in which they were written, with all their rows. They are the rows that `read-runs.ts`
 * reads by id, and reading them costs less, because they lie together and a text that repeats is looked up once.
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
    this.#runs = this.#part(RUN_COLUMNS, "r.id", "runs AS r", "r.id > ? ORDER BY r.id LIMIT ?", { checksum: CHECKSUM });
    const among = "r.run > ? AND r.run <= ? ORDER BY r.run, r.ordinal";
    this.#calls = this.#part(CALL_COLUMNS, "r.run", "calls AS r", among);
    this.#attempts = this.#part(ATTEMPT_COLUMNS, "r.run", "attempts AS r", `${among}, r.number`);
    this.#reconciliations = this.#part(RECONCILIATION_COLUMNS, "r.run", "reconciliations AS r", `${among}, r.revision`);
  }

  #part(
    table: Columns,
    run: string,
    from: string,
    where: string,
    instead: { readonly [name: string]: string } = {},
  ): Part {
    const columns = listOf(table).map(({ name, column }) => ({ name, column, isName: column.holds.isName }));
    const selected = columns.map(({ name, column }) => instead[name] ?? `r.${column.inJournal ?? name}`);
    const statement = this.#database.prepare(`SELECT ${run}, ${selected.join(", ")} FROM ${from} WHERE ${where}`);
    statement.setReturnArrays(true);
    return { statement, columns };
  }

  /** The next runs after that number, and the number of each. @throws if the journal is damaged there */
  after(run: number, countMax: number): readonly { readonly number: number; readonly row: RunReportRow }[] {
    // One moment of the journal: a run may be settled between two statements.
    this.#database.exec("BEGIN");
    try {
      const runs = this.#read(this.#runs, [run, countMax]);
      const last = runs.at(-1)?.[0];
      if (last === undefined) return [];
      const reports = new Map<number, RunReportRow>();
      for (const values of runs) {
        const row = this.#rowOf<RunRow>(this.#runs, values, {});
        reports.set(values[0] as number, { run: row, calls: [], attempts: [], reconciliations: [] });
      }
      const addRows = <Row>(part: Part, rowsOf: (report: RunReportRow) => readonly Row[]): void => {
        for (const values of this.#read(part, [run, last])) {
          const report = reports.get(values[0] as number);
          if (report === undefined) continue;
          const { transaction_id } = report.run;
          (rowsOf(report) as Row[]).push(this.#rowOf<Row>(part, values, { transaction_id }));
        }
      };
      addRows<CallRow>(this.#calls, ({ calls }) => calls);
      addRows<AttemptRow>(this.#attempts, ({ attempts }) => attempts);
      addRows<ReconciliationRow>(this.#reconciliations, ({ reconciliations }) => reconciliations);
      return [...reports].map(([number, row]) => ({ number, row }));
    } finally {
      this.#database.exec("ROLLBACK");
    }
  }

  #read({ statement }: Part, values: readonly (number | string | null)[]): readonly Values[] {
    return statement.all(...values) as unknown as readonly Values[];
  }

  #rowOf<Row>({ columns }: Part, values: Values, start: { readonly [name: string]: unknown }): Row {
    const row: Record<string, unknown> = start;
    for (const [at, { name, isName }] of columns.entries()) {
      const value = values[at + 1]!;
      row[name] = isName && value !== null ? this.#textOf(value as number) : value;
    }
    return row as Row;
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
