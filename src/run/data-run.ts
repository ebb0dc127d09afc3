import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { ANSWER_BYTES_MAX, statusText, toEnvelope, type EnvelopeEntry } from "./envelope.ts";
import { fanOut, reportCall, type Outcome } from "./fan-out.ts";
import { createMisspelledInputReporter, type DeclaredInputs } from "./misspelled-inputs.ts";
import { planSource, type PlannedSource } from "./call.ts";
import { findSource, type RefusedVersion } from "./find-version.ts";
import type { CallReport, Run, RunnableSource } from "./ports.ts";
import { startRun, type EngineParts, type RunRequest, type StartedRun } from "./active-run.ts";

/**
 * Creates the function that runs `POST /data`. It throws only a `request.*` fault, and only before any vendor is called.
 */
export function createDataRun(parts: EngineParts): (request: RunRequest) => StartedRun {
  const { clock, runSource, observers } = parts;
  const reportMisspelledInputs = createMisspelledInputReporter(observers);

  return function runData(request) {
    const { sources, inputs } = request;
    const config = { ...request.config, context: request.context };
    const kind = { kind: "data", functionId: null, functionVersion: null, config, ids: Object.keys(sources) } as const;
    return startRun(request, kind, parts, async ({ run, configText: echoed, frameBytes: frame }) => {
      const plan = planSources(run, sources, inputs, parts);
      const outcomes = await fanOut(plan, runSource, clock, ANSWER_BYTES_MAX - frame);
      const calls = outcomes.map(reportCall);
      return {
        calls,
        answer: toEnvelope(run.intent.transactionId, echoed, toEntries(run, outcomes, calls)),
        afterwards: () => reportMisspelledInputs(run.intent.transactionId, plan.flatMap(declaredInputsOf), inputs),
      };
    });
  };
}

/** One planned call for every key of `config.sources`, in the order of the request. */
function planSources(
  run: Run,
  sources: JsonObject,
  inputs: JsonObject,
  parts: EngineParts,
): (PlannedSource | Promise<PlannedSource>)[] {
  const startedAt = parts.clock.now();
  const plan = (id: string, ordinal: number, source: RunnableSource | RefusedVersion | undefined) =>
    planSource(run, { id, ordinal, entry: sources[id], inputs, source, startedAt, from: run.arrivedAt });
  return Object.keys(sources).map((id, ordinal) => {
    const source = findSource(run, id, parts);
    return source instanceof Promise ? source.then((found) => plan(id, ordinal, found)) : plan(id, ordinal, source);
  });
}

const NO_NAMES: readonly string[] = [];
const NOTHING: readonly DeclaredInputs[] = [];

/** Nothing of a source whose version was being loaded: its names are those of a later run. */
function declaredInputsOf(planned: PlannedSource | Promise<PlannedSource>): DeclaredInputs | readonly DeclaredInputs[] {
  if (planned instanceof Promise) return NOTHING;
  return { id: planned.call.id, inputNames: planned.source?.inputNames ?? NO_NAMES };
}

function toEntries(run: Run, outcomes: readonly Outcome[], calls: readonly CallReport[]): EnvelopeEntry[] {
  const options = { failureDetails: run.caller.workflow.failureDetails };
  return outcomes.map((outcome, index) => ({
    id: outcome.call.id,
    output: outcome.result instanceof Fault ? "{}" : outcome.result.json,
    status: statusText(outcome, calls[index]!.charged, options),
  }));
}
