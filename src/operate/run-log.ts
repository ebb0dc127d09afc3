import type { CallReport, RunObserver, RunReport } from "../run/ports.ts";
import type { Log } from "./log.ts";

/** One log line a run: who, what became of each source, and for the log alone what lies behind a failure. */
export function createRunLog(log: Log): RunObserver {
  return {
    runEnded(report) {
      log.info({ event: "run", ...runFields(report), calls: report.calls.map(callFields) });
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
    ...(call.nearMisses.length === 0 ? {} : { dropped_inputs: call.nearMisses }),
  };
}

const CAUSE_CHARS_MAX = 300;

/** What lies behind a fault, in short: class, code and place. A message of a stranger can hold inputs, so it is not logged. */
export function causeOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (!(cause instanceof Error)) return typeof cause;
  const code = (cause as NodeJS.ErrnoException).code;
  const place = /\n\s+at (.*)/.exec(cause.stack ?? "")?.[1];
  const deeper = causeOf(cause.cause);
  return [cause.name, code, place && `at ${place}`, deeper && `< ${deeper}`]
    .filter(Boolean)
    .join(" ")
    .slice(0, CAUSE_CHARS_MAX);
}
