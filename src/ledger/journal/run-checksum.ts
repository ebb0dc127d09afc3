import { crc32 } from "node:zlib";
import { positionsOf, type Positions } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import type { RunReportRow, RunRow } from "../ports.ts";

/*
 * A disk, a cable or a copy can change a bit without SQLite noticing. So every run has a checksum over all its rows:
 * CRC-32 of the JSON of their values, in the order of the tables of columns, rows in the order of their keys. It is
 * computed from the rows as the ledger shows them, so it is the same in the journal and in a shared database. It
 * detects accidents, not changes by an attacker who can write to the ledger. Values of later columns come at the end of
 * their row, by name, and only if they are not null, so the checksums of older runs do not change.
 */

const RUN = positionsOf(RUN_COLUMNS);
const CALL = positionsOf(CALL_COLUMNS);
const ATTEMPT = positionsOf(ATTEMPT_COLUMNS);
const RECONCILIATION = positionsOf(RECONCILIATION_COLUMNS);

/** A row by position, in the order of `positionsOf` for its table. Values after its last column are ignored. */
export type RowValues = readonly (string | number | null)[];

/** The rows of a run by position: the run, its calls, its attempts, and its reconciliations. */
export type ValuesOfRun = readonly [
  run: RowValues,
  calls: readonly RowValues[],
  attempts: readonly RowValues[],
  reconciliations: readonly RowValues[],
];

type Unchecked = Omit<RunReportRow, "run"> & { readonly run: Omit<RunRow, "checksum"> };

export function valuesOfRun({ run, calls, attempts, reconciliations }: Unchecked): ValuesOfRun {
  return [
    valuesOf(RUN, run),
    calls.map((call) => valuesOf(CALL, call)),
    attempts.map((attempt) => valuesOf(ATTEMPT, attempt)),
    reconciliations.map((reconciliation) => valuesOf(RECONCILIATION, reconciliation)),
  ];
}

function valuesOf({ columns }: Positions, row: object): RowValues {
  return columns.map(({ name }) => row[name as never]);
}

export function checksumOf(row: Unchecked): number {
  return checksumOfValues(...valuesOfRun(row));
}

/** A signed 32-bit integer, which takes four bytes on both engines. */
export function checksumOfValues(...[run, calls, attempts, reconciliations]: ValuesOfRun): number {
  const text = JSON.stringify([
    checkedOf(RUN, run),
    calls.map((call) => checkedOf(CALL, call)),
    attempts.map((attempt) => checkedOf(ATTEMPT, attempt)),
    reconciliations.map((reconciliation) => checkedOf(RECONCILIATION, reconciliation)),
  ]);
  return crc32(text) | 0;
}

function checkedOf({ columns, first, checked }: Positions, row: RowValues): readonly unknown[] {
  const values: unknown[] = row.slice(0, first);
  let known: Record<string, unknown> | null = null;
  for (let at = first; at < checked; at += 1) if (row[at] !== null) (known ??= {})[columns[at]!.name] = row[at];
  if (known !== null) values.push(known);
  return values;
}

/** Whether the rows match the checksum. True also for a run from before checksums, which cannot be checked. */
export function isSound(row: RunReportRow): boolean {
  return row.run.checksum === null || row.run.checksum === checksumOf(row);
}
