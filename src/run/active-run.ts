import { type CheckSteps, RUN_CHECK_STEPS_MAX } from "../terms/schema/author-schemas.ts";
import type { MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import { newId } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Trace } from "../terms/trace.ts";
import type { Admission } from "./admission.ts";
import { settleReservations } from "./fan-out.ts";
import { echoConfig, reserveFrame, lengthOf, completeAnswer, toStoredForm, type EnvelopeParts } from "./envelope.ts";
import type {
  AttemptIntent,
  CallReport,
  Ledger,
  Run,
  PendingIntents,
  RunIntent,
  RunObserver,
  RunRecord,
  RunReport,
  RunSource,
  SourceCatalog,
  VersionLoader,
} from "./ports.ts";

export interface EngineParts {
  readonly catalog: SourceCatalog;
  /** Loads the versions that workflows name. Without it they are refused. */
  readonly versions?: VersionLoader | undefined;
  /** Makes a source call with all its middleware. */
  readonly runSource: RunSource;
  readonly ledger: Ledger;
  readonly observers: readonly RunObserver[];
  readonly admission: Admission;
  readonly clock: Clock;
  readonly region: string;
  /** The id of this start of the service. */
  readonly startId?: string | undefined;
  /** See `RunIntent`. */
  readonly build?: string | null;
}

/** A valid POST from an authenticated caller. */
export interface RunRequest {
  readonly caller: Caller;
  readonly context: Context;
  readonly config: JsonObject;
  readonly sources: JsonObject;
  readonly inputs: JsonObject;
  /** The caller's own id for the request. */
  readonly clientRequestId?: string | null;
  readonly trace?: Trace | null;
  /** The reservation for the memory of its body, which the run continues to use. */
  readonly memory: MemoryReservation;
  readonly arrivedAt: number;
}

/** The differences between the two kinds of run. */
export interface RunVariant {
  readonly kind: "data" | "func";
  readonly functionId: string | null;
  /** The digest of the function that runs. */
  readonly functionVersion: string | null;
  /** Given if the id of the run decides the version of its function. */
  readonly identity?: RunIdentity | undefined;
  /** The `config` that is echoed, without the additions of the workflow. */
  readonly config: JsonObject;
  /** The ids of the entries that its answer will have. */
  readonly ids: readonly string[];
}

/** The id of a run, made from the time of its start. */
export interface RunIdentity {
  readonly transactionId: string;
  readonly startedWallAt: number;
}

export function newRunIdentity(clock: Clock): RunIdentity {
  const startedWallAt = clock.wall();
  return { transactionId: newId("transaction", startedWallAt), startedWallAt };
}

/** The context in which a run does its work. */
export interface RunContext {
  readonly run: Run;
  /** The `config` of its answer, and its JSON text, which the sources of the run cannot change. */
  readonly config: JsonObject;
  readonly configText: string | Buffer;
  /** The bytes of memory that are reserved for its answer already. */
  readonly frameBytes: number;
}

/** The result of the work. */
export interface RunResult {
  readonly calls: readonly CallReport[];
  /** As in a report: `undefined` if no function could run. */
  readonly functionFault?: FaultCode | null;
  /** The answer without its total time, which is known only after the ledger has recorded the run. */
  readonly answer: EnvelopeParts;
  /** Called in a later tick of the event loop, after the answer was sent, and also if the run could not be recorded. */
  readonly afterwards?: () => void;
}

/** A run in progress: its answer, and a way to report that its client is gone. */
export interface StartedRun {
  readonly transactionId: string;
  /** The bytes of the answer, in pieces. */
  readonly answer: Promise<readonly Buffer[]>;
  /**
   * Called when the client hangs up. Nothing new is sent; requests that were sent are finished and recorded: they may be
   * billed.
   */
  clientGone(): void;
}

/**
 * The life cycle of every run: it is admitted, memory for its answer is reserved and its record is opened; the work is
 * done; the run is reported to the observers, recorded, and its answer is completed. It throws only a `request.*` fault,
 * and only before any call.
 */
