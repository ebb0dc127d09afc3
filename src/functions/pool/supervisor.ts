import type { Clock } from "../../terms/clock.ts";
import { printable } from "../../terms/printable.ts";
import { Fault } from "../../terms/fault.ts";
import { Blame } from "./blame.ts";
import { Fleet } from "./fleet.ts";
import type { Named } from "./largest-run.ts";
import { MemoryWatch } from "./memory-watch.ts";
import type { FromChild, Reply } from "./messages.ts";
import { Placing } from "./placement.ts";
import type { FunctionsLog } from "../ports.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import { isOpen, limitBytes, PLAIN_MEMORY_MB, type Ward } from "./host-process.ts";

export interface PoolStats {
  /** Those that take everybody's runs, or stand by. */
  readonly children: number;
  /** Those that hold one organization's runs only. */
  readonly apart: number;
  /** Of these, how many can take a run. */
  readonly ready: number;
  readonly active: number;
  readonly queued: number;
  readonly killed: number;
  readonly pids: readonly number[];
}

export interface KeeperOptions {
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

/** A process says within some 300 ms whether a run's thread is stuck, and is killed then. This is for one that says nothing. */
const END_WITHIN_MS = 2_000;
/** How long a process that is set apart stays warm for the next run that needs one. */
const APART_IDLE_MS = 10_000;
const MEGABYTE = 1_048_576;
/** A run that held so many times its grant broke through what V8 bounds. */
const BREACH = 2;

/**
 * Carries runs to the processes and what they say back, and ends what does not obey. Where a run goes is `Placing`'s, who
 * holds too much `MemoryWatch`'s, who is to blame `Blame`'s, and the processes themselves are the `Fleet`'s. None of them
 * knows what functions do.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #fleet: Fleet;
  readonly #placing: Placing;
  readonly #memory: MemoryWatch;
  readonly #blame: Blame;
  #closed = false;
  #killed = 0;
  #whenReady: (() => void)[] = [];

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#fleet = new Fleet(options, {
      wanted: () => this.#wanted(),
      ready: () => {
        for (const tell of this.#whenReady.splice(0)) tell();
        this.#serve();
      },
      heard: (ward, message) => this.#hear(ward, message),
      died: (ward, how) => this.#died(ward, how),
    });
    const { wards } = this.#fleet;
    this.#placing = new Placing(wards, options);
    this.#blame = new Blame(options.quarantine, options.log);
    this.#memory = new MemoryWatch({
      clock: options.clock,
      wards,
      childMemoryMb: options.childMemoryMb,
      endRun: (ward, named) => this.#endForMemory(ward, named),
      gaveBack: (running, bytes) => this.#judge(running, bytes),
      retire: (ward) => this.#retire(ward, "it holds too much memory, and no run holds it"),
      kill: (ward, named) => {
        if (named !== null) this.#blame.named(ward, named);
        else this.#blame.suspect(ward.runs.values());
        this.#kill(ward, "it used too much memory and could not be relieved");
      },
    });
    if (!options.startsOnUse) void this.#fleet.fill();
  }

  stats(): PoolStats {
    const wards = [...this.#fleet.wards];
    return {
      children: wards.filter(({ apart }) => apart === null).length,
      apart: wards.filter(({ apart }) => apart !== null).length,
      ready: wards.filter((ward) => isOpen(ward) && ward.apart === null).length,
      active: wards.reduce((sum, { runs }) => sum + runs.size, 0),
      queued: this.#placing.waiting,
      killed: this.#killed,
      pids: wards.flatMap(({ process }) => process.pid ?? []),
    };
  }

  ready(): Promise<void> {
    if ([...this.#fleet.wards].some(isOpen)) return Promise.resolve();
    void this.#fleet.fill();
    return new Promise((resolve) => this.#whenReady.push(resolve));
  }

  forgetBundle(hash: string): void {
    for (const ward of this.#fleet.wards) ward.process.forgetBundle(hash);
  }

  place(running: Running): void {
    if (this.#closed) return running.fail(endingFault());
    if (!this.#placing.add(running)) return running.fail(new Fault("function.overloaded"));
    if (this.#fleet.wards.size === 0) void this.#fleet.fill();
    this.#serve();
  }

  /** Its caller has been answered, and now its thread must go: at its deadline, or for what it did. */
  end(running: Running): void {
    this.#placing.remove(running);
    for (const ward of this.#fleet.wards) {
      if (!ward.runs.has(running.id)) continue;
      ward.process.send({ type: "end", id: running.id });
      this.#options.clock.after(END_WITHIN_MS, () => {
        if (!ward.runs.has(running.id) || ward.killed) return;
        // The thread of the process itself is held up, which the run that happens to end now need not have done.
        this.#blame.suspect(ward.runs.values());
        this.#kill(ward, "it did not end a run in time");
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#memory.stop();
    for (const running of this.#placing.clear()) running.fail(endingFault());
    for (const ward of this.#fleet.wards) for (const running of ward.runs.values()) running.fail(endingFault());
    await this.#fleet.close();
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  #serve(): void {
    for (let placed = this.#placing.next(); placed !== undefined; placed = this.#placing.next()) {
      const { running, ward } = placed;
      if (ward !== null) this.#startIn(ward, running);
      else running.fail(new Fault("function.quarantined"));
    }
    if (this.#placing.waiting > 0) void this.#fleet.fill();
  }

  #startIn(ward: Ward, running: Running): void {
    const { job } = running;
    ward.runs.set(running.id, running);
    running.rssBefore = ward.process.rssBytes();
    ward.process.ensureBundle(job.bundle);
    ward.process.send({
      type: "run",
      id: running.id,
      what: job.what,
      isolate: job.isolate,
      bundle: job.bundle.hash,
      memoryMb: job.memoryMb,
      argument: running.takeArgument(),
    });
    this.#memory.begin();
    // What stood by may have been set apart for it.
    if (ward.apart !== null) void this.#fleet.fill();
  }

  #hear(ward: Ward, message: FromChild): void {
    if (message.type === "weighed") return this.#memory.heard(ward, message);
    if (!("id" in message)) return;
    const running = ward.runs.get(message.id);
    if (message.type === "lost") this.#lost(ward, message.isolate, message.text, running);
    if (running === undefined) return;
    if (message.type === "took") return ward.replies.took(message.id, message.characters);
    if (!running.hear(message, (reply, written) => this.#reply(ward, running, reply, written))) {
      running.fail(new Fault("function.raised", {}, { cause: new Error("it broke the rules of the bridge") }));
      return this.end(running);
    }
    if (message.type === "done" || message.type === "failed" || message.type === "ended" || message.type === "lost") {
      if ("stuck" in message && message.stuck) {
        ward.blamed.add(running.job.isolate);
        this.#blame.strikeRun(running);
        this.#left(ward, running);
        return this.#kill(ward, "a thread would not leave its isolate");
      }
      if (message.type === "done") this.#options.quarantine.ranWell(running.job.isolate);
      this.#left(ward, running);
      this.#serve();
    }
  }

  #reply(ward: Ward, running: Running, reply: Reply, written: () => void): void {
    const { organizationId: owner } = running.job;
    const send = (): void => ward.process.send(reply, written);
    ward.replies.offer({ run: running.id, owner, bytes: reply.json.length, send, drop: written });
  }

  #left(ward: Ward, running: Running): void {
    ward.runs.delete(running.id);
    ward.replies.left(running.id, running.job.organizationId);
    this.#placing.left(running, ward);
    if (ward.runs.size > 0 || ward.killed) return;
    if (ward.retired) return this.#fleet.end(ward);
    if (ward.apart !== null) this.#keepApart(ward);
  }

  /** Nobody is in it: it is kept for a while, unless what it was used for has left too much behind. */
  #keepApart(ward: Ward): void {
    const { clock, childMemoryMb } = this.#options;
    if (ward.process.rssBytes() > limitBytes(ward, childMemoryMb)) return this.#fleet.end(ward);
    clock.after(
      APART_IDLE_MS,
      () => {
        if (!ward.killed && ward.runs.size === 0) this.#fleet.end(ward);
      },
      "loose",
    );
  }

