import { crc32 } from "node:zlib";
import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import type { RunReportRow, RunRow } from "../ports.ts";

/*
 * A disk, a cable or a copy can change a bit without SQLite noticing. So every run has a checksum over all its rows:
 * CRC-32 of the JSON of their values, in the order of the tables of columns, rows in the order of their keys. It is
 * computed from the rows as the ledger shows them, so it is the same in the journal and in the database that several
 * machines share. It detects accidents; it does not protect against somebody who can write to the ledger. Values of
 * later columns come at the end of their row, by name, and only if they are not null, so the checksums of older runs do
 * not change.
 */

const valuesOfRun = valuesOf<Omit<RunRow, "checksum">>(RUN_COLUMNS);
const valuesOfCall = valuesOf<RunReportRow["calls"][number]>(CALL_COLUMNS);
const valuesOfAttempt = valuesOf<RunReportRow["attempts"][number]>(ATTEMPT_COLUMNS);
const valuesOfReconciliation = valuesOf<RunReportRow["reconciliations"][number]>(RECONCILIATION_COLUMNS);

function valuesOf<Row extends object>(table: Columns): (row: Row) => readonly unknown[] {
  const columns = listOf(table).filter(({ column }) => column.unchecked !== true);
  const first = columns.filter(({ column }) => column.later !== true).map(({ name }) => name as keyof Row);
  const later = columns.filter(({ column }) => column.later === true).map(({ name }) => name as keyof Row);
  return (row) => {
    const values: unknown[] = [];
    for (const name of first) values.push(row[name]);
    if (later.length === 0) return values;
    const known = later.filter((name) => row[name] !== null);
    if (known.length > 0) values.push(Object.fromEntries(known.map((name) => [name, row[name]])));
    return values;
  };
}

export type Unchecked = Omit<RunReportRow, "run"> & { readonly run: Omit<RunRow, "checksum"> };

/** A signed 32-bit integer, which takes four bytes on both engines. */
export function checksumOf({ run, calls, attempts, reconciliations }: Unchecked): number {
  const text = JSON.stringify([
    valuesOfRun(run),
    calls.map(valuesOfCall),
    attempts.map(valuesOfAttempt),
    reconciliations.map(valuesOfReconciliation),
  ]);
  return crc32(text) | 0;
}

/** Whether a run is as it was written. True also for a run from before checksums, because it cannot be checked. */
export function isSound(row: RunReportRow): boolean {
  return row.run.checksum === null || row.run.checksum === checksumOf(row);
}
