import type { Clock } from "../../terms/clock.ts";
import { nameLargest, type Named, type Weighed } from "./largest-run.ts";
import type { FromChild } from "./messages.ts";
import type { Running } from "./running.ts";
import { limitBytes, type HostProcess } from "./host-process.ts";

export interface MemoryWatchParts {
  readonly clock: Clock;
  readonly hosts: ReadonlySet<HostProcess>;
  /** The resident megabytes above which a process for everyone is examined. */
  readonly childMemoryMb: number;
  /** Ends a run for what it holds. */
  readonly endRun: (host: HostProcess, named: Named) => void;
  /** Reports how much memory the process returned after that run. */
  readonly gaveBack: (running: Running, bytes: number) => void;
  /** Lets the process take no new runs and end when it is empty; nobody is blamed. */
  readonly retire: (host: HostProcess) => void;
  /** Kills the process, as the last resort. `null`: it is unknown which run holds so much. */
  readonly kill: (host: HostProcess, named: Running | null) => void;
}

const LOOK_EVERY_MS = 50;
/** A process over its limit that does not answer within this time is killed; on a busy machine an answer takes time. */
const ANSWER_WITHIN_MS = 2_000;
/** Above this multiple of the limit, there is no time to end one run after another. */
const HOPELESS_AT = 2;
/** Above this multiple, there is no time to wait for a late answer. */
const DANGEROUS_AT = 4;
const DANGEROUS_WITHIN_MS = 500;

/** Memory that falls by this much between question and answer is being returned by a run that has ended. */
const FALL_BYTES = 4 * 1_048_576;
/** How many times in a row that is waited for: a run could take and return memory on purpose. */
const FALLS_MAX = 6;

type Relief =
  /** `looks`: since the question. Counted instead of time, which also passes while this process is stopped. */
  | { readonly stage: "asked"; looks: number; readonly rssBytes: number }
  /** `rssBytes`: what the process held before. `gone`: the run has left, but its memory is returned a moment later. */
  | {
      readonly stage: "ending";
      readonly running: Running;
      readonly rssBytes: number;
      /** No other run was ended at the same time, so the memory that is returned was its own. */
      readonly alone: boolean;
      gone: boolean;
    };

/**
 * Watches the resident memory of the processes. A process over its limit first disposes of idle isolates and reports
 * what each of the others holds. If it is still over the limit, the largest run of the organization that holds the most
 * is ended, and the process is examined again. Only a measurement names a run: without one, the process is replaced and
 * nobody is blamed. Nor is anybody while the memory falls: it is that of a run that has ended already.
 */
export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  readonly #reliefs = new WeakMap<HostProcess, Relief>();
  /** How many times in a row its memory was falling. */
  readonly #falls = new WeakMap<HostProcess, number>();
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
  }

  /** To be called whenever a run begins. Goes on until all processes are empty and within their limits. */
  begin(): void {
    if (this.#cancel !== undefined || this.#stopped) return;
    this.#cancel = this.#parts.clock.after(LOOK_EVERY_MS, () => {
      this.#cancel = undefined;
      let goesOn = false;
      for (const host of this.#parts.hosts) if (!host.killed && this.#look(host)) goesOn = true;
      if (goesOn) this.begin();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** The process has reported what its isolates hold. */
  heard(host: HostProcess, { runs }: Extract<FromChild, { type: "weighed" }>): void {
    const relief = this.#reliefs.get(host);
    if (host.killed || relief?.stage !== "asked") return;
    this.#reliefs.delete(host);
    const rssBytes = host.process.rssBytes();
    const limit = limitBytes(host, this.#parts.childMemoryMb);
    // Disposing of idle isolates was enough.
    if (rssBytes <= limit) {
      this.#falls.delete(host);
      return;
    }
    const isHopeless = rssBytes > HOPELESS_AT * limit;
    const falls = this.#falls.get(host) ?? 0;
    if (!isHopeless && relief.rssBytes - rssBytes >= FALL_BYTES && falls < FALLS_MAX) {
      this.#falls.set(host, falls + 1);
      return;
    }
    this.#falls.delete(host);
    const weighed: Weighed[] = [];
    // Nobody is ended for what an earlier run has left, unless there is no time to be so exact.
    for (const { id, bytes, leftBytes } of runs) {
      const running = host.runs.get(id);
      const ownBytes = bytes === null || isHopeless ? bytes : Math.max(0, bytes - leftBytes);
      if (running !== undefined && !running.over) weighed.push({ running, bytes: ownBytes });
    }
    const named = this.#name(weighed, rssBytes, limit, host);
    const [first] = named;
    if (first !== undefined) {
      this.#reliefs.set(host, {
        stage: "ending",
        running: first.running,
        rssBytes,
        alone: named.length === 1,
        gone: false,
      });
      for (const one of named) this.#parts.endRun(host, one);
    } else if (isHopeless && host.runs.size > 0) this.#parts.kill(host, null);
    else this.#parts.retire(host);
  }

  /**
   * Names one run. If the process is far over its limit, names as many as it takes, by their measured sizes, to get it
   * out of danger.
   */
  #name(weighed: readonly Weighed[], rssBytes: number, limit: number, host: HostProcess): Named[] {
    const named: Named[] = [];
    let left = weighed;
    let bytes = rssBytes;
    do {
      const largest = nameLargest(left, bytes, host.emptyBytes);
      if (largest === null || (named.length > 0 && !largest.measured)) break;
      named.push(largest);
      bytes -= largest.bytes;
      left = left.filter(({ running }) => running !== largest.running);
    } while (bytes > HOPELESS_AT * limit);
    return named;
  }

  /** Returns whether to look again. */
  #look(host: HostProcess): boolean {
    const rssBytes = host.process.rssBytes();
    const limit = limitBytes(host, this.#parts.childMemoryMb);
    const over = rssBytes > limit;
    if (!over) this.#falls.delete(host);
    const withinMs = rssBytes > DANGEROUS_AT * limit ? DANGEROUS_WITHIN_MS : ANSWER_WITHIN_MS;
    const relief = this.#reliefs.get(host);
    if (relief?.stage === "ending") this.#lookAfter(host, relief, rssBytes, limit);
    else if (over && relief === undefined) this.#ask(host, rssBytes);
    else if (relief !== undefined && (relief.looks += 1) * LOOK_EVERY_MS > withinMs) {
      this.#reliefs.delete(host);
      if (over) this.#parts.kill(host, null);
    }
    return host.runs.size > 0 || over;
  }

  #ask(host: HostProcess, rssBytes: number): void {
    this.#reliefs.set(host, { stage: "asked", looks: 0, rssBytes });
    host.process.send({ type: "weigh" });
  }

  /** What its end returned is also a measurement, and the only one for a thread that was too busy to answer. */
  #lookAfter(host: HostProcess, relief: Extract<Relief, { stage: "ending" }>, rssBytes: number, limit: number): void {
    const { running } = relief;
    if (host.runs.has(running.id)) {
      if (rssBytes > HOPELESS_AT * limit && rssBytes > relief.rssBytes) this.#parts.kill(host, running);
      return;
    }
    if (!relief.gone) {
      relief.gone = true;
      return;
    }
    this.#reliefs.delete(host);
    if (relief.alone) this.#parts.gaveBack(running, relief.rssBytes - rssBytes);
  }
}