  // ---- processes ---------------------------------------------------------------------------------------------------

  #wanted(): number {
    const { children, spares } = this.#options;
    return children + (this.#placing.lacksApart ? Math.max(1, spares) : spares);
  }

  #kill(ward: Ward, reason: string): void {
    if (ward.killed) return;
    ward.blameSettled = true;
    this.#killed += 1;
    this.#options.log.warn({ event: "function_process_killed", pid: ward.process.pid, reason, runs: ward.runs.size });
    this.#fleet.end(ward);
    // Started now, not when the old one has gone: the spare has already taken over, and wants a successor.
    void this.#fleet.fill();
    this.#serve();
  }

  /** It finishes what it has, takes nothing new, and another one takes its place. */
  #retire(ward: Ward, reason: string): void {
    if (!ward.retired) {
      const { pid } = ward.process;
      this.#options.log.info({ event: "function_process_replaced", pid, reason, runs: ward.runs.size });
    }
    ward.retired = true;
    if (ward.runs.size === 0) this.#fleet.end(ward);
    void this.#fleet.fill();
  }

  #died(ward: Ward, how: string): void {
    this.#blame.ofDeath(ward, how);
    for (const running of ward.runs.values()) {
      const blamed = ward.blamed.has(running.job.isolate);
      const cause = new Error(
        blamed ? `its process ended: ${how}` : `its process ended because of another run: ${how}`,
      );
      running.fail(new Fault(blamed ? "function.memory" : "function.raised", {}, { cause }));
      this.#left(ward, running);
    }
    void this.#fleet.fill();
    this.#serve();
  }

  /** The run that did it fails alone: its thread sleeps, so the others can finish, in a process that takes no new ones. */
  #lost(ward: Ward, isolate: string, text: string, running: Running | undefined): void {
    const { pid } = ward.process;
    this.#options.log.warn({
      event: "function_isolate_lost",
      pid,
      isolate,
      text: printable(text).slice(0, 300),
      runs: ward.runs.size,
    });
    ward.blameSettled = true;
    if (running === undefined) this.#blame.strike(isolate);
    else this.#blame.strikeRun(running);
    this.#retire(ward, "one of its isolates is lost");
  }

  // ---- memory ------------------------------------------------------------------------------------------------------

  #endForMemory(ward: Ward, { running, bytes, measured }: Named): void {
    const { isolate } = running.job;
    const megabytes = Math.round(bytes / MEGABYTE);
    this.#options.log.warn({ event: "function_ended_for_memory", pid: ward.process.pid, isolate, megabytes, measured });
    const cause = new Error(`it held ${megabytes} MB while its process was over its limit`);
    running.fail(new Fault("function.memory", {}, { cause }));
    if (measured) this.#judge(running, bytes);
    this.end(running);
  }

  /** To be the largest is no offence; to hold what V8 should have refused is one. */
  #judge(running: Running, bytes: number): void {
    const grantedMb = Math.max(PLAIN_MEMORY_MB, running.job.memoryMb);
    if (bytes > BREACH * grantedMb * MEGABYTE) this.#blame.strikeRun(running);
  }
}

function endingFault(): Fault {
  return new Fault("function.raised", {}, { cause: new Error("the service is ending") });
}
