import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "../../terms/text/printable.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { IsolateProcess } from "./child-process.ts";
import type { FromChild } from "./messages.ts";
import type { FunctionsLog } from "../ports.ts";
import type { FunctionProcess } from "./function-process.ts";

export interface FleetOptions {
  readonly clock: Clock;
  readonly log: FunctionsLog;
  readonly prelude: Promise<string>;
}

export interface FleetEvents {
  /** How many spare processes, that is without an organization, there should be. */
  sparesNeeded(): number;
  ready(): void;
  message(process: FunctionProcess, message: FromChild): void;
  /** Called once, when the process is gone and no longer in `processes`. */
  died(process: FunctionProcess, how: string): void;
  /** Called when `failure` is set. */
  failed(): void;
}

const BACKOFF_FIRST_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** A process that dies younger than this was not killed by a function. */
const STILLBORN_MS = 1_000;
/**
 * After this many consecutive processes were killed before they were ready, or could not be forked, none counts as
 * startable.
 */
const FAILED_STARTS = 3;
/** A process that exits before it is ready: its own code fails, and will fail again. */
const ENDED_ITSELF = /^code /;
const REASON_CHARACTERS = 300;

/** The processes and their spares. This class knows nothing about runs. */
export class Fleet {
  readonly processes: ReadonlySet<FunctionProcess>;
  readonly #processes = new Set<FunctionProcess>();
  readonly #options: FleetOptions;
  readonly #events: FleetEvents;
  #starting = false;
  #closed = false;
  #failures = 0;
  /** Consecutive failed starts. */
  #failedStarts = 0;
  #failure = "";

  constructor(options: FleetOptions, events: FleetEvents) {
    this.processes = this.#processes;
    this.#options = options;
    this.#events = events;
  }

  /** Why no process can be started, from those that ended before they were ready; `null` if no reason is known. */
  get failure(): string | null {
    return this.#failedStarts >= FAILED_STARTS ? this.#failure : null;
  }

  /** Starts as many spares as are wanted, one at a time, to leave processor time for runs. */
  async fill(): Promise<void> {
    if (this.#starting || this.#spares() >= this.#events.sparesNeeded()) return;
    this.#starting = true;
    try {
      const prelude = await this.#options.prelude;
      while (!this.#closed && this.#spares() < this.#events.sparesNeeded()) {
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

  /** Ends a process, together with its runs. */
  end(process: FunctionProcess): void {
    process.killed = true;
    process.retired = true;
    process.child.kill();
  }

  /** Ends all processes. Resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#processes];
    for (const process of all) this.end(process);
    await Promise.all(all.map(({ exited: gone }) => gone));
  }

  #spares(): number {
    let count = 0;
    for (const { retired, organizationId } of this.#processes) if (!retired && organizationId === null) count += 1;
    return count;
  }

  /** Resolves when the process is ready or gone. */
  #start(prelude: string): Promise<void> {
    return new Promise((settled) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const child = new IsolateProcess(prelude, {
        message: (message) => {
          if (message.type !== "ready") return this.#events.message(process, message);
          process.ready = true;
          this.#failedStarts = 0;
          settled();
          this.#events.ready();
        },
        exit: (how, lastWords) => {
          settled();
          resolve();
          this.#died(process, how, lastWords);
        },
      });
      const process: FunctionProcess = {
        child,
        runs: new Map(),
        bornAt: this.#options.clock.now(),
        exited: promise,
        ready: false,
        organizationId: null,
        isShadow: false,
        assignedAt: 0,
        idleSince: 0,
        limitMb: 0,
        crowded: false,
        retired: false,
        stuck: false,
        killed: false,
      };
      this.#processes.add(process);
    });
  }

  #died(process: FunctionProcess, how: string, lastWords: string): void {
    const wasWanted = !process.killed && (!process.retired || process.runs.size > 0);
    process.retired = true;
    this.#processes.delete(process);
    if (this.#closed) return;
    const young = !process.ready || this.#options.clock.now() - process.bornAt < STILLBORN_MS;
    this.#failures = young && !process.killed && process.runs.size === 0 ? this.#failures + 1 : 0;
    if (!process.ready && !process.killed) {
      this.#failedStarts += ENDED_ITSELF.test(how) ? FAILED_STARTS : 1;
      this.#failure = reasonOf(how, lastWords);
    }
    if (wasWanted)
      this.#options.log.error({
        event: "function_process_died",
        pid: process.child.pid,
        organization_id: process.organizationId,
        how,
        last_words: printable(lastWords),
        runs: process.runs.size,
      });
    this.#events.died(process, how);
    if (this.failure !== null) this.#events.failed();
  }
}

/** The message of the error that ended a process, without its stack; otherwise how the process ended. */
function reasonOf(how: string, lastWords: string): string {
  const message = /^\w*Error\b.*$/m.exec(lastWords)?.[0];
  return printable(message ?? `its process ended: ${how}`).slice(0, REASON_CHARACTERS);
}
