import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { newId } from "../terms/ids.ts";
import type { Trace } from "../terms/trace.ts";
import type { Ledger, Run, RunIntent } from "./ports.ts";

export interface RunOpening {
  readonly kind: "data" | "func";
  readonly caller: Caller;
  readonly context: Context;
  readonly arrivedAt: number;
  readonly functionId: string | null;
  readonly trace?: Trace | null;
  readonly held: Held;
}

export interface OpenedRun {
  readonly run: Run;
  readonly intent: RunIntent;
}

/** Gives a run its id and opens its record. @throws Fault when nothing can be recorded: then nothing is called either. */
export function openRun(opening: RunOpening, parts: { ledger: Ledger; clock: Clock; region: string }): OpenedRun {
  const startedWallAt = parts.clock.wall();
  const { caller } = opening;
  const intent: RunIntent = {
    transactionId: newId("transaction", startedWallAt),
    kind: opening.kind,
    organizationId: caller.organizationId,
    workflowId: caller.workflow.id,
    tokenId: caller.tokenId,
    context: opening.context,
    region: parts.region,
    simulated: caller.workflow.simulated,
    functionId: opening.functionId,
    startedWallAt,
  };
  const run: Run = {
    transactionId: intent.transactionId,
    kind: opening.kind,
    caller,
    context: opening.context,
    region: parts.region,
    arrivedAt: opening.arrivedAt,
    startedWallAt,
    simulated: intent.simulated,
    record: parts.ledger.open(intent),
    held: opening.held,
    maySend: true,
    trace: opening.trace ?? null,
  };
  return { run, intent };
}
