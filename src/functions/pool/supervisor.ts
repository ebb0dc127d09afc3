import type { Clock } from "../../terms/time/clock.ts";
import { printable } from "../../terms/text/printable.ts";
import { Fault, type FunctionFaultCode } from "../../terms/fault.ts";
import { whenSilent } from "../../terms/time/when-silent.ts";
import type { FunctionCapacity } from "./capacity.ts";
import { Fleet } from "./fleet.ts";
import { type FunctionProcess, isOpen, type PoolStats, statsOf } from "./function-process.ts";
import { isCrowded, MemoryLimit } from "./memory-limit.ts";
import type { FromChild } from "./messages.ts";
import type { FunctionsLog } from "../ports.ts";
import type { Running } from "./running.ts";
import { Schedule } from "./schedule.ts";
import { ShadowQueue } from "./shadow-queue.ts";

export interface SupervisorOptions extends FunctionCapacity {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly prelude: Promise<string>;
  readonly spare: boolean;
  readonly startsOnUse: boolean;
  readonly waitingPerOrganization: number;
}

/**
 * A process reports within some 300 ms whether a run's thread is stuck. After this time without a report, it is killed.
 */
const END_WITHIN_MS = 5_000;
/** How long a process waits for further runs of its organization while no other organization waits. */
const IDLE_MS = 60_000;
const CHECK_IDLE_EVERY_MS = 10_000;
/** While runs wait, the time of a process may be over without any other event. */
const SERVE_AGAIN_MS = 100;

