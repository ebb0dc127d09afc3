import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import type { CallReport, RunObserver, RunReport } from "../run/ports.ts";
import type { FaultDetail } from "../terms/fault.ts";
import { knownClass, knownCode } from "../terms/known-error.ts";
import { printable } from "../terms/text/printable.ts";
import type { Log } from "./log.ts";
import type { LogQuota } from "./log-quota.ts";

/**
 * Writes one log line per run: the caller, the outcome of each source, and the causes of failures, which only the log
 * has. Writes a second line if inputs were probably misspelled.
 */
export function createRunLog(log: Log, quota: Pick<LogQuota, "allows">): RunObserver {
  return {
    runEnded(report) {
      const { shown, notShown } = chooseCalls(report.calls, quota, report.organizationId);
      const rest = notShown === 0 ? {} : { calls_not_shown: notShown };
      log.info({ event: "run", ...runFields(report), calls: shown.map(callFields), ...rest });
    },
    inputsMisspelled(transactionId, nearMisses) {
      log.info({ event: "misspelled_inputs", transaction_id: transactionId, inputs: nearMisses });
    },
  };
}

/** Calls in the log line of one run. The ledger and the metrics have all of them. */
export const CALLS_MAX = 32;
/** Ids of unknown sources are the caller's text. A few are enough to recognise a misspelling. */
export const UNKNOWN_MAX = 3;
const TEXT_CHARS_MAX = 200;
/** Approximate size of a call in the line of its run. */
const CALL_BYTES = 150;
const UNKNOWN_ID_CHARS_MAX = 128;

/** The first calls of a run, failed ones before others; none if the organization's quota is exhausted. */
function chooseCalls(
  calls: readonly CallReport[],
  quota: Pick<LogQuota, "allows">,
  organizationId: string,
): {
  readonly shown: readonly CallReport[];
  readonly notShown: number;
} {
  let unknown = 0;
  const known = calls.filter((call) => !isUnknown(call) || (unknown += 1) <= UNKNOWN_MAX);
  const chosen =
    known.length <= CALLS_MAX
      ? known
      : known
          .toSorted((a, b) => Number(a.success) - Number(b.success))
          .slice(0, CALLS_MAX)
          .toSorted((a, b) => a.ordinal - b.ordinal);
  const shown = quota.allows(organizationId, chosen.length * CALL_BYTES) ? chosen : [];
  return { shown, notShown: calls.length - shown.length };
}

function isUnknown({ fault }: CallReport): boolean {
  return fault?.code === "source.unknown";
}

function runFields(report: RunReport) {
  return {
    transaction_id: report.transactionId,
    kind: report.kind,
    organization: report.organizationId,
    workflow: report.workflowId,
    token_id: report.tokenId,
    context: report.context,
    region: report.region,
    ...(report.clientRequestId === null ? {} : { client_request_id: report.clientRequestId }),
    ...(report.trace === null ? {} : { trace_id: report.trace.traceId }),
    ...(report.simulated ? { simulated: true } : {}),
    ...(report.functionId === null ? {} : { function: report.functionId }),
    ...(report.functionFault ? { function_fault: report.functionFault } : {}),
    ...(report.clientGone ? { client_gone: true } : {}),
    took_ms: report.tookMs,
  };
}

function callFields(call: CallReport) {
  return {
    source: isUnknown(call) ? shortened(call.source, UNKNOWN_ID_CHARS_MAX) : call.source,
    success: call.success,
    match: call.match,
    took_ms: call.tookMs,
    charged: call.charged,
    ...(call.attempts.length === 0 ? {} : { attempts: call.attempts.length }),
    ...(call.credentialRule === "none" ? {} : { credential_rule: call.credentialRule }),
    ...(call.credentialId === null ? {} : { credential: call.credentialId }),
    ...(call.fault === null ? {} : { fault: call.fault.code, ...detailOf(call), cause: causeOf(call.fault.cause) }),
  };
}

/** The detail of an unknown source would only repeat the id. */
function detailOf(call: CallReport) {
  if (call.fault === null || isUnknown(call)) return {};
  const shown = Object.entries(call.fault.detail).map(([name, value]) => [
    name,
    typeof value === "string" ? shortened(value, TEXT_CHARS_MAX) : value,
  ]);
  return { detail: Object.fromEntries(shown) as FaultDetail };
}

function shortened(text: string, charsMax: number): string {
  return printable(text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text);
}

const CAUSE_CHARS_MAX = 300;
const CAUSES_MAX = 4;

/**
 * The cause of a fault as class, code and location. The message of a foreign exception can contain inputs, so it is not
 * logged. Unknown class names and codes are not logged either.
 */
export function causeOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  try {
    return describe(cause, CAUSES_MAX).slice(0, CAUSE_CHARS_MAX);
  } catch {
    // A value thrown by an author's code may itself throw when read.
    return "unreadable";
  }
}

/** An error may be its own cause, hence the limit. */
function describe(cause: unknown, causesLeft: number): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, code, stack } = cause as NodeJS.ErrnoException;
  const place = placeIn(stack);
  const deeper = cause.cause === undefined || causesLeft === 0 ? "" : `< ${describe(cause.cause, causesLeft - 1)}`;
  const parts = [knownClass(name) ?? "an error of its own", knownCode(code), place && `at ${place}`, deeper];
  return parts.filter(Boolean).join(" ");
}

const STACK_CHARS_MAX = 20_000;
/** Node records ten frames at the end of a stack. Lines before them may belong to a message that looks like frames. */
const FRAMES_MAX = 50;
const FRAME = /^\s+at (?:.*\()?((?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()\s]+?)(?:\?[^():?]*)?:(\d{1,7}):(\d{1,7})\)?$/;

/**
 * The location of an error: the first frame whose file exists. A stack also contains the message, which may look like a
 * frame, and so may the name of a function. So only file and position of a frame are logged.
 */
function placeIn(stack: unknown): string | undefined {
  if (typeof stack !== "string") return undefined;
  for (const line of stack.slice(-STACK_CHARS_MAX).split("\n").slice(-FRAMES_MAX)) {
    const [, file, row, column] = FRAME.exec(line) ?? [];
    if (file !== undefined && isThere(file)) return `${file}:${row}:${column}`;
  }
  return undefined;
}

function isThere(file: string): boolean {
  if (file.startsWith("node:")) return isBuiltin(file) || /^node:internal\/[a-z_/]{1,80}$/.test(file);
  return existsSync(file.startsWith("file:") ? fileURLToPath(file) : file);
}
