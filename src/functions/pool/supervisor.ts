import type { Clock } from "../../terms/clock.ts";
import { printable } from "../../terms/printable.ts";
import { Fault } from "../../terms/fault.ts";
import { whenSilent } from "../../terms/when-silent.ts";
import { Blame } from "./blame.ts";
import { callLater } from "./call-later.ts";
import { CpuWatch } from "./cpu-watch.ts";
import { Demands } from "./demands.ts";
import { Fleet } from "./fleet.ts";
import type { Named } from "./largest-run.ts";
import { MemoryWatch } from "./memory-watch.ts";
import type { FromChild, Reply } from "./messages.ts";
import { Placement } from "./placement.ts";
import { type PoolStats, statsOf } from "./pool-stats.ts";
import type { FunctionsLog } from "../ports.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import { isOpen, letOthersFirst, limitBytes, PLAIN_MEMORY_MB, type HostProcess } from "./host-process.ts";

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly quarantine: Quarantine;
  readonly prelude: Promise<string>;
  readonly children: number;
  readonly spares: number;
  readonly apart: number;
  readonly startsOnUse: boolean;
  readonly runsPerChild: number;
  readonly waitingPerOrganization: number;
  readonly childMemoryMb: number;
}

/**
 * A process reports within some 300 ms whether a run's thread is stuck. One that does not report within this time takes no
 * more runs, and is killed after the second: threads that take and return memory without end keep its own from reporting,
 * and those who run beside them need not pay for that.
 */
const END_WITHIN_MS = 2_000;
const KILL_WITHIN_MS = 10_000;
/** How long an empty process that is set apart is kept for the next run that needs one. */
const APART_IDLE_MS = 10_000;
/** Some runs wait only until it is known what their functions need. */
const SERVE_AGAIN_MS = 100;
const MEGABYTE = 1_048_576;
const STUCK = "a thread would not leave its isolate";
const NOT_ENDED = "it did not end a run in time";
/** A run that held this multiple of the memory it may use has broken V8's limits. */
const BREACH = 2;

