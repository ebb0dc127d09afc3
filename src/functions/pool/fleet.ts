import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "../../terms/printable.ts";
import type { Clock } from "../../terms/clock.ts";
import { IsolateProcess } from "./child-process.ts";
import type { FromChild } from "./messages.ts";
import type { FunctionsLog } from "../ports.ts";
import { ReplyLane } from "./reply-queue.ts";
import type { Ward } from "./host-process.ts";

export interface FleetOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly prelude: Promise<string>;
}

export interface FleetEvents {
  /** How many processes there shall be that take everybody's runs or stand by. */
  wanted(): number;
  ready(): void;
  heard(ward: Ward, message: FromChild): void;
  /** Once, after it has gone; it is in `wards` no more. */
  died(ward: Ward, how: string, lastWords: string): void;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** A process that dies younger than this was not killed by a function. */
const STILLBORN_MS = 1_000;

/** The processes: as many as are wanted, each replaced as soon as it takes no more runs. It knows nothing of runs. */
export class Fleet {
  readonly wards: ReadonlySet<Ward>;
  readonly #wards = new Set<Ward>();
  readonly #options: FleetOptions;
  readonly #events: FleetEvents;
  #starting = false;
  #closed = false;
  #failures = 0;

  constructor(options: FleetOptions, events: FleetEvents) {
    this.wards = this.#wards;
    this.#options = options;
    this.#events = events;
  }

  /** One at a time, so that starting them does not take the machine from what is running. */
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
    } finally {
      this.#starting = false;
    }
  }

  /** Ends a process for which nothing is running any more, or shall be. */
  end(ward: Ward): void {
    ward.killed = true;
    ward.retired = true;
    ward.process.kill();
  }

  /** Ends all of them. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const wards = [...this.#wards];
    for (const ward of wards) this.end(ward);
    await Promise.all(wards.map((ward) => ward.gone));
  }

  #count(): number {
    let count = 0;
    for (const { retired, apart } of this.#wards) if (!retired && apart === null) count += 1;
    return count;
  }

  /** Resolves when it is ready, or gone. */
  #start(prelude: string): Promise<void> {
    return new Promise((settled) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const process = new IsolateProcess(prelude, {
        message: (message) => {
          if (message.type !== "ready") return this.#events.heard(ward, message);
          ward.ready = true;
          ward.emptyBytes = process.rssBytes();
          settled();
          this.#events.ready();
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
        replies: new ReplyLane(),
        bornAt: this.#options.clock.now(),
        gone: promise,
        ready: false,
        emptyBytes: 0,
        retired: false,
        apart: null,
        blamed: new Set(),
        blameSettled: false,
        killed: false,
      };
      this.#wards.add(ward);
    });
  }

  #died(ward: Ward, how: string, lastWords: string): void {
    const wasWanted = !ward.killed && (!ward.retired || ward.runs.size > 0);
    ward.retired = true;
    this.#wards.delete(ward);
    if (this.#closed) return;
    const young = this.#options.clock.now() - ward.bornAt < STILLBORN_MS;
    this.#failures = young && !ward.killed && ward.runs.size === 0 ? this.#failures + 1 : 0;
    if (wasWanted)
      this.#options.log.error({
        event: "function_process_died",
        pid: ward.process.pid,
        how,
        lastWords: printable(lastWords),
        runs: ward.runs.size,
      });
    this.#events.died(ward, how, lastWords);
  }
}
