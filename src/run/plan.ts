import type { Clock } from "../terms/clock.ts";
import { isJsonObject, type JsonObject } from "../terms/json.ts";
import { Call } from "./call.ts";
import type { PlannedCall, Run, RunnableSource, SourceCatalog, SourceEntry } from "./ports.ts";
import { CALL_MS_MAX } from "../terms/times.ts";

/** A call and what it is a call of: nothing, when the requested identifier is of no source. */
export interface Planned {
  readonly call: PlannedCall;
  readonly source: RunnableSource | undefined;
}

const NO_FIELDS: SourceEntry = Object.freeze({});

/** One planned call for every key of `config.sources`, in the order they were sent. */
export function planSources(
  run: Run,
  sources: JsonObject,
  inputs: JsonObject,
  catalog: SourceCatalog,
  clock: Clock,
): Planned[] {
  const startedAt = clock.now();
  return Object.keys(sources).map((id, ordinal) => {
    const source = catalog.find(id);
    return {
      source,
      call: planCall(run, { id, ordinal, entry: sources[id], inputs, source, startedAt, from: run.arrivedAt }),
    };
  });
}

interface CallToPlan {
  readonly id: string;
  readonly ordinal: number;
  readonly entry: unknown;
  readonly inputs: JsonObject;
  readonly source: RunnableSource | undefined;
  readonly startedAt: number;
  /** What the source's own time counts from. */
  readonly from: number;
  /** What the call may not outlast, whatever the source allows itself. */
  readonly notPast?: number;
}

export function planCall(run: Run, plan: CallToPlan): Call {
  const ownDeadline = plan.from + (plan.source?.timeoutMs ?? CALL_MS_MAX);
  return new Call({
    run,
    id: plan.id,
    ordinal: plan.ordinal,
    entry: isJsonObject(plan.entry) ? plan.entry : NO_FIELDS,
    rawInputs: plan.inputs,
    deadlineAt: plan.notPast === undefined ? ownDeadline : Math.min(ownDeadline, plan.notPast),
    startedAt: plan.startedAt,
  });
}
