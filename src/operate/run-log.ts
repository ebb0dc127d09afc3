import type { CallReport, RunObserver, RunReport } from "../run/ports.ts";
import type { Log } from "./log.ts";

/**
 * One log line a run: who, what became of each source, and for the log alone what lies behind a failure. Another one where
 * inputs were probably misspelled.
 */
export function createRunLog(log: Log): RunObserver {
  return {
    runEnded(report) {
      log.info({ event: "run", ...runFields(report), calls: report.calls.map(callFields) });
    },
    inputsDropped(transactionId, dropped) {
      log.info({ event: "dropped_inputs", transaction_id: transactionId, dropped });
    },
  };
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
    ...(report.traceId === undefined ? {} : { trace_id: report.traceId }),
    ...(report.simulated ? { simulated: true } : {}),
    ...(report.functionId === null ? {} : { function: report.functionId }),
    ...(report.functionFault ? { function_fault: report.functionFault } : {}),
    ...(report.clientGone ? { client_gone: true } : {}),
    took_ms: report.tookMs,
  };
}

function callFields(call: CallReport) {
  return {
    source: call.source,
    success: call.success,
    match: call.match,
    took_ms: call.tookMs,
    charged: call.charged,
    ...(call.attempts.length === 0 ? {} : { attempts: call.attempts.length }),
    ...(call.credentialRule === "none" ? {} : { credential_rule: call.credentialRule }),
    ...(call.credentialId === null ? {} : { credential: call.credentialId }),
    ...(call.fault === null
      ? {}
      : { fault: call.fault.code, detail: call.fault.detail, cause: causeOf(call.fault.cause) }),
  };
}

const CAUSE_CHARS_MAX = 300;
const CAUSES_MAX = 4;

/** What lies behind a fault, in short: class, code and place. A message of a stranger can hold inputs, so it is not logged. */
export function causeOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  try {
    return describe(cause, CAUSES_MAX).slice(0, CAUSE_CHARS_MAX);
  } catch {
    // What strangers throw may throw in its turn when it is read.
    return "unreadable";
  }
}

/** A cause may be its own cause, hence the limit. */
function describe(cause: unknown, causesLeft: number): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { code, message, stack = "" } = cause as NodeJS.ErrnoException;
  // The message stands in the stack too, and may look like a place.
  const framesFrom = stack.indexOf(message);
  const place = framesFrom === -1 ? "" : /\n\s+at (.*)/.exec(stack.slice(framesFrom + message.length))?.[1];
  const deeper = cause.cause === undefined || causesLeft === 0 ? "" : `< ${describe(cause.cause, causesLeft - 1)}`;
  return [cause.name, code, place && `at ${place}`, deeper].filter(Boolean).join(" ");
}
