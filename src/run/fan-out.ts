import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import type { Planned } from "./plan.ts";
import type { Answer, PlannedCall, RunSource } from "./ports.ts";

/** How one planned call ended: an answer, or the fault that stands in its place. */
export interface Outcome {
  readonly call: PlannedCall;
  readonly charge: ChargeTerms;
  readonly tookMs: number;
  readonly result: Answer | Fault;
}

export type ChargeTerms = "free" | "per_call" | "per_match" | "per_success";

/**
 * Starts every planned call at once and waits for all. Never rejects: each slot of the plan gets exactly one outcome
 * under its own id, so one source's failure can neither lose nor misname another's answer.
 */
export function fanOut(plan: readonly Planned[], runSource: RunSource, clock: Clock): Promise<Outcome[]> {
  return Promise.all(plan.map((planned) => settle(planned, runSource, clock)));
}

/** One call to its outcome. */
export async function settle(planned: Planned, runSource: RunSource, clock: Clock): Promise<Outcome> {
  const { call, source } = planned;
  let result: Answer | Fault;
  try {
    if (source === undefined) throw new Fault("source.unknown", { source: call.id });
    result = await runSource(source, call);
  } catch (thrown) {
    result = asFault(thrown, "source.adapter_raised");
  }
  return endWith(planned, result, clock);
}

/** Ends a call: from now on it can send nothing more. */
export function endWith({ call, source }: Planned, result: Answer | Fault, clock: Clock): Outcome {
  call.ended = true;
  return {
    call,
    charge: chargeTerms(source?.declaration.charge, source?.leavesMachine ?? false),
    tookMs: Math.round(clock.now() - call.startedAt),
    result,
  };
}

function chargeTerms(
  charge: ChargeTerms | { readonly model: ChargeTerms } | undefined,
  leavesMachine: boolean,
): ChargeTerms {
  if (charge === undefined) return leavesMachine ? "per_call" : "free";
  return typeof charge === "string" ? charge : charge.model;
}
