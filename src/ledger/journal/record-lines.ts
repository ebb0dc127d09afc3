import type { AttemptIntent, AttemptReport, CallReport, RunIntent, RunReport } from "../../run/ports.ts";
import type { Charged } from "../../terms/fault.ts";
import { isOfNoSource, unknownSourcesOf } from "./unknown-sources.ts";

/*
 * What goes into the intent file and to the journal's thread: JSON arrays by position. JSON escapes every control
 * character and lone surrogate, so an id can neither end its line nor be lost, and stringifying one array is quicker
 * than a template of quoted pieces (2.2 against 2.9 us for a run of five calls).
 */

export type RunHead = readonly [
  transactionId: string,
  kind: string,
  organizationId: string,
  workflowId: string,
  tokenId: string,
  context: string,
  region: string,
  simulated: 0 | 1,
  functionId: string | null,
  startedWallAt: number,
];

/** One line of the intent file: a run before its first attempt, or an attempt. */
export type IntentLine =
  | readonly ["run", ...RunHead]
  | readonly [
      "attempt",
      transactionId: string,
      ordinal: number,
      number: number,
      source: string,
      origin: string,
      method: string,
      credentialId: string | null,
      credentialRule: string,
      sentWallAt: number,
      /** Not there in files of older versions. */
      free?: 0 | 1,
    ];

/** A whole run: intent and outcome in one record. */
export type RunRecordLine = readonly [
  head: RunHead,
  tookMs: number,
  clientGone: 0 | 1,
  functionFault: string | null,
  calls: readonly CallLine[],
  unknownSources?: number,
  unknownSourceNames?: readonly string[],
];

export type CallLine = readonly [
  ordinal: number,
  source: string,
  success: 0 | 1 | null,
  match: 0 | 1 | null,
  faultCode: string | null,
  faultKind: string | null,
  charged: Charged,
  credentialId: string | null,
  credentialRule: string,
  startedAfterMs: number | null,
  tookMs: number | null,
  outputBytes: number | null,
  attempts: readonly AttemptLine[],
];

export type AttemptLine = readonly [
  number: number,
  origin: string,
  method: string,
  sentWallAt: number,
  status: number | null,
  tookMs: number | null,
  charged: Charged,
];

export function headOf(run: RunIntent): RunHead {
  return [
    run.transactionId,
    run.kind,
    run.organizationId,
    run.workflowId,
    run.tokenId,
    run.context,
    run.region,
    run.simulated ? 1 : 0,
    run.functionId,
    run.startedWallAt,
  ];
}

export function runIntentText(run: RunIntent): string {
  const line: IntentLine = ["run", ...headOf(run)];
  return JSON.stringify(line) + "\n";
}

export function attemptIntentText(transactionId: string, intent: AttemptIntent): string {
  const line: IntentLine = [
    "attempt",
    transactionId,
    intent.ordinal,
    intent.attempt,
    intent.source,
    intent.origin,
    intent.method,
    intent.credentialId,
    intent.credentialRule,
    intent.sentWallAt,
    intent.free ? 1 : 0,
  ];
  return JSON.stringify(line) + "\n";
}

export function recordText(report: RunReport): string {
  const unknown = unknownSourcesOf(report.calls);
  const calls = unknown.count === 0 ? report.calls : report.calls.filter((call) => !isOfNoSource(call));
  const line: RunRecordLine = [
    headOf(report),
    report.tookMs,
    report.clientGone ? 1 : 0,
    report.functionFault ?? null,
    calls.map(callLine),
    unknown.count,
    unknown.names,
  ];
  return JSON.stringify(line);
}

function callLine(call: CallReport): CallLine {
  return [
    call.ordinal,
    call.source,
    call.success ? 1 : 0,
    call.match ? 1 : 0,
    call.fault === null ? null : call.fault.code,
    call.fault === null ? null : call.fault.row.kind,
    call.charged,
    call.credentialId,
    call.credentialRule,
    call.startedAfterMs,
    call.tookMs,
    call.outputBytes,
    call.attempts.map(attemptLine),
  ];
}

function attemptLine(attempt: AttemptReport): AttemptLine {
  return [
    attempt.number,
    attempt.origin,
    attempt.method,
    attempt.sentWallAt,
    attempt.status,
    attempt.tookMs,
    attempt.charged,
  ];
}
