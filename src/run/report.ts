import { chargeOfCall, chargesOf } from "../terms/charge.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import type { Outcome } from "./fan-out.ts";
import type { CallReport, Run, RunIntent, RunReport } from "./ports.ts";

/** What the ledger, the log and the metrics are told of one call. Whatever its requests still do changes nothing of it. */
export function reportCall(outcome: Outcome): CallReport {
  const { call, result } = outcome;
  const fault = result instanceof Fault ? result : null;
  const charges = chargesOf(call.attempts, outcome.charge, outcome.lost ?? result);
  return {
    source: call.id,
    ordinal: call.ordinal,
    success: fault === null,
    match: result instanceof Fault ? false : result.match,
    fault,
    credentialId: call.credential?.credentialId ?? null,
    credentialRule: call.credential?.rule ?? "none",
    charged: chargeOfCall(charges),
    startedAfterMs: Math.round(call.startedAt - call.run.arrivedAt),
    tookMs: outcome.tookMs,
    outputBytes: outcome.outputBytes,
    attempts: call.attempts.map(({ number, origin, method, sentWallAt, status, tookMs }, at) => ({
      number,
      origin,
      method,
      sentWallAt,
      status,
      tookMs,
      charged: charges[at]!,
    })),
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