export function startRun(
  request: RunRequest,
  kind: RunVariant,
  parts: EngineParts,
  work: (runContext: RunContext) => Promise<RunResult>,
): StartedRun {
  const { caller, memory } = request;
  const { admission } = parts;
  const { organizationId } = caller;
  const { simulated } = caller.workflow;
  admission.enter(organizationId, simulated);
  try {
    const config = echoConfig(kind.config, caller);
    // Serialised now, because the sources of the run could change the object.
    const echoed = toStoredForm(JSON.stringify(config));
    const frame = reserveFrame(memory, caller, echoed, kind.ids);
    const { kind: of, functionId, functionVersion, identity } = kind;
    const run = openRun({ ...request, kind: of, functionId, functionVersion, identity }, parts);
    for (const observer of parts.observers) observer.runStarted?.(run.intent, request);
    const working = work({ run, config, configText: echoed, frameBytes: frame });
    const { transactionId } = run.intent;
    return { transactionId, answer: completeRun(run, working, parts), clientGone: () => run.clientGone() };
  } catch (fault) {
    admission.leave(organizationId, simulated);
    throw fault;
  }
}

async function completeRun(
  run: OpenRun,
  working: Promise<RunResult>,
  { admission, observers, clock }: EngineParts,
): Promise<readonly Buffer[]> {
  const tookMs = () => Math.round(clock.now() - run.arrivedAt);
  try {
    const result = await working;
    try {
      const report = reportRun(run, result, tookMs());
      for (const observer of observers) observer.runEnded(report);
      await run.record.close(report);
      settleReservations(report.calls);
    } finally {
      if (result.afterwards !== undefined) setImmediate(result.afterwards);
    }
    const pieces = completeAnswer(result.answer, tookMs());
    run.memory.shrinkTo(lengthOf(pieces));
    return pieces;
  } finally {
    admission.leave(run.caller.organizationId, run.caller.workflow.simulated);
  }
}

function reportRun(run: Run, { calls, functionFault }: RunResult, tookMs: number): RunReport {
  const report = { ...run.intent, tookMs, clientGone: !run.maySend, calls };
  return functionFault === undefined ? report : { ...report, functionFault };
}

/** What a run is opened with; a new identity by default. */
export interface RunOpening
  extends
    Pick<RunRequest, "caller" | "context" | "arrivedAt" | "clientRequestId" | "trace" | "memory">,
    Pick<RunVariant, "kind" | "functionId" | "functionVersion" | "identity"> {}

function orUnrecorded<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    throw new Fault("source.unrecorded", {}, { cause });
  }
}

/** A run. It changes in one way only: when its client hangs up. */
export class OpenRun implements Run {
  readonly intent: RunIntent;
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly record: RunRecord;
  readonly memory: MemoryReservation;
  readonly checkSteps: CheckSteps = { left: RUN_CHECK_STEPS_MAX };
  #maySend = true;

  constructor(intent: RunIntent, record: RunRecord, { caller, arrivedAt, memory }: RunOpening) {
    this.intent = intent;
    this.caller = caller;
    this.arrivedAt = arrivedAt;
    this.record = record;
    this.memory = memory;
  }

  get maySend(): boolean {
    return this.#maySend;
  }

  intend(intents: readonly AttemptIntent[]): PendingIntents {
    const pending = orUnrecorded(() => this.record.intend(...intents));
    return { record: () => orUnrecorded(() => pending.record()) };
  }

  clientGone(): void {
    this.#maySend = false;
  }
}

/** Gives a run its id and opens its record. @throws Fault if nothing can be recorded: no vendor may be called then */
export function openRun(
  opening: RunOpening,
  parts: Pick<EngineParts, "ledger" | "clock" | "region" | "startId" | "build">,
): OpenRun {
  const { caller } = opening;
  const { transactionId, startedWallAt } = opening.identity ?? newRunIdentity(parts.clock);
  const intent: RunIntent = {
    transactionId,
    kind: opening.kind,
    organizationId: caller.organizationId,
    workflowId: caller.workflow.id,
    tokenId: caller.tokenId,
    context: opening.context,
    region: parts.region,
    simulated: caller.workflow.simulated,
    functionId: opening.functionId,
    functionVersion: opening.functionVersion,
    build: parts.build ?? null,
    clientRequestId: opening.clientRequestId ?? null,
    trace: opening.trace ?? null,
    startedWallAt,
    startId: parts.startId,
  };
  return new OpenRun(intent, parts.ledger.open(intent), opening);
}
