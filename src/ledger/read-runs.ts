import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AttemptRow, CallRow, ReconciliationRow, RunReportRow, RunRow } from "./ports.ts";

/** A run's row with the number it has in this journal alone. */
export interface NumberedRun {
  readonly id: number;
  readonly row: RunReportRow;
}

/** Outside this journal a row belongs to its run by the transaction's id, so that stands first in each. */
const COLUMNS = {
  calls: `ordinal, source, success, match, fault_code, fault_kind, charged, credential_id, credential_rule,
    started_after_ms, took_ms, output_bytes`,
  attempts: "ordinal, number, origin, method, sent_at, status, took_ms, charged",
  reconciliations: "ordinal, revision, charged, decided_by, decided_at, note, attempt",
};

/** Reads whole runs, with everything that belongs to them. */
export class RunReader {
  readonly #database: DatabaseSync;
  readonly #calls: StatementSync;
  readonly #attempts: StatementSync;
  readonly #reconciliations: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const ownRows = (table: keyof typeof COLUMNS, order: string): StatementSync =>
      database.prepare(`SELECT ? AS transaction_id, ${COLUMNS[table]} FROM ${table} WHERE run = ? ORDER BY ${order}`);
    this.#calls = ownRows("calls", "ordinal");
    this.#attempts = ownRows("attempts", "ordinal, number");
    this.#reconciliations = ownRows("reconciliations", "ordinal, revision");
  }

  /** The runs that a query on `runs AS r` names, in its order. */
  read(afterFrom: string, ...values: (string | number)[]): NumberedRun[] {
    const runs = this.#database.prepare(`SELECT r.* FROM runs AS r ${afterFrom}`).all(...values);
    return runs.map((found) => this.#whole(found));
  }

  #whole(found: Record<string, unknown>): NumberedRun {
    const { id, ...run } = found as { id: number } & Record<string, unknown>;
    const transactionId = String(run["transaction_id"]);
    const row = {
      run: run as unknown as RunRow,
      calls: this.#calls.all(transactionId, id) as unknown as CallRow[],
      attempts: this.#attempts.all(transactionId, id) as unknown as AttemptRow[],
      reconciliations: this.#reconciliations.all(transactionId, id) as unknown as ReconciliationRow[],
    };
    return { id, row };
  }
}
