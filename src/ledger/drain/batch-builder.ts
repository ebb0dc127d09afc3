import { positionsOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { type RowValues, type ValuesOfRun, valuesOfRun } from "../journal/run-checksum.ts";
import type { ColumnValues, RowsInColumns, RunBatch, RunReportRow } from "../ports.ts";

type CellValue = RowValues[number];

/** Collects rows of a table by position: each value is appended to its column. */
class RowsBuilder {
  readonly rows: RowsInColumns;
  readonly #values: readonly CellValue[][];
  readonly #transactionIds: string[] = [];

  /** @param isOfRun the table's own columns include the transaction id */
  constructor(table: Columns, isOfRun: boolean) {
    const { columns } = positionsOf(table);
    const own = columns.map(({ name, column }) => ({
      name,
      isText: column.valueType.type !== "whole",
      values: [] as CellValue[],
    }));
    this.#values = own.map(({ values }) => values);
    const ofRun: ColumnValues = { name: "transaction_id", isText: true, values: this.#transactionIds };
    this.rows = isOfRun ? own : [ofRun, ...own];
  }

  add(transactionId: string, row: RowValues): void {
    this.#transactionIds.push(transactionId);
    const columns = this.#values;
    for (let at = 0; at < columns.length; at += 1) columns[at]!.push(row[at]!);
  }
}

/** Builds a batch from runs that come one after another. */
export class BatchBuilder {
  readonly #runs = new RowsBuilder(RUN_COLUMNS, true);
  readonly #calls = new RowsBuilder(CALL_COLUMNS, false);
  readonly #attempts = new RowsBuilder(ATTEMPT_COLUMNS, false);
  readonly #reconciliations = new RowsBuilder(RECONCILIATION_COLUMNS, false);
  readonly #transactionIds: string[] = [];

  get count(): number {
    return this.#transactionIds.length;
  }

  /** Rows have the order of `positionsOf`. */
  add(transactionId: string, ...[run, calls, attempts, reconciliations]: ValuesOfRun): void {
    this.#transactionIds.push(transactionId);
    this.#runs.add(transactionId, run);
    for (const call of calls) this.#calls.add(transactionId, call);
    for (const attempt of attempts) this.#attempts.add(transactionId, attempt);
    for (const reconciliation of reconciliations) this.#reconciliations.add(transactionId, reconciliation);
  }

  batch(): RunBatch {
    return {
      transactionIds: this.#transactionIds,
      runs: this.#runs.rows,
      calls: this.#calls.rows,
      attempts: this.#attempts.rows,
      reconciliations: this.#reconciliations.rows,
    };
  }
}

/** A batch of runs whose rows have the names of their columns. */
export function batchOf(rows: readonly RunReportRow[]): RunBatch {
  const builder = new BatchBuilder();
  for (const row of rows) builder.add(row.run.transaction_id, ...valuesOfRun(row));
  return builder.batch();
}
