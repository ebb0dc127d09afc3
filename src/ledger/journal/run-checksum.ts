import { crc32 } from "node:zlib";
import type { AttemptRow, CallRow, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";

/*
 * A disk, a cable or a copy can alter a bit, and neither SQLite nor the rows themselves would say so. So every run has a
 * checksum over all that belongs to it: CRC-32 of the JSON of the columns below, in this order, rows in the order of their
 * keys. It is made of the rows as the ledger shows them, so that one checksum holds in the journal and in the database
 * that several machines share. It tells accidents, and proves nothing against somebody who can write to the ledger.
 *
 * A column that is added later must not change the checksum of runs that were written without it.
 */

const OF_RUN = (run: Omit<RunRow, "checksum">) => [
  run.transaction_id,
  run.state,
  run.kind,
  run.organization_id,
  run.workflow_id,
  run.token_id,
  run.context,
  run.region,
  run.simulated,
  run.function_id,
  run.started_at,
  run.took_ms,
  run.client_gone,
  run.function_fault,
  run.has_unknown,
  run.verdicts,
  run.unknown_sources,
  run.unknown_source_names,
];

const OF_CALL = (call: CallRow) => [
  call.ordinal,
  call.source,
  call.success,
  call.match,
  call.fault_code,
  call.fault_kind,
  call.charged,
  call.charges,
  call.credential_id,
  call.credential_rule,
  call.started_after_ms,
  call.took_ms,
  call.output_bytes,
];

const OF_ATTEMPT = (attempt: AttemptRow) => [
  attempt.ordinal,
  attempt.number,
  attempt.origin,
  attempt.method,
  attempt.sent_at,
  attempt.status,
  attempt.took_ms,
  attempt.charged,
];

const OF_RECONCILIATION = (one: ReconciliationRow) => [
  one.ordinal,
  one.revision,
  one.charged,
  one.decided_by,
  one.decided_at,
  one.note,
  one.attempt,
];

export type Unchecked = Omit<RunReportRow, "run"> & { readonly run: Omit<RunRow, "checksum"> };

/** A whole number of 32 bits, below zero for every other run: so it takes four bytes on both engines. */
export function checksumOf({ run, calls, attempts, reconciliations }: Unchecked): number {
  const text = JSON.stringify([
    OF_RUN(run),
    calls.map(OF_CALL),
    attempts.map(OF_ATTEMPT),
    reconciliations.map(OF_RECONCILIATION),
  ]);
  return crc32(text) | 0;
}

/** Whether a run is as it was written. One that was written before there were checksums has none, and nobody can say. */
export function isSound(row: RunReportRow): boolean {
  return row.run.checksum === null || row.run.checksum === checksumOf(row);
}
