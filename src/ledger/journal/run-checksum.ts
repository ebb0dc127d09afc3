import { crc32 } from "node:zlib";
import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import type { RunReportRow, RunRow } from "../ports.ts";

/*
 * A disk, a cable or a copy can alter a bit, and neither SQLite nor the rows themselves would say so. So every run has a
 * checksum over all that belongs to it: CRC-32 of the JSON of its rows' values, in the order of the tables of columns, rows
 * in the order of their keys. It is made of the rows as the ledger shows them, so that one checksum holds in the journal and
 * in the database that several machines share. It tells accidents, and proves nothing against somebody who can write to the
 * ledger. What columns that came later hold stands at the end of its row by name, and is not there where that is null: so
 * the checksums of older runs stay what they were.
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

/** A whole number of 32 bits, below zero for every other run: so it takes four bytes on both engines. */
export function checksumOf({ run, calls, attempts, reconciliations }: Unchecked): number {
  const text = JSON.stringify([
    valuesOfRun(run),
    calls.map(valuesOfCall),
    attempts.map(valuesOfAttempt),
    reconciliations.map(valuesOfReconciliation),
  ]);
  return crc32(text) | 0;
}

/** Whether a run is as it was written. One that was written before there were checksums has none, and nobody can say. */
export function isSound(row: RunReportRow): boolean {
  return row.run.checksum === null || row.run.checksum === checksumOf(row);
}
