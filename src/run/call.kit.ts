import { PLAIN_WORKFLOW } from "../terms/caller.ts";
import { unlimitedMemory } from "../terms/concurrency/byte-budget.ts";
import { type Clock, systemClock } from "../terms/time/clock.ts";
import { Call } from "./call.ts";
import { OpenRun } from "./active-run.ts";
import { NO_RECORD } from "./not-recorded.ts";
import type { Attempt, CallPlan, PlannedCall, Run } from "./ports.ts";

export interface RunChanges extends Partial<Pick<Run, "memory" | "record" | "arrivedAt">> {
  readonly organizationId?: string;
  readonly tokenId?: string;
  readonly autoCredentials?: boolean;
  readonly simulated?: boolean;
}

/** A run without the request of a client. */
export function makeRun(changes: RunChanges = {}): OpenRun {
  const { organizationId = "org_1", tokenId = "tok_1", autoCredentials = false, simulated = false } = changes;
  const arrivedAt = changes.arrivedAt ?? systemClock.now();
  const caller = {
    organizationId,
    tokenId,
    workflow: { ...PLAIN_WORKFLOW, id: "wfl_1", organizationId, autoCredentials, simulated },
  };
  const intent = {
    transactionId: "trx_1",
    kind: "data",
    organizationId,
    workflowId: "wfl_1",
    tokenId,
    context: "dev",
    region: "test",
    simulated,
    functionId: null,
    functionVersion: null,
    build: null,
    clientRequestId: null,
    trace: null,
    startedWallAt: 0,
  } as const;
  const record = changes.record ?? NO_RECORD;
  return new OpenRun(intent, record, {
    kind: "data",
    caller,
    context: "dev",
    arrivedAt,
    functionId: null,
    functionVersion: null,
    memory: changes.memory ?? unlimitedMemory(),
  });
}

/** Begins an attempt as the outbound client does just before it sends. */
export function beginAttempt(call: PlannedCall, clock: Clock): Attempt {
  const billing = { free: false, model: "per_call", listPrice: null } as const;
  const planned = call.planAttempt(
    { origin: "https://api.acme.example", method: "GET", billing, reserved: null, spanId: undefined },
    clock,
  );
  planned.run.intend([planned.intent]).record();
  return planned.begin();
}

/** A call, ten seconds before its deadline. */
export function makeCall(changes: Partial<CallPlan> = {}): Call {
  const run = changes.run ?? makeRun();
  const startedAt = changes.startedAt ?? run.arrivedAt;
  return new Call({
    id: "acme__people",
    sourceVersion: null,
    ordinal: 0,
    entry: {},
    rawInputs: {},
    deadlineAt: startedAt + 10_000,
    ...changes,
    run,
    startedAt,
  });
}
