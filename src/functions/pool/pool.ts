import type { FunctionHost } from "../../run/ports.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Bundle } from "../bundled.ts";
import { availableBytes, functionCapacity } from "./capacity.ts";
import type { PoolStats } from "./function-process.ts";
import { Supervisor, type SupervisorOptions } from "./supervisor.ts";
import type { ChildRunKind } from "./messages.ts";
import { WAITING_PER_ORGANIZATION } from "./schedule.ts";
import type { FunctionsLog } from "../ports.ts";
import { isolateKey, Running, type PoolJob } from "./running.ts";
import { settledWithin } from "../../terms/time/within.ts";

export interface PoolOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  /** The code that runs before every function, from `bundlePrelude`. */
  readonly prelude: Promise<string>;
  /** The most processes that serve organizations at once. Default: as many as the memory is enough for. */
  readonly processes?: number;
  /** Whether a process is ready in advance for the next organization. Default: yes. */
  readonly spare?: boolean;
  /** Starts no process before the first run or call of `ready`. */
  readonly startsOnUse?: boolean;
  /**
   * The most simultaneous runs in one process; further ones wait until their deadline. Default: as many as the
   * process's memory is enough for.
   */
  readonly runsPerProcess?: number;
  /** The most waiting runs of one organization. Default: 256. */
  readonly waitingPerOrganization?: number;
  /** Time limit for evaluating a file that is being loaded. Default: 20 s. */
  readonly evaluateWithinMs?: number;
  /**
   * The resident memory in MiB above which a process for functions of 64 MB is killed. Default: its share of the
   * memory.
   */
  readonly memoryMb?: number;
}

export interface Pool {
  run(job: PoolJob, host: FunctionHost): Promise<string | null>;
  /** Evaluates a bundle in its own isolate and returns its declaration as JSON. */
  describe(bundle: Bundle): Promise<string>;
  /** Rejects if a bundle cannot be evaluated. */
  check(bundle: Bundle): Promise<void>;
  /** Runs the contract compiler on one declaration, within the same limits, and returns its answer. */
  compile(compiler: Bundle, argument: string): Promise<string>;
  forgetBundle(hash: string): void;
  stats(): PoolStats;
  /** Ends all processes without runs; the next run starts new ones. */
  endIdleProcesses(): void;
  /** Resolves when a process is ready to run functions, or when a reason is known why none can be started. */
  ready(): Promise<void>;
  /** Starts a process, so that `problem` knows whether one can be started, and resolves then. */
  verify(): Promise<void>;
  /** Why no run can be started now; `null` if one can, or no reason is known. */
  problem(): string | null;
  close(): Promise<void>;
}

/** A correct file takes a fraction of a second, but many times that when several services start on one busy machine. */
const EVALUATE_WITHIN_MS = 20_000;
/** Time limit for the start of the first process, which takes seconds on a busy machine. */
const START_WITHIN_MS = 30_000;
const EVALUATE_MEMORY_MB = 128;

/** Runs functions in supervised processes. */
export function createPool(options: PoolOptions): Pool {
  const { clock, log } = options;
  const capacity = functionCapacity(availableBytes(), options.processes);
  const settings: SupervisorOptions = {
    clock,
    log,
    prelude: options.prelude,
    processes: capacity.processes,
    memoryMb: options.memoryMb ?? capacity.memoryMb,
    runsPerProcess: options.runsPerProcess ?? capacity.runsPerProcess,
    spare: options.spare ?? true,
    startsOnUse: options.startsOnUse ?? false,
    waitingPerOrganization: options.waitingPerOrganization ?? WAITING_PER_ORGANIZATION,
  };
  const supervisor = new Supervisor(settings);
  let lastId = 0;
  // One compilation at a time, because the compiler takes more memory than functions do.
  let compiling: Promise<unknown> = Promise.resolve();

  async function run(job: PoolJob, host: FunctionHost): Promise<string | null> {
    const running = new Running((lastId += 1), job, host);
    const stopDeadline = clock.after(Math.max(0, job.deadlineAt - clock.now()), () => {
      const neverStarted = supervisor.isWaitingShadow(running);
      running.fail(new Fault(neverStarted ? "function.overloaded" : "function.timeout", { afterMs: job.timeoutMs }));
      supervisor.end(running);
    });
    supervisor.start(running);
    try {
      return await running.ended;
    } finally {
      stopDeadline();
    }
  }

  async function evaluate(what: ChildRunKind, bundle: Bundle, argument = "{}"): Promise<string | null> {
    // The start of a process does not count against the file's time limit.
    await settledWithin(clock, START_WITHIN_MS, supervisor.ready());
    const isolate = isolateKey("", bundle.hash);
    const timeoutMs = options.evaluateWithinMs ?? EVALUATE_WITHIN_MS;
    const deadlineAt = clock.now() + timeoutMs;
    return run(
      {
        what,
        bundle,
        organizationId: "",
        isolate,
        memoryMb: EVALUATE_MEMORY_MB,
        argument,
        deadlineAt,
        timeoutMs,
      },
      NO_HOST,
    );
  }

  return {
    run,
    describe: async (bundle) => (await evaluate("describe", bundle)) ?? "{}",
    check: async (bundle) => void (await evaluate("check", bundle)),
    compile: (compiler, argument) => {
      const compiled = compiling.then(async () => (await evaluate("compile", compiler, argument)) ?? "{}");
      compiling = compiled.catch(() => {});
      return compiled;
    },
    forgetBundle: (hash) => supervisor.forgetBundle(hash),
    stats: () => supervisor.stats(),
    endIdleProcesses: () => supervisor.endIdleProcesses(),
    ready: () => supervisor.ready(),
    verify: async () => void (await settledWithin(clock, START_WITHIN_MS, supervisor.verify())),
    problem: () => supervisor.problem(),
    close: () => supervisor.close(),
  };
}

/** The host while a file is loaded: it never answers calls. */
const NO_HOST: FunctionHost = {
  runSource: () => new Promise(() => {}),
  pipe: () => {},
  reserveBytes: () => true,
  log: () => {},
};