/**
 * Passes runs to the processes and their answers back, and ends runs and processes that do not stop. `Schedule` decides
 * where a run goes, `MemoryLimit` measures the processes, and `Fleet` owns them.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #fleet: Fleet;
  readonly #schedule: Schedule;
  readonly #shadows: ShadowQueue;
  readonly #memory: MemoryLimit;
  readonly #serveLater: () => void;
  readonly #endIdleLater: () => void;
  #closed = false;
  /** Whether no process has been needed since the start, or since `endIdleProcesses`. */
  #isDormant: boolean;
  /** Whether `verify` waits for a process. */
  #verifying = false;
  #killed = 0;
  #shadowsKilled = 0;
  #whenReady: (() => void)[] = [];

  constructor(options: SupervisorOptions) {
    const { clock } = options;
    this.#options = options;
    this.#isDormant = options.startsOnUse;
    this.#fleet = new Fleet(options, {
      sparesNeeded: () => this.#sparesNeeded(),
      ready: () => {
        this.#verifying &&= !this.#hasOpen;
        for (const notify of this.#whenReady.splice(0)) notify();
        this.#serve();
      },
      failed: () => this.#failWaiting(),
      message: (process, message) => this.#receive(process, message),
      died: (process, how) => this.#died(process, how),
    });
    const { processes } = this.#fleet;
    this.#schedule = new Schedule(processes, { ...options, now: clock.now });
    this.#shadows = new ShadowQueue(this.#schedule, clock.now);
    this.#memory = new MemoryLimit({
      clock,
      processes,
      exceeded: (process, megabytes) => {
        this.#schedule.reduce(process);
        const reason = `it used ${megabytes} MiB of memory; its limit is ${process.limitMb}`;
        this.#kill(process, reason, process.runs.size === 1 ? "function.memory" : "function.process_memory");
      },
      relieved: () => this.#serve(),
    });
    this.#serveLater = callLater(clock, SERVE_AGAIN_MS, () => this.#serve());
    this.#endIdleLater = callLater(clock, CHECK_IDLE_EVERY_MS, () => this.#endIdle());
    void this.#fleet.fill();
  }

  stats(): PoolStats {
    const { processes: processesMax } = this.#options;
    const [killed, shadowsKilled] = [this.#killed, this.#shadowsKilled];
    return statsOf(this.#fleet.processes, { processesMax, queued: this.#schedule.waiting, killed, shadowsKilled });
  }

  /** Resolves when a process is ready, or when a reason is known why none can be started. */
  ready(): Promise<void> {
    if (this.#hasOpen || this.#fleet.failure !== null) return Promise.resolve();
    this.#isDormant = false;
    return this.#startedOne();
  }

  /** Starts a process if there is none, so that `problem` knows whether one can be started, and resolves then. */
  verify(): Promise<void> {
    if (this.#hasOpen || this.#fleet.failure !== null) return Promise.resolve();
    this.#verifying = true;
    return this.#startedOne();
  }

  /** Why no run can be started now; `null` if one can, or no reason is known. */
  problem(): string | null {
    if (this.#hasOpen) return null;
    return this.#fleet.failure ?? (this.#verifying ? "the first process is being started" : null);
  }

  /** Ends all processes without runs; the next run starts new ones. */
  endIdleProcesses(): void {
    this.#isDormant = true;
    for (const process of this.#fleet.processes) if (process.runs.size === 0) this.#fleet.end(process);
  }

  forgetBundle(hash: string): void {
    for (const { child } of this.#fleet.processes) child.forgetBundle(hash);
  }

  /** Starts a run as soon as there is capacity for it. */
  start(running: Running): void {
    if (this.#closed) return running.fail(endingFault());
    const isShadow = running.job.isShadow === true;
    const isAdded = isShadow ? this.#shadows.add(running) : this.#schedule.add(running);
    if (!isAdded) return running.fail(new Fault("function.overloaded"));
    if (!isShadow) this.#isDormant = false;
    this.#serve();
    this.#failWaiting();
  }

  /** Stops a run's thread, at its deadline or after a violation. The caller has already been answered. */
  end(running: Running): void {
    this.#schedule.remove(running);
    this.#shadows.remove(running);
    for (const process of this.#fleet.processes) {
      if (!process.runs.has(running.id)) continue;
      process.child.send({ type: "end", id: running.id });
      whenSilent(this.#options.clock, END_WITHIN_MS, () => {
        if (process.runs.has(running.id)) this.#kill(process, "it did not end a run in time", "function.interrupted");
      });
    }
  }

  /** Whether a shadow run has not started. */
  isWaitingShadow(running: Running): boolean {
    return this.#shadows.has(running);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#memory.stop();
    this.#shadows.drop();
    for (const running of this.#schedule.clear()) running.fail(endingFault());
    for (const { runs } of this.#fleet.processes) for (const running of runs.values()) running.fail(endingFault());
    await this.#fleet.close();
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  #serve(): void {
    for (let next = this.#schedule.next(); next !== undefined; next = this.#schedule.next())
      this.#startIn(next.process, next.running);
    for (const process of this.#schedule.shadowsToEnd()) this.#endShadows(process);
    if (this.#schedule.waiting > 0) {
      if (this.#schedule.isFull) this.#shadows.pause();
      for (const process of this.#schedule.toGiveUp()) this.#retire(process);
      this.#serveLater();
    }
    this.#shadows.serve((process, running) => this.#startShadow(process, running));
    void this.#fleet.fill();
  }

  #startShadow(process: FunctionProcess, running: Running): void {
    if (process.runs.size === 1) process.child.send({ type: "yield" });
    this.#startIn(process, running);
  }

  #endShadows(process: FunctionProcess): void {
    for (const running of process.runs.values()) running.fail(new Fault("function.overloaded"));
    this.#fleet.end(process);
  }

  #startIn({ child }: FunctionProcess, running: Running): void {
    const { job } = running;
    child.ensureBundle(job.bundle);
    child.send({
      type: "run",
      id: running.id,
      what: job.what,
      isolate: job.isolate,
      bundle: job.bundle.hash,
      memoryMb: job.memoryMb,
      argument: running.takeArgument(),
    });
    this.#memory.watch();
  }

  #receive(process: FunctionProcess, message: FromChild): void {
    if (!("id" in message)) return;
    const running = process.runs.get(message.id);
    if (message.type === "lost") this.#onIsolateLost(process, message.isolate, message.text);
    if (running === undefined) return;
    if (!running.receive(message, (reply, written) => process.child.send(reply, written))) {
      running.fail(new Fault("function.raised", {}, { cause: new Error("it violated the protocol of the bridge") }));
      return this.end(running);
    }
    if (message.type === "done" || message.type === "failed" || message.type === "ended" || message.type === "lost") {
      if ("stuck" in message && message.stuck) {
        process.stuck = true;
        process.retired = true;
      }
      process.runs.delete(running.id);
      if (process.runs.size === 0) this.#emptied(process);
      this.#serve();
    }
  }

  #emptied(process: FunctionProcess): void {
    if (process.killed) return;
    // A thread cannot be ended without its process. The other runs of the process have finished.
    if (process.stuck) return this.#kill(process, "a thread would not leave its isolate", "function.interrupted");
    if (process.retired || isCrowded(process)) return this.#fleet.end(process);
    // A process that has only loaded files can serve any organization: so a command that runs functions needs one
    // process.
    if (process.organizationId === "") {
      if (this.#hasSpare) return this.#fleet.end(process);
      this.#schedule.release(process);
    }
    process.crowded = false;
    process.limitMb = this.#options.memoryMb;
    process.idleSince = this.#options.clock.now();
    this.#endIdleLater();
  }

  // ---- processes ---------------------------------------------------------------------------------------------------

  get #hasOpen(): boolean {
    return [...this.#fleet.processes].some(isOpen);
  }

  get #hasSpare(): boolean {
    return [...this.#fleet.processes].some((process) => isOpen(process) && process.organizationId === null);
  }

  #startedOne(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenReady.push(resolve);
      void this.#fleet.fill();
    });
  }

  /** Fails all waiting runs if no process can be started. */
  #failWaiting(): void {
    const { failure } = this.#fleet;
    if (failure === null || this.#hasOpen) return;
    for (const notify of this.#whenReady.splice(0)) notify();
    const cause = new Error(`no process for functions can be started: ${failure}`);
    this.#shadows.drop();
    for (const running of this.#schedule.clear()) running.fail(new Fault("function.unavailable", {}, { cause }));
  }

  #sparesNeeded(): number {
    const isWanted =
      this.#whenReady.length > 0 || (!this.#isDormant && (this.#options.spare || this.#schedule.needsProcess));
    return (isWanted ? 1 : 0) + (this.#shadows.needsProcess ? (isWanted ? 1 : 2) : 0);
  }

  #endIdle(): void {
    const now = this.#options.clock.now();
    for (const process of this.#fleet.processes) {
      if (process.organizationId === null || process.retired) continue;
      if (process.runs.size === 0 && now - process.idleSince >= IDLE_MS) this.#fleet.end(process);
      else this.#endIdleLater();
    }
  }

  /** Ends a process together with its runs, all of which belong to one organization. */
  #kill(
    process: FunctionProcess,
    reason: string,
    code: "function.memory" | "function.process_memory" | "function.interrupted",
  ): void {
    if (process.killed) return;
    const killed = {
      pid: process.child.pid,
      organization_id: process.organizationId,
      reason,
      runs: process.runs.size,
    };
    // A candidate under test affects no answer, so it raises no alert.
    if (process.isShadow) {
      this.#shadowsKilled += 1;
      this.#options.log.warn({ event: "shadow_process_killed", ...killed });
    } else {
      this.#killed += 1;
      this.#options.log.warn({ event: "function_process_killed", ...killed });
    }
    const cause = new Error(`its process was killed: ${reason}`);
    this.#failRuns(process, code, cause);
    this.#fleet.end(process);
  }

  /** A shadow run that may have lost its process because of another one is dropped, not failed. */
  #failRuns({ runs, isShadow }: FunctionProcess, code: FunctionFaultCode, cause: Error): void {
    const fault = isShadow && runs.size > 1 ? new Fault("function.overloaded") : new Fault(code, {}, { cause });
    for (const running of runs.values()) running.fail(fault);
  }

  /** Lets a process take no new runs, and ends it after its last one. */
  #retire(process: FunctionProcess): void {
    process.retired = true;
    if (process.runs.size === 0) this.#fleet.end(process);
  }

  #died(process: FunctionProcess, how: string): void {
    const cause = new Error(`its process ended: ${how}`);
    this.#failRuns(process, "function.interrupted", cause);
    process.runs.clear();
    this.#schedule.release(process);
    this.#serve();
  }

  /**
   * Handles an isolate that V8 has given up, whose thread sleeps from now on. The other runs in the process can finish.
   */
  #onIsolateLost(process: FunctionProcess, isolate: string, text: string): void {
    this.#options.log.warn({
      event: "function_isolate_lost",
      pid: process.child.pid,
      isolate,
      text: printable(text).slice(0, 300),
      runs: process.runs.size,
    });
    this.#retire(process);
  }
}

function endingFault(): Fault {
  return new Fault("function.raised", {}, { cause: new Error("the service is ending") });
}

/** Returns a function that calls `callback` after `delayMs`, once for all calls until then. */
export function callLater(clock: Clock, delayMs: number, callback: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    clock.after(
      delayMs,
      () => {
        isComing = false;
        callback();
      },
      "loose",
    );
  };
}
