import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { newId } from "../terms/ids.ts";
import type { Trace } from "../terms/trace.ts";
import type { Ledger, Run, RunIntent, RunRecord } from "./ports.ts";

export interface RunOpening {
  readonly kind: "data" | "func";
  readonly caller: Caller;
  readonly context: Context;
  readonly arrivedAt: number;
  readonly functionId: string | null;
  readonly trace?: Trace | null;
  readonly held: Held;
  /** A new one where it has none yet. */
  readonly transactionId?: string;
}

/** A run, and the one way in which it changes: that its client has gone. */
export class OpenRun implements Run {
  readonly intent: RunIntent;
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly record: RunRecord;
  readonly held: Held;
  readonly trace: Trace | null;
  #maySend = true;

  constructor(intent: RunIntent, record: RunRecord, { caller, arrivedAt, held, trace }: RunOpening) {
    this.intent = intent;
    this.caller = caller;
    this.arrivedAt = arrivedAt;
    this.record = record;
    this.held = held;
    this.trace = trace ?? null;
  }

  get maySend(): boolean {
    return this.#maySend;
  }

  clientGone(): void {
    this.#maySend = false;
  }
}

/** Gives a run its id and opens its record. @throws Fault when nothing can be recorded: then nothing is called either. */
export function openRun(opening: RunOpening, parts: { ledger: Ledger; clock: Clock; region: string }): OpenRun {
  const startedWallAt = parts.clock.wall();
  const { caller } = opening;
  const intent: RunIntent = {
    transactionId: opening.transactionId ?? newId("transaction", startedWallAt),
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
  return new OpenRun(intent, parts.ledger.open(intent), opening);
}
