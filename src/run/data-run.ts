import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Trace } from "../terms/trace.ts";
import type { Admission } from "./admission.ts";
import { ANSWER_BYTES_MAX, echoConfig, holdFrame, seal, toEnvelope, type EnvelopeEntry } from "./envelope.ts";
import { fanOut, type Outcome } from "./fan-out.ts";
import { toKept } from "./keep-output.ts";
import { nearMisses } from "./near-misses.ts";
import { openRun } from "./open-run.ts";
import { planSources, type Planned } from "./plan.ts";
import type { CallReport, Ledger, Run, RunObserver, RunSource, SourceCatalog } from "./ports.ts";
import { reportCall, reportRun } from "./report.ts";
import { statusText } from "./status.ts";

export interface EngineParts {
  readonly catalog: SourceCatalog;
  /** The whole stack around a source call. */
  readonly runSource: RunSource;
  readonly ledger: Ledger;
  readonly observers: readonly RunObserver[];
  readonly admission: Admission;
  readonly clock: Clock;
  readonly region: string;
}

/** A valid `POST /data`, from an authenticated caller. */
export interface DataRequest {
  readonly caller: Caller;
  readonly context: Context;
  readonly config: JsonObject;
  readonly sources: JsonObject;
  readonly inputs: JsonObject;
  readonly trace?: Trace | null;
  /** What its body holds in memory already; the run goes on with it. */
  readonly held: Held;
  readonly arrivedAt: number;
}

/** A run under way: its answer, and the way to say that nobody waits for it any more. */
export interface StartedRun {
  readonly answer: Promise<Buffer>;
  /** Nothing new is sent from now on; calls that were sent finish and are recorded, since they are paid for. */
  clientGone(): void;
}

/** Makes the function that runs `POST /data`. It throws a `request.*` fault before any vendor is called, or not at all. */
export function createDataRun(parts: EngineParts): (request: DataRequest) => StartedRun {
  const { admission, clock, catalog, runSource, observers } = parts;

  return function runData(request) {
    admission.enter(request.caller.organizationId);
    try {
      const config = toKept(JSON.stringify(echoConfig(request.config, request.caller, { context: request.context })));
      const frame = holdFrame(request.held, request.caller, config, Object.keys(request.sources));
      const { run, intent } = openRun({ kind: "data", functionId: null, ...request }, parts);
      const plan = planSources(run, request.sources, request.inputs, catalog, clock);
      const answer = fanOut(plan, runSource, clock, ANSWER_BYTES_MAX - frame)
        .then(async (outcomes) => {
          const calls = outcomes.map(reportCall);
          const report = reportRun(intent, run, calls, Math.round(clock.now() - run.arrivedAt));
          for (const observer of observers) observer.runEnded(report);
          const envelope = toEnvelope(run.transactionId, config, toEntries(run, outcomes, calls));
          await run.record.close(report);
          setImmediate(() => noteNearMisses(run, plan, request.inputs));
          const bytes = seal(envelope, Math.round(clock.now() - run.arrivedAt));
          run.held.keepOnly(bytes.length);
          return bytes;
        })
        .finally(() => admission.leave(request.caller.organizationId));
      return { answer, clientGone: () => void (run.maySend = false) };
    } catch (fault) {
      admission.leave(request.caller.organizationId);
      throw fault;
    }
  };

  /** In a turn of its own, when the answer has been written: nobody waits for a line in the log. */
  function noteNearMisses(run: Run, plan: readonly Planned[], inputs: JsonObject): void {
    const found = nearMisses(plan, inputs);
    if (found.length > 0) for (const observer of observers) observer.inputsDropped?.(run.transactionId, found);
  }
}

function toEntries(run: Run, outcomes: readonly Outcome[], calls: readonly CallReport[]): EnvelopeEntry[] {
  const options = { failureDetails: run.caller.workflow.failureDetails };
  return outcomes.map((outcome, index) => ({
    id: outcome.call.id,
    output: outcome.result instanceof Fault ? "{}" : outcome.result.json,
    status: statusText(outcome, calls[index]!.charged, options),
  }));
}
