import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import { IsolateProcess } from "./child-process.ts";
import type { FromChild } from "./messages.ts";
import type { FunctionsLog } from "./ports.ts";
import type { PoolStats } from "./pool.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import { chooseWard, type Ward } from "./ward.ts";

export interface KeeperOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly quarantine: Quarantine;
  readonly prelude: Promise<string>;
  readonly children: number;
  readonly spares: number;
  readonly startsOnUse: boolean;
  readonly runsPerChild: number;
  readonly childMemoryMb: number;
}

/** A process says within 100 ms whether a run's thread is stuck, and is killed then. This is for one that says nothing. */
const END_WITHIN_MS = 250;
const WATCH_EVERY_MS = 50;
const SHED_WITHIN_MS = 100;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** A process that dies younger than this was not killed by a function. */
const STILLBORN_MS = 1_000;
const PLAIN_MEMORY_MB = 64;
const MEGABYTE = 1_048_576;

/**
 * Keeps the processes: starts and replaces them, gives them their runs, watches their memory, and kills what does not
 * obey. It knows nothing of what functions do.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #wards = new Set<Ward>();
  readonly #queue: Running[] = [];
  #starting = false;
  #closed = false;
  #failures = 0;
  #killed = 0;
  #stopWatching: (() => void) | undefined;
  #whenReady: (() => void)[] = [];

  constructor(options: KeeperOptions) {
    this.#options = options;
    if (!options.startsOnUse) void this.#fill();
  }

  stats(): PoolStats {
    let active = 0;
    let ready = 0;
    const pids: number[] = [];
    for (const ward of this.#wards) {
      active += ward.runs.size;
      if (ward.ready && !ward.retired) ready += 1;
      if (ward.process.pid !== undefined) pids.push(ward.process.pid);
    }
    return { children: this.#wards.size, ready, active, queued: this.#queue.length, killed: this.#killed, pids };
  }

  ready(): Promise<void> {
    if ([...this.#wards].some((ward) => ward.ready && !ward.retired)) return Promise.resolve();
    void this.#fill();
    return new Promise((resolve) => this.#whenReady.push(resolve));
  }

  forgetBundle(hash: string): void {
    for (const ward of this.#wards) ward.process.forgetBundle(hash);
  }

  place(running: Running): void {
    if (this.#closed)
      return running.fail(new Fault("function.raised", {}, { cause: new Error("the service is ending") }));
    this.#queue.push(running);
    if (this.#wards.size === 0) void this.#fill();
    this.#serve();
  }

  /** The deadline of a run: its caller has been answered, and now its thread must go. */
  end(running: Running): void {
    const at = this.#queue.indexOf(running);
    if (at !== -1) this.#queue.splice(at, 1);
    for (const ward of this.#wards) {
      if (!ward.runs.has(running.id)) continue;
      ward.process.send({ type: "end", id: running.id });
      this.#options.clock.after(END_WITHIN_MS, () => {
        if (ward.runs.has(running.id)) this.#kill(ward, "a run did not end at its deadline", [running.job.isolate]);
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    const ending = () => new Fault("function.raised", {}, { cause: new Error("the service is ending") });
    for (const running of this.#queue.splice(0)) running.fail(ending());
    const wards = [...this.#wards];
    for (const ward of wards) {
      for (const running of ward.runs.values()) running.fail(ending());
      ward.killed = true;
      ward.process.kill();
    }
    await Promise.all(wards.map((ward) => ward.gone));
  }

  // ---- processes ---------------------------------------------------------------------------------------------------

  /** One at a time, so that starting them does not take the machine from what is running. */
  async #fill(): Promise<void> {
    if (this.#starting) return;
    this.#starting = true;
    try {
      const prelude = await this.#options.prelude;
      const wanted = this.#options.children + this.#options.spares;
      while (!this.#closed && [...this.#wards].filter((ward) => !ward.retired).length < wanted) {
        if (this.#failures > 0)
          await sleep(Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.#failures - 1)), undefined, {
            ref: false,
          });
        if (this.#closed) return;
        await this.#start(prelude);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.error({ event: "functions_unavailable", reason });
    } finally {
      this.#starting = false;
    }
  }

  /** Resolves when it is ready, or gone. */
  #start(prelude: string): Promise<void> {
    return new Promise((settled) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const process = new IsolateProcess(prelude, {
        message: (message) => {
          if (message.type === "ready") {
            ward.ready = true;
            settled();
            for (const tell of this.#whenReady.splice(0)) tell();
            this.#serve();
          } else this.#hear(ward, message);
        },
        exit: (how, lastWords) => {
          settled();
          resolve();
          this.#died(ward, how, lastWords);
        },
      });
      const ward: Ward = {
        process,
        runs: new Map(),
        bornAt: this.#options.clock.now(),
        ready: false,
        retired: false,
        alone: false,
        blamed: [],
        blameSettled: false,
        shedding: false,
        killed: false,
        gone: promise,
      };
      this.#wards.add(ward);
    });
  }

  #kill(ward: Ward, reason: string, blamed: readonly string[]): void {
    if (ward.killed) return;
    ward.killed = true;
    ward.retired = true;
    ward.blamed.push(...blamed);
    this.#killed += 1;
    this.#options.log.warn({ event: "function_process_killed", pid: ward.process.pid, reason, runs: ward.runs.size });
    ward.process.kill();
    // Started now, not when the old one has gone: the spare has already taken over, and wants a successor.
    void this.#fill();
    this.#serve();
  }

  #died(ward: Ward, how: string, lastWords: string): void {
    const wasRetired = ward.retired && ward.runs.size === 0 && ward.blamed.length === 0;
    ward.retired = true;
    this.#wards.delete(ward);
    if (this.#closed) return;
    const young = this.#options.clock.now() - ward.bornAt < STILLBORN_MS;
    this.#failures = young && !ward.killed && ward.runs.size === 0 ? this.#failures + 1 : 0;
    if (!wasRetired && !ward.killed)
      this.#options.log.error({
        event: "function_process_died",
        pid: ward.process.pid,
        how,
        lastWords,
        runs: ward.runs.size,
      });
    this.#blame(ward);
    for (const running of ward.runs.values()) {
      const alone = ward.runs.size === 1 && !ward.blameSettled;
      const blamed = ward.blamed.length === 0 ? alone : ward.blamed.includes(running.job.isolate);
      const cause = new Error(
        blamed ? `its process ended: ${how}` : `its process ended because of another run: ${how}`,
      );
      running.fail(new Fault(blamed ? "function.memory" : "function.raised", {}, { cause }));
    }
    ward.runs.clear();
    void this.#fill();
    this.#serve();
  }

  #blame(ward: Ward): void {
    if (ward.blameSettled) return;
    const present = new Set([...ward.runs.values()].map((running) => running.job.isolate));
    const blamed = new Set(ward.blamed);
    if (blamed.size === 0 && present.size === 1) for (const key of present) blamed.add(key);
    if (blamed.size === 1) for (const key of blamed) this.#strike(key);
    else for (const key of blamed.size > 0 ? blamed : present) this.#options.quarantine.suspect(key);
  }

  /** The run that did it fails alone: its thread sleeps, so the others can finish, in a process that takes no new ones. */
  #lost(ward: Ward, isolate: string, text: string): void {
    this.#options.log.warn({
      event: "function_isolate_lost",
      pid: ward.process.pid,
      isolate,
      text,
      runs: ward.runs.size,
    });
    ward.retired = true;
    ward.blameSettled = true;
    this.#strike(isolate);
    void this.#fill();
  }

  #strike(isolate: string): void {
    if (this.#options.quarantine.strike(isolate)) this.#options.log.error({ event: "function_quarantined", isolate });
  }

  /** Lets go of a process that shall take nothing new, once it is empty. */
  #letGo(ward: Ward): void {
    if (!ward.retired || ward.killed || ward.runs.size > 0) return;
    ward.killed = true;
    ward.process.kill();
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  #serve(): void {
    for (let at = 0; at < this.#queue.length;) {
      const running = this.#queue[at]!;
      const standing = this.#options.quarantine.standingOf(running.job.isolate);
      if (standing === "quarantined") running.fail(new Fault("function.quarantined"));
      const ward = running.over
        ? undefined
        : chooseWard(this.#wards, running.job.isolate, standing === "alone", this.#options);
      if (ward === undefined && !running.over) {
        at += 1;
        continue;
      }
      this.#queue.splice(at, 1);
      if (ward !== undefined) this.#startIn(ward, running, standing === "alone");
    }
  }

  #startIn(ward: Ward, running: Running, alone: boolean): void {
    const { job } = running;
    ward.runs.set(running.id, running);
    ward.alone = alone;
    ward.process.ensureBundle(job.bundle);
    ward.process.send({
      type: "run",
      id: running.id,
      what: job.what,
      isolate: job.isolate,
      bundle: job.bundle.hash,
      memoryMb: job.memoryMb,
      argument: job.argument,
    });
    this.#watch();
  }

  #hear(ward: Ward, message: FromChild): void {
    if (!("id" in message)) return;
    const running = ward.runs.get(message.id);
    if (message.type === "lost") this.#lost(ward, message.isolate, message.text);
    if (running === undefined) return;
    if (!running.hear(message, (reply) => ward.process.send(reply))) {
      running.fail(new Fault("function.raised", {}, { cause: new Error("it broke the rules of the bridge") }));
      return this.end(running);
    }
    if (message.type === "done" || message.type === "failed" || message.type === "ended" || message.type === "lost") {
      ward.runs.delete(message.id);
      if (ward.runs.size === 0) ward.alone = false;
      if ("stuck" in message && message.stuck)
        return this.#kill(ward, "a thread would not leave its isolate", [running.job.isolate]);
      if (message.type === "done") this.#options.quarantine.ranWell(running.job.isolate);
      this.#letGo(ward);
      if (this.#queue.length > 0) this.#serve();
    }
  }

  // ---- memory ------------------------------------------------------------------------------------------------------

  #watch(): void {
    if (this.#stopWatching !== undefined || this.#closed) return;
    this.#stopWatching = this.#options.clock.after(WATCH_EVERY_MS, () => {
      this.#stopWatching = undefined;
      let busy = false;
      for (const ward of this.#wards) {
        if (ward.runs.size === 0) continue;
        busy = true;
        this.#weigh(ward);
      }
      if (busy) this.#watch();
    });
  }

  #weigh(ward: Ward): void {
    const limit = this.#limitBytes(ward);
    if (ward.shedding || ward.killed || ward.process.rssBytes() <= limit) return;
    ward.shedding = true;
    const present = [...ward.runs.values()];
    ward.process.send({ type: "shed" });
    this.#options.clock.after(SHED_WITHIN_MS, () => {
      ward.shedding = false;
      if (!this.#wards.has(ward) || ward.process.rssBytes() <= limit) return;
      const shed = present.filter((running) => running.over || !ward.runs.has(running.id));
      const blamed = new Set((shed.length > 0 ? shed : present).map((running) => running.job.isolate));
      this.#kill(ward, "it used too much memory", [...blamed]);
    });
  }

  #limitBytes(ward: Ward): number {
    let largestMb = PLAIN_MEMORY_MB;
    for (const running of ward.runs.values()) largestMb = Math.max(largestMb, running.job.memoryMb);
    return (this.#options.childMemoryMb + 2 * (largestMb - PLAIN_MEMORY_MB)) * MEGABYTE;
  }
}
