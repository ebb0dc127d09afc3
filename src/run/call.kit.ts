import { heldWithoutLimit } from "../terms/byte-budget.ts";
import { type Clock, systemClock } from "../terms/clock.ts";
import { Call } from "./call.ts";
import { OpenRun } from "./under-way.ts";
import type { Attempt, CallPlan, PlannedCall, Run } from "./ports.ts";

export interface RunChanges extends Partial<Pick<Run, "held" | "record" | "arrivedAt">> {
  readonly organizationId?: string;
  readonly autoCredentials?: boolean;
  readonly simulated?: boolean;
}

/** A run that no client asked for. */
export function makeRun(changes: RunChanges = {}): OpenRun {
  const { organizationId = "org_1", autoCredentials = false, simulated = false } = changes;
  const arrivedAt = changes.arrivedAt ?? systemClock.now();
  const off = { disabled: false, failureDetails: false, maskCredentials: false };
  const caller = {
    organizationId,
    tokenId: "tok_1",
    workflow: { id: "wfl_1", organizationId, autoCredentials, simulated, ...off },
  };
  const intent = {
    transactionId: "trx_1",
    kind: "data",
    organizationId,
    workflowId: "wfl_1",
    tokenId: "tok_1",
    context: "dev",
    region: "test",
    simulated,
    functionId: null,
    startedWallAt: 0,
  } as const;
  const record = changes.record ?? { intend: () => {}, noteOrder: () => {}, close: () => {} };
  return new OpenRun(intent, record, {
    kind: "data",
    caller,
    context: "dev",
    arrivedAt,
    functionId: null,
    held: changes.held ?? heldWithoutLimit(),
  });
}

/** What the outbound client does just before it sends. */
export function beginAttempt(call: PlannedCall, clock: Clock): Attempt {
  const billing = { free: false, model: "per_call", listPrice: null } as const;
  const planned = call.planAttempt(
    { origin: "https://api.acme.example", method: "GET", billing, reserved: null, spanId: undefined },
    clock,
  );
  planned.run.intend([planned.intent]);
  return planned.begin();
}

/** A call of such a run, ten seconds before its deadline. */
export function makeCall(changes: Partial<CallPlan> = {}): Call {
  const run = changes.run ?? makeRun();
  const startedAt = changes.startedAt ?? run.arrivedAt;
  return new Call({
    id: "acme__people",
    ordinal: 0,
    entry: {},
    rawInputs: {},
    deadlineAt: startedAt + 10_000,
    ...changes,
    run,
    startedAt,
  });
}
