import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "../../terms/printable.ts";
import type { Clock } from "../../terms/clock.ts";
import { IsolateProcess } from "./child-process.ts";
import type { FromChild } from "./messages.ts";
import type { FunctionsLog } from "../ports.ts";
import { ReplyQueue } from "./reply-queue.ts";
import type { HostProcess } from "./host-process.ts";

export interface FleetOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly prelude: Promise<string>;
}

export interface FleetEvents {
  /** How many processes should take everyone's runs or be spares. */
  wanted(): number;
  ready(): void;
  heard(host: HostProcess, message: FromChild): void;
  /** Called once, after the process has gone; it is not in `hosts` any more. */
  died(host: HostProcess, how: string, lastWords: string): void;
  /** Called when `failure` is known. */
  failed(): void;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** The death of a process younger than this was not caused by a function. */
const STILLBORN_MS = 1_000;
/** After so many in a row that were killed before they were ready, or could not be forked, no process can be started. */
const FAILED_STARTS = 3;
/** A process that ends by itself before it is ready: its own code fails, and will fail the next time. */
const ENDED_ITSELF = /^code /;
const REASON_CHARACTERS = 300;

/**
 * The processes: as many as are wanted, each replaced as soon as it takes no more runs. This class knows nothing about
 * runs.
 */
export class Fleet {
  readonly hosts: ReadonlySet<HostProcess>;
  readonly #hosts = new Set<HostProcess>();
  readonly #options: FleetOptions;
  readonly #events: FleetEvents;
  #starting = false;
  #closed = false;
  #failures = 0;
  /** In a row. */
  #failedStarts = 0;
  #failure = "";

  constructor(options: FleetOptions, events: FleetEvents) {
    this.hosts = this.#hosts;
    this.#options = options;
    this.#events = events;
  }

  /** Why no process can be started, known from those that ended before they were ready; `null` if nothing is known against it. */
  get failure(): string | null {
    return this.#failedStarts >= FAILED_STARTS ? this.#failure : null;
  }

  /** Starts one at a time, so that starting leaves processor time for what is running. */
  async fill(): Promise<void> {
    if (this.#starting) return;
    this.#starting = true;
    try {
      const prelude = await this.#options.prelude;
      while (!this.#closed && this.#count() < this.#events.wanted()) {
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
      this.#failure = printable(reason);
      this.#failedStarts = FAILED_STARTS;
      this.#events.failed();
    } finally {
      this.#starting = false;
    }
  }

  /** Ends a process, together with any runs that are still in it. */
  end(host: HostProcess): void {
    host.killed = true;
    host.retired = true;
    host.process.kill();
  }

  /** Ends all processes. Resolves when they have gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const hosts = [...this.#hosts];
    for (const host of hosts) this.end(host);
    await Promise.all(hosts.map((host) => host.gone));
  }

  #count(): number {
    let count = 0;
    for (const { retired, apart } of this.#hosts) if (!retired && apart === null) count += 1;
    return count;
  }

  /** Resolves when it is ready or has gone. */
  #start(prelude: string): Promise<void> {
    return new Promise((settled) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const process = new IsolateProcess(prelude, {
        message: (message) => {
          if (message.type !== "ready") return this.#events.heard(host, message);
          host.ready = true;
          this.#failedStarts = 0;
          host.emptyBytes = process.rssBytes();
          settled();
          this.#events.ready();
        },
        exit: (how, lastWords) => {
          settled();
          resolve();
          this.#died(host, how, lastWords);
        },
      });
      const host: HostProcess = {
        process,
        runs: new Map(),
        replies: new ReplyQueue(),
        bornAt: this.#options.clock.now(),
        gone: promise,
        ready: false,
        emptyBytes: 0,
        retired: false,
        isStuck: false,
        isBusy: false,
        yields: false,
        apart: null,
        blamed: new Set(),
        blameSettled: false,
        killed: false,
      };
      this.#hosts.add(host);
    });
  }

  #died(host: HostProcess, how: string, lastWords: string): void {
    const wasWanted = !host.killed && (!host.retired || host.runs.size > 0);
    host.retired = true;
    this.#hosts.delete(host);
    if (this.#closed) return;
    const young = !host.ready || this.#options.clock.now() - host.bornAt < STILLBORN_MS;
    this.#failures = young && !host.killed && host.runs.size === 0 ? this.#failures + 1 : 0;
    if (!host.ready && !host.killed) {
      this.#failedStarts += ENDED_ITSELF.test(how) ? FAILED_STARTS : 1;
      this.#failure = reasonOf(how, lastWords);
    }
    if (wasWanted)
      this.#options.log.error({
        event: "function_process_died",
        pid: host.process.pid,
        how,
        last_words: printable(lastWords),
        runs: host.runs.size,
      });
    this.#events.died(host, how, lastWords);
    if (this.failure !== null) this.#events.failed();
  }
}

/** The message of the error with which a process has ended, without its stack, or how the process ended. */
function reasonOf(how: string, lastWords: string): string {
  const message = /^\w*Error\b.*$/m.exec(lastWords)?.[0];
  return printable(message ?? `its process ended: ${how}`).slice(0, REASON_CHARACTERS);
}