/**
 * Passes runs to the processes and their answers back, and ends runs and processes that do not stop. `Placement`
 * decides where a run goes, `MemoryWatch` which one uses too much memory, `Blame` which one is at fault, and `Fleet`
 * owns the processes. None of them knows what functions do.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #fleet: Fleet;
  readonly #placement: Placement;
  readonly #memory: MemoryWatch;
  readonly #blame: Blame;
  readonly #demands: Demands;
  readonly #cpu: CpuWatch;
  readonly #serveLater: () => void;
  #closed = false;
  /** Nothing has been asked of it yet, or since `rest`. */
  #resting: boolean;
  /** Since `verify`, until a process is ready. */
  #verifying = false;
  #killed = 0;
  #whenReady: (() => void)[] = [];

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#resting = options.startsOnUse;
    this.#fleet = new Fleet(options, {
      wanted: () => this.#wanted(),
      ready: () => {
        this.#verifying &&= !this.#hasOpen;
        for (const tell of this.#whenReady.splice(0)) tell();
        this.#serve();
      },
      failed: () => this.#failWaiting(),
      heard: (host, message) => this.#hear(host, message),
      died: (host, how) => this.#died(host, how),
    });
    const { hosts } = this.#fleet;
    this.#demands = new Demands(options.clock);
    this.#placement = new Placement(hosts, { ...options, now: options.clock.now, demands: this.#demands });
    this.#serveLater = callLater(options.clock, SERVE_AGAIN_MS, () => this.#serve());
    this.#blame = new Blame(options.quarantine, options.log);
    this.#cpu = new CpuWatch({
      demands: this.#demands,
      hasOther: (host) => [...hosts].some((other) => other !== host && other.apart === null && isOpen(other)),
      retire: (host) => this.#retire(host, "one of its functions uses much CPU time"),
    });
    this.#memory = new MemoryWatch({
      clock: options.clock,
      hosts,
      childMemoryMb: options.childMemoryMb,
      endRun: (host, named) => this.#endForMemory(host, named),
      gaveBack: (running, bytes) => this.#judge(running, bytes),
      retire: (host) => this.#retire(host, "it holds too much memory, and no run holds it"),
      slowDown: (host) => {
        letOthersFirst(host);
        this.#retire(host, "it holds far too much memory");
      },
      kill: (host, named) => {
        if (named !== null) {
          this.#demands.tookMemory(named.job.isolate);
          this.#blame.named(host, named);
        } else this.#blame.suspect(host.runs.values());
        this.#kill(host, "it used too much memory and could not be relieved");
      },
    });
    void this.#fleet.fill();
  }

  stats(): PoolStats {
    return statsOf(this.#fleet.hosts, { queued: this.#placement.waiting, killed: this.#killed });
  }

  /** Resolves when a process is ready, or when it is known that none can be started. */
  ready(): Promise<void> {
    if (this.#hasOpen || this.#fleet.failure !== null) return Promise.resolve();
    this.#resting = false;
    return this.#startedOne();
  }

  /** Starts one process if there is none, so that `problem` tells whether any can be started. Resolves when it does. */
  verify(): Promise<void> {
    if (this.#hasOpen || this.#fleet.failure !== null) return Promise.resolve();
    this.#verifying = true;
    return this.#startedOne();
  }

  /** Why no run can be started now; `null` if one can, or nothing is known against it. */
  problem(): string | null {
    if (this.#hasOpen) return null;
    return this.#fleet.failure ?? (this.#verifying ? "the first process is being started" : null);
  }

  /** Ends the processes in which nothing runs; the next run starts them again. */
  rest(): void {
    this.#resting = true;
    for (const host of this.#fleet.hosts) if (host.runs.size === 0) this.#fleet.end(host);
  }

  forgetBundle(hash: string): void {
    for (const host of this.#fleet.hosts) host.process.forgetBundle(hash);
  }

  place(running: Running): void {
    if (this.#closed) return running.fail(endingFault());
    if (!this.#placement.add(running)) return running.fail(new Fault("function.overloaded"));
    const wasResting = this.#resting;
    this.#resting = false;
    if (wasResting || this.#fleet.hosts.size === 0) void this.#fleet.fill();
    this.#serve();
    this.#failWaiting();
  }

  /** The caller has been answered, and now the run's thread must stop: at its deadline, or for what it did. */
  end(running: Running): void {
    this.#placement.remove(running);
    for (const host of this.#fleet.hosts) {
      if (!host.runs.has(running.id)) continue;
      host.process.send({ type: "end", id: running.id });
      const { clock } = this.#options;
      const isThere = (): boolean => host.runs.has(running.id) && !host.killed;
      whenSilent(clock, END_WITHIN_MS, () => {
        if (!isThere()) return;
        this.#retire(host, NOT_ENDED);
        whenSilent(clock, KILL_WITHIN_MS - END_WITHIN_MS, () => {
          if (!isThere()) return;
          // The main thread of the process is blocked, which is not necessarily the fault of the run that ends now.
          this.#blame.suspect(host.runs.values());
          this.#kill(host, NOT_ENDED);
        });
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#memory.stop();
    for (const running of this.#placement.clear()) running.fail(endingFault());
    for (const host of this.#fleet.hosts) for (const running of host.runs.values()) running.fail(endingFault());
    await this.#fleet.close();
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  #serve(): void {
    for (let placed = this.#placement.next(); placed !== undefined; placed = this.#placement.next()) {
      const { running, host } = placed;
      if (host !== null) this.#startIn(host, running);
      else running.fail(new Fault("function.quarantined"));
    }
    if (this.#placement.waiting === 0) return;
    void this.#fleet.fill();
    this.#serveLater();
  }

  #startIn(host: HostProcess, running: Running): void {
    const { job } = running;
    host.runs.set(running.id, running);
    running.rssBefore = host.process.rssBytes();
    host.process.ensureBundle(job.bundle);
    host.process.send({
      type: "run",
      id: running.id,
      what: job.what,
      isolate: job.isolate,
      bundle: job.bundle.hash,
      memoryMb: job.memoryMb,
      argument: running.takeArgument(),
    });
    this.#memory.begin();
    if (host.apart === null) return;
    letOthersFirst(host);
    // It may have taken a spare.
    void this.#fleet.fill();
  }

  #hear(host: HostProcess, message: FromChild): void {
    if (message.type === "weighed") return this.#memory.heard(host, message);
    if (message.type === "used") return this.#cpu.heard(host, message);
    if (!("id" in message)) return;
    const running = host.runs.get(message.id);
    if (message.type === "lost") this.#lost(host, message.isolate, message.text, running);
    if (running === undefined) return;
    if (message.type === "took") return host.replies.took(message.id, message.characters);
    if (!running.hear(message, (reply, written) => this.#reply(host, running, reply, written))) {
      running.fail(new Fault("function.raised", {}, { cause: new Error("it violated the protocol of the bridge") }));
      return this.end(running);
    }
    if (message.type === "done" || message.type === "failed" || message.type === "ended" || message.type === "lost") {
      if ("stuck" in message && message.stuck) return this.#leaveBehind(host, running);
      if (message.type === "done") this.#options.quarantine.ranWell(running.job.isolate);
      this.#left(host, running);
      this.#serve();
    }
  }

  /**
   * A thread cannot be ended without its process. Those who run beside it finish first: what it takes from them is
   * processor time, for as long as their own deadlines allow. Then everything else comes before it. There are never more
   * such processes than take everyone's runs: each of them spins, and has been replaced already.
   */
  #leaveBehind(host: HostProcess, running: Running): void {
    this.#blame.strikeRun(running);
    host.isStuck = true;
    if (host.runs.size > 1) {
      this.#retire(host, STUCK);
      letOthersFirst(host);
    }
    this.#left(host, running);
    const stuck = [...this.#fleet.hosts].filter((one) => one.isStuck && !one.killed);
    if (stuck.length > this.#options.children)
      this.#kill(
        stuck.reduce((least, one) => (one.runs.size < least.runs.size ? one : least)),
        STUCK,
      );
    this.#serve();
  }

  #reply(host: HostProcess, running: Running, reply: Reply, written: () => void): void {
    const { organizationId: owner } = running.job;
    const send = (): void => host.process.send(reply, written);
    host.replies.offer({ run: running.id, owner, bytes: reply.json.length, send, drop: written });
  }

  #left(host: HostProcess, running: Running): void {
    host.runs.delete(running.id);
    host.replies.left(running.id, running.job.organizationId);
    this.#placement.left(running, host);
    this.#cpu.left(host);
    if (host.runs.size > 0 || host.killed) return;
    if (host.isStuck) return this.#kill(host, STUCK);
    if (host.retired) return this.#fleet.end(host);
    if (host.apart !== null) this.#keepApart(host);
  }

  /** It is empty: keeps it for a while, unless the runs in it have left too much memory in use. */
  #keepApart(host: HostProcess): void {
    const { clock, childMemoryMb } = this.#options;
    if (host.process.rssBytes() > limitBytes(host, childMemoryMb)) return this.#fleet.end(host);
    clock.after(
      APART_IDLE_MS,
      () => {
        if (!host.killed && host.runs.size === 0) this.#fleet.end(host);
      },
      "loose",
    );
  }

  // ---- processes ---------------------------------------------------------------------------------------------------

  get #hasOpen(): boolean {
    return [...this.#fleet.hosts].some(isOpen);
  }

  #startedOne(): Promise<void> {
    void this.#fleet.fill();
    return new Promise((resolve) => this.#whenReady.push(resolve));
  }

  /** If no process can be started, nothing waits for one. */
  #failWaiting(): void {
    const { failure } = this.#fleet;
    if (failure === null || this.#hasOpen) return;
    for (const tell of this.#whenReady.splice(0)) tell();
    const cause = new Error(`no process for functions can be started: ${failure}`);
    for (const running of this.#placement.clear()) running.fail(new Fault("function.unavailable", {}, { cause }));
  }

  #wanted(): number {
    const { children, spares } = this.#options;
    if (this.#resting) return this.#verifying ? 1 : 0;
    return children + (this.#placement.lacksApart ? Math.max(1, spares) : spares);
  }

  #kill(host: HostProcess, reason: string): void {
    if (host.killed) return;
    host.blameSettled = true;
    this.#killed += 1;
    this.#options.log.warn({ event: "function_process_killed", pid: host.process.pid, reason, runs: host.runs.size });
    this.#fleet.end(host);
    // Does not wait until the old one has gone: a spare has already taken its place, and needs a replacement.
    void this.#fleet.fill();
    this.#serve();
  }

  /** It finishes its runs, takes no new ones, and is replaced. */
  #retire(host: HostProcess, reason: string): void {
    if (!host.retired) {
      const { pid } = host.process;
      this.#options.log.info({ event: "function_process_replaced", pid, reason, runs: host.runs.size });
    }
    host.retired = true;
    if (host.runs.size === 0) this.#fleet.end(host);
    void this.#fleet.fill();
  }

  #died(host: HostProcess, how: string): void {
    host.isStuck = false;
    this.#blame.ofDeath(host, how);
    for (const running of host.runs.values()) {
      const blamed = host.blamed.has(running.job.isolate);
      const cause = new Error(
        blamed ? `its process ended: ${how}` : `its process ended because of another run: ${how}`,
      );
      running.fail(new Fault(blamed ? "function.memory" : "function.raised", {}, { cause }));
      this.#left(host, running);
    }
    void this.#fleet.fill();
    this.#serve();
  }

  /**
   * Only the run that caused it fails. Its thread sleeps, so the others can finish, in a process that takes no new
   * runs.
   */
  #lost(host: HostProcess, isolate: string, text: string, running: Running | undefined): void {
    const { pid } = host.process;
    this.#options.log.warn({
      event: "function_isolate_lost",
      pid,
      isolate,
      text: printable(text).slice(0, 300),
      runs: host.runs.size,
    });
    host.blameSettled = true;
    if (running === undefined) this.#blame.strike(isolate);
    else this.#blame.strikeRun(running);
    this.#retire(host, "one of its isolates is lost");
  }

  // ---- memory ------------------------------------------------------------------------------------------------------

  #endForMemory(host: HostProcess, { running, bytes, measured }: Named): void {
    const { isolate } = running.job;
    this.#demands.tookMemory(isolate);
    const megabytes = Math.round(bytes / MEGABYTE);
    this.#options.log.warn({ event: "function_ended_for_memory", pid: host.process.pid, isolate, megabytes, measured });
    const cause = new Error(`it used ${megabytes} MB while its process was over its limit`);
    running.fail(new Fault("function.memory", {}, { cause }));
    if (measured) this.#judge(running, bytes);
    this.end(running);
  }

  /** A run that is merely the largest gets no strike; one that holds what V8 should have refused does. */
  #judge(running: Running, bytes: number): void {
    const grantedMb = Math.max(PLAIN_MEMORY_MB, running.job.memoryMb);
    if (bytes > BREACH * grantedMb * MEGABYTE) this.#blame.strikeRun(running);
  }
}

function endingFault(): Fault {
  return new Fault("function.raised", {}, { cause: new Error("the service is ending") });
}
