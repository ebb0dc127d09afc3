import { Fault, type FaultCode } from "../terms/fault.ts";
import { chargeOf, settleAttempts } from "./charge.ts";
import type { Outcome } from "./fan-out.ts";
import type { CallReport, Run, RunIntent, RunReport } from "./ports.ts";

/** What the ledger, the log and the metrics are told of one call. Settles what its attempts were charged on the way. */
export function reportCall(outcome: Outcome): CallReport {
  const { call, result } = outcome;
  const fault = result instanceof Fault ? result : null;
  const charged = chargeOf(outcome.lost ?? result, call.attempts, outcome.charge);
  settleAttempts(call.attempts, charged, outcome.charge);
  return {
    source: call.id,
    ordinal: call.ordinal,
    success: fault === null,
    match: result instanceof Fault ? false : result.match,
    fault,
    credentialId: call.credential?.credentialId ?? null,
    credentialRule: call.credential?.rule ?? "none",
    charged,
    startedAfterMs: Math.round(call.startedAt - call.run.arrivedAt),
    tookMs: outcome.tookMs,
    outputBytes: outcome.outputBytes,
    attempts: call.attempts,
  };
}

export function reportRun(
  intent: RunIntent,
  run: Run,
  calls: readonly CallReport[],
  tookMs: number,
  functionFault?: FaultCode | null,
): RunReport {
  const trace = run.trace == null ? {} : { traceId: run.trace.traceId };
  const report = { ...intent, ...trace, tookMs, clientGone: !run.maySend, calls };
  return functionFault === undefined ? report : { ...report, functionFault };
}
