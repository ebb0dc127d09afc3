import type { Charged } from "../../terms/fault.ts";
import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";
import type { AttemptLine, CallLine, RunHead } from "./record-lines.ts";
import { checksumOf, type Unchecked } from "./run-checksum.ts";
import { toStored } from "./stored-text.ts";
import { unsettledOf } from "./unsettled.ts";
import { chargesBits, verdictsOf } from "./verdicts.ts";

/** What a run says beside its head and its calls. */
export interface Ending {
  readonly state: "ended" | "unknown";
  readonly tookMs: number | null;
  readonly clientGone: number;
  readonly functionFault: string | null;
  readonly unknownSources: number;
  readonly unknownSourceNames: string | null;
}

/**
 * The rows of a run, by their keys and each once, with its checksum. No record can be refused for what it says, neither
 * here nor by a shared database, since one that could would be sent again for ever: what is no text or number where one
 * is due is the empty text, 0, or null where that is allowed.
 */
export function rowsOfRecord(head: RunHead, lines: readonly CallLine[], ending: Ending): RunReportRow {
  const transactionId = textOf(head[0]);
  const ordered = byKey(lines);
  const calls = ordered.map((line) => callRow(transactionId, line));
  const attempts = ordered.flatMap((line) => {
    const ordinal = wholeOf(line[0]);
    return byKey(line[12]).map((attempt) => attemptRow(transactionId, ordinal, attempt));
  });
  const row: Unchecked = {
    run: {
      transaction_id: transactionId,
      state: ending.state,
      kind: textOf(head[1]) as "data" | "func",
      organization_id: textOf(head[2]),
      workflow_id: textOf(head[3]),
      token_id: textOf(head[4]),
      context: textOf(head[5]),
      region: textOf(head[6]),
      simulated: wholeOf(head[7]) as 0 | 1,
      function_id: head[8] === null ? null : textOf(head[8]),
      started_at: wholeOf(head[9]),
      took_ms: whole(ending.tookMs),
      client_gone: wholeOf(ending.clientGone) as 0 | 1,
      function_fault: textOrNull(ending.functionFault),
      has_unknown: unsettledOf({ calls, attempts }).length > 0 ? 1 : 0,
      verdicts: verdictsOf(calls),
      unknown_sources: wholeOf(ending.unknownSources),
      unknown_source_names: ending.unknownSourceNames,
    },
    calls,
    attempts,
    reconciliations: [],
  };
  return { ...row, run: { ...row.run, checksum: checksumOf(row) } };
}

function callRow(transactionId: string, line: CallLine): CallRow {
  const requests = byKey(line[12]).map((attempt) => textOf(attempt[6]) as Charged);
  return {
    transaction_id: transactionId,
    ordinal: wholeOf(line[0]),
    source: textOf(line[1]),
    success: whole(line[2]) as 0 | 1 | null,
    match: whole(line[3]) as 0 | 1 | null,
    fault_code: textOrNull(line[4]),
    fault_kind: textOrNull(line[5]),
    charged: textOf(line[6]) as Charged,
    charges: chargesBits(line[6], requests),
    credential_id: textOrNull(line[7]),
    credential_rule: textOf(line[8]),
    started_after_ms: whole(line[9]),
    took_ms: whole(line[10]),
    output_bytes: whole(line[11]),
  };
}

function attemptRow(transactionId: string, ordinal: number, line: AttemptLine): AttemptRow {
  return {
    transaction_id: transactionId,
    ordinal,
    number: wholeOf(line[0]),
    origin: textOf(line[1]),
    method: textOf(line[2]),
    sent_at: wholeOf(line[3]),
    status: whole(line[4]),
    took_ms: whole(line[5]),
    charged: textOf(line[6]) as Charged,
  };
}

/** An intent may stand in two files, after a disk had failed: then it comes twice. */
function byKey<Line extends readonly [key: number, ...rest: unknown[]]>(lines: readonly Line[]): readonly Line[] {
  if (lines.every((line, at) => at === 0 || wholeOf(lines[at - 1]![0]) < wholeOf(line[0]))) return lines;
  const first = new Map<number, Line>();
  for (const line of lines) if (!first.has(wholeOf(line[0]))) first.set(wholeOf(line[0]), line);
  return [...first.values()].toSorted((one, other) => wholeOf(one[0]) - wholeOf(other[0]));
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? toStored(value) : "";
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? toStored(value) : null;
}

function wholeOf(value: unknown): number {
  return whole(value) ?? 0;
}

/** Adding 0 makes nought of a negative nought, which no column can hold. */
function whole(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? Math.round(value) + 0 : null;
}
