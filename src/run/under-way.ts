import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import { newId } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Trace } from "../terms/trace.ts";
import type { Admission } from "./admission.ts";
import { echoConfig, holdFrame, lengthOf, seal, toKept, type EnvelopeParts } from "./envelope.ts";
import type {
  AttemptIntent,
  CallReport,
  Ledger,
  Run,
  RunIntent,
  RunObserver,
  RunRecord,
  RunReport,
  RunSource,
  SourceCatalog,
} from "./ports.ts";

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

/** What both POSTs ask: a valid request, from an authenticated caller. */
export interface RunRequest {
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

/** How one kind of run tells itself from the other. */
export interface RunKind {
  readonly kind: "data" | "func";
  readonly functionId: string | null;
  /** The `config` that is echoed, but for what the workflow has to say of it. */
  readonly config: JsonObject;
  /** The entries that its answer will have. */
  readonly ids: readonly string[];
}

/** What the work of a run is done with. */
export interface UnderWay {
  readonly run: Run;
  /** The `config` of its answer, and its JSON text, which nothing that its sources do can change. */
  readonly config: JsonObject;
  readonly echoed: string | Buffer;
  /** The room that is kept for its answer already, in bytes. */
  readonly frame: number;
}

/** What came of the work. */
export interface RunResult {
  readonly calls: readonly CallReport[];
  /** As in a report: `undefined` where no function could run. */
  readonly functionFault?: FaultCode | null;
  /** The answer but for its time, which is known when the ledger has the run. */
  readonly answer: EnvelopeParts;
  /** Done in a turn of its own when the answer is out: nobody waits for it. */
  readonly afterwards?: () => void;
}

/** A run under way: its answer, and the way to say that nobody waits for it any more. */
export interface StartedRun {
  /** Its bytes, piece by piece. */
  readonly answer: Promise<readonly Buffer[]>;
  /** Nothing new is sent from now on; calls that were sent finish and are recorded, since they are paid for. */
  clientGone(): void;
}

/**
 * The life of a run, whatever its work is: let in, room kept for its answer, its record opened; then the work; then told to
 * who observes, recorded, sealed. It throws a `request.*` fault before anything is called, or not at all.
 */
export function underWay(
  request: RunRequest,
  kind: RunKind,
  parts: EngineParts,
  work: (under: UnderWay) => Promise<RunResult>,
): StartedRun {
  const { caller, held } = request;
  const { admission } = parts;
  admission.enter(caller.organizationId);
  try {
    const config = echoConfig(kind.config, caller);
    // Written now: whatever the sources of the run do, this is what it was asked.
    const echoed = toKept(JSON.stringify(config));
    const frame = holdFrame(held, caller, echoed, kind.ids);
    const run = openRun({ ...request, kind: kind.kind, functionId: kind.functionId }, parts);
    const answer = work({ run, config, echoed, frame })
      .then((result) => conclude(run, result, parts))
      .finally(() => admission.leave(caller.organizationId));
    return { answer, clientGone: () => run.clientGone() };
  } catch (fault) {
    admission.leave(caller.organizationId);
    throw fault;
  }
}

async function conclude(
  run: OpenRun,
  result: RunResult,
  { observers, clock }: EngineParts,
): Promise<readonly Buffer[]> {
  const tookMs = () => Math.round(clock.now() - run.arrivedAt);
  const report = reportRun(run, result, tookMs());
  for (const observer of observers) observer.runEnded(report);
  await run.record.close(report);
  if (result.afterwards !== undefined) setImmediate(result.afterwards);
  const pieces = seal(result.answer, tookMs());
  run.held.keepOnly(lengthOf(pieces));
  return pieces;
}

function reportRun(run: Run, { calls, functionFault }: RunResult, tookMs: number): RunReport {
  const trace = run.trace === null ? {} : { traceId: run.trace.traceId };
  const report = { ...run.intent, ...trace, tookMs, clientGone: !run.maySend, calls };
  return functionFault === undefined ? report : { ...report, functionFault };
}

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

  intend(intents: readonly AttemptIntent[]): void {
    try {
      this.record.intend(...intents);
    } catch (cause) {
      throw new Fault("source.unrecorded", {}, { cause });
    }
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
