import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";
import { ATTEMPT_LINE, CALL_LINE, RUN_LINE, type CallLine, type Line, type RunRecordLine } from "./record-lines.ts";
import { checksumOf, type Unchecked } from "./run-checksum.ts";
import { chargesBits, hasUnknown, verdictsOf } from "./verdicts.ts";

/**
 * The rows of a run, by their keys and each once, with what is made of what was recorded, and with its checksum. No record
 * can be refused for what it says, neither here nor by a shared database, since one that could would be sent again for ever.
 */
export function rowsOfRecord([line, callLines]: RunRecordLine): RunReportRow {
  const recorded = RUN_LINE.read(line);
  const rows = byKey(callLines.map((one) => rowsOfCall(recorded.transaction_id, one)), ({ call }) => call.ordinal); // prettier-ignore
  const calls = rows.map(({ call }) => call);
  const attempts = rows.flatMap((one) => one.attempts);
  const unchecked: Unchecked = {
    run: {
      ...recorded,
      has_unknown: calls.some(({ charges }) => hasUnknown(charges)) ? 1 : 0,
      verdicts: verdictsOf(calls),
    },
    calls,
    attempts,
    reconciliations: [],
  };
  return { ...unchecked, run: { ...unchecked.run, checksum: checksumOf(unchecked) } };
}

interface CallRows {
  readonly call: CallRow;
  readonly attempts: readonly AttemptRow[];
}

function rowsOfCall(transactionId: string, [line, attemptLines]: CallLine): CallRows {
  const recorded = CALL_LINE.read(line);
  const attemptRow = (one: Line): AttemptRow => ({
    ...ATTEMPT_LINE.read(one),
    transaction_id: transactionId,
    ordinal: recorded.ordinal,
  });
  const attempts = byKey(attemptLines.map(attemptRow), ({ number }) => number);
  const charges = chargesBits(recorded.charged, attempts.map(({ charged }) => charged)); // prettier-ignore
  return { call: { ...recorded, transaction_id: transactionId, charges }, attempts };
}

/** An intent may stand in two files, after a disk had failed: then it comes twice. */
function byKey<Row>(rows: readonly Row[], keyOf: (row: Row) => number): readonly Row[] {
  if (rows.every((row, at) => at === 0 || keyOf(rows[at - 1]!) < keyOf(row))) return rows;
  const first = new Map<number, Row>();
  for (const row of rows) if (!first.has(keyOf(row))) first.set(keyOf(row), row);
  return [...first.values()].toSorted((one, other) => keyOf(one) - keyOf(other));
}
