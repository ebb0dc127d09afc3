import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { asFault, Fault, type FaultCode } from "../terms/fault.ts";
import { compareResults } from "./compare-results.ts";
import { isChosen } from "./find-version.ts";
import { LATE_REPLY } from "./function-host.ts";
import { readFunctionResult, type FunctionResult } from "./function-result.ts";
import type {
  FunctionCatalog,
  FunctionHost,
  FunctionJob,
  Run,
  RunnableFunction,
  ShadowDrop,
  ShadowResults,
  SourceCatalog,
  VersionLoader,
} from "./ports.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The most memory for one shadow run: its argument, the outcomes of the run's calls, and both results. */
const BYTES_MAX = 8 * 1024 * 1024;
/** The share of all memory that shadow runs may use. Real runs must not lack it. */
const MEMORY_SHARE = 1 / 8;
/** The most fields that are compared apart. */
const FIELDS_MAX = 200;

/** Ends that tell nothing about the function, because the service itself could not run it to its end. */
const DROPPED: Partial<Record<FaultCode, ShadowDrop>> = {
  "function.overloaded": "busy",
  "function.unavailable": "busy",
  "function.process_memory": "busy",
  "function.no_room": "memory",
  "function.collect": "busy",
};

export interface ShadowParts {
  readonly functions: FunctionCatalog;
  readonly versions?: VersionLoader | undefined;
  readonly clock: Clock;
  readonly memory: ByteBudget;
  readonly results: ShadowResults;
}

export interface Shadows {
  /** @param sources has the versions of sources that the run uses */
  begin(run: Run, found: RunnableFunction, sources: SourceCatalog): SampledRun | null;
  /** Drops shadow runs that have not ended. */
  stop(): void;
}

/** A run that has a shadow run after its answer. `compare` must be called, because memory is kept until then. */
export interface SampledRun {
  /** The function of the run, which keeps what the shadow run needs. */
  readonly watched: RunnableFunction;
  /** Runs the candidate and compares its result. Call it after the answer was sent. Never rejects. */
  compare(result: FunctionResult | Fault): Promise<void>;
}

/**
 * Starts shadow runs: the candidate that the workflow names for a function runs on the recorded outcomes of the run's
 * calls, with free capacity only. It has no access to vendors, and nothing of it is kept except verdicts.
 */
export function createShadows(parts: ShadowParts): Shadows {
  const { functions, versions, clock, results, memory } = parts;
  const ownMemory = new ByteBudget(memory.bytesMax * MEMORY_SHARE);
  let isStopping = false;

  function begin(run: Run, found: RunnableFunction, sources: SourceCatalog): SampledRun | null {
    const named = run.caller.workflow.versions?.shadow;
    const share = named !== undefined && Object.hasOwn(named, found.id) ? named[found.id]! : null;
    if (share === null || share.version === found.version || isStopping) return null;
    const { transactionId, organizationId, workflowId, simulated } = run.intent;
    // Another hash than that of a canary, so that both choices are independent.
    if (!isChosen(share.percent, `shadow/${found.id}`, transactionId)) return null;
    const ofShadows = ownMemory.open(organizationId, BYTES_MAX);
    const calls = new RecordedCalls(memory.open(organizationId), ofShadows, sources);
    const { id: functionId, outputNames } = found;
    let argument = "";

    function watch(job: FunctionJob, host: FunctionHost): Promise<string | null> {
      if (calls.reserve(Buffer.byteLength(job.argument))) argument = job.argument;
      return found.run(job, calls.record(host));
    }

    async function runCandidate(candidate: RunnableFunction) {
      let unrecorded = 0;
      const host: FunctionHost = {
        runSource: (source, inputsJson) => {
          const json = calls.take(source, inputsJson);
          if (json === null) unrecorded += 1;
          return Promise.resolve({ json: json ?? LATE_REPLY, release: () => {} });
        },
        pipe: () => {},
        reserveBytes: (bytes) => calls.reserve(bytes),
        log: () => {},
      };
      const deadlineAt = clock.now() + candidate.timeoutMs;
      const job = { organizationId, simulated, transactionId, deadlineAt, argument, isShadow: true };
      const result = await candidate.run(job, host).then(readFunctionResult).catch(toFault);
      return { result, hasUnrecorded: unrecorded > 0 };
    }

    async function compare(present: FunctionResult | Fault): Promise<ShadowDrop | null> {
      calls.seal();
      const why = dropOf(present);
      if (why !== null) return why;
      if (!calls.isComplete) return "memory";
      const candidate = await load(functionId, share!.version);
      if (candidate === null) return "version";
      if (isStopping) return "stopping";
      const { result, hasUnrecorded } = await runCandidate(candidate);
      const droppedAs = isStopping ? "stopping" : dropOf(result);
      if (droppedAs !== null) return droppedAs;
      const declared = new Set([...outputNames, ...candidate.outputNames].slice(0, FIELDS_MAX));
      const verdicts = compareResults(present, result, hasUnrecorded, declared);
      results.compared({ workflowId, functionId, version: candidate.version, transactionId, ...verdicts });
      return null;
    }

    return {
      watched: { ...found, run: watch },
      compare: async (present) => {
        const why = await compare(present).catch((): ShadowDrop => "busy");
        calls.drop();
        if (why !== null) results.dropped(why);
      },
    };
  }

  async function load(id: string, version: string): Promise<RunnableFunction | null> {
    const loaded = functions.find(id);
    if (loaded === undefined || loaded.version === version) return loaded ?? null;
    try {
      return (await versions?.function(loaded, version)) ?? null;
    } catch {
      return null;
    }
  }

  return { begin, stop: () => (isStopping = true) };
}

function toFault(thrown: unknown): Fault {
  return asFault(thrown, "function.collect");
}

function dropOf(result: FunctionResult | Fault): ShadowDrop | null {
  return result instanceof Fault ? (DROPPED[result.code] ?? null) : null;
}
