import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AttemptRow, CallRow, ReconciliationRow, RunReportRow, RunRow } from "./ports.ts";

/** A run's row with the number it has in this journal alone. */
export interface NumberedRun {
  readonly id: number;
  readonly row: RunReportRow;
}

/** Reads whole runs, with everything that belongs to them. */
export class RunReader {
  readonly #database: DatabaseSync;
  readonly #calls: StatementSync;
  readonly #attempts: StatementSync;
  readonly #reconciliations: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#calls = database.prepare("SELECT * FROM calls WHERE run = ? ORDER BY ordinal");
    this.#attempts = database.prepare("SELECT * FROM attempts WHERE run = ? ORDER BY ordinal, number");
    this.#reconciliations = database.prepare("SELECT * FROM reconciliations WHERE run = ? ORDER BY ordinal, revision");
  }

  /** The runs that a query on `runs AS r` names, in its order. */
  read(afterFrom: string, ...values: (string | number)[]): NumberedRun[] {
    const runs = this.#database.prepare(`SELECT r.* FROM runs AS r ${afterFrom}`).all(...values);
    return runs.map((found) => this.#whole(found));
  }

  #whole(found: Record<string, unknown>): NumberedRun {
    const { id, ...run } = found as { id: number } & Record<string, unknown>;
    const own = { transaction_id: String(run["transaction_id"]) };
    const rowsOf = (statement: StatementSync): unknown[] => statement.all(id).map((found) => asRow(own, found));
    const row = {
      run: run as unknown as RunRow,
      calls: rowsOf(this.#calls) as CallRow[],
      attempts: rowsOf(this.#attempts) as AttemptRow[],
      reconciliations: rowsOf(this.#reconciliations) as ReconciliationRow[],
    };
    return { id, row };
  }
}

/** Outside this journal a row belongs to its run by the transaction's id. */
function asRow(own: object, { run: _run, ...columns }: Record<string, unknown>): object {
  return { ...own, ...columns };
}
