import type { Clock } from "../../terms/clock.ts";
import { nameLargest, type Named, type Weighed } from "./largest-run.ts";
import type { FromChild } from "./messages.ts";
import type { Running } from "./running.ts";
import { limitBytes, type HostProcess } from "./host-process.ts";

export interface MemoryWatchParts {
  readonly clock: Clock;
  readonly hosts: ReadonlySet<HostProcess>;
  /** Resident megabytes at which a plain process is looked into. */
  readonly childMemoryMb: number;
  /** To end a run for what it holds. */
  readonly endRun: (host: HostProcess, named: Named) => void;
  /** What the process gave back when that run had gone. */
  readonly gaveBack: (running: Running, bytes: number) => void;
  /** The process takes nothing new and goes when it is empty: nobody is to blame. */
  readonly retire: (host: HostProcess) => void;
  /** Nothing else is left. `null`: it cannot be told who holds so much. */
  readonly kill: (host: HostProcess, named: Running | null) => void;
}

const LOOK_EVERY_MS = 50;
/** A process whose own thread says nothing for so long cannot be relieved; on a busy machine it takes its time. */
const ANSWER_WITHIN_MS = 2_000;
/** At so many times its limit there is no time left to end one run after the other. */
const HOPELESS_AT = 2;
/** And at so many no time to wait for an answer that is late. */
const DANGEROUS_AT = 4;
const DANGEROUS_WITHIN_MS = 500;

type Relief =
  | { readonly stage: "asked"; readonly askedAt: number }
  /** `rssBytes`: what the process held before. `gone`: the run has left; its memory takes a moment longer. */
  | {
      readonly stage: "ending";
      readonly running: Running;
      readonly rssBytes: number;
      /** No other was ended with it: what comes back was its. */
      readonly alone: boolean;
      gone: boolean;
    };

/**
 * Watches the resident memory of the processes. One that is over its limit first drops what it only keeps warm and says
 * what each isolate holds; if it still is over it, the largest run of whoever holds most is ended, and then it is looked
 * at anew. Only a measurement names a run: when none does, the process is replaced and nobody is blamed.
 */
export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  readonly #reliefs = new WeakMap<HostProcess, Relief>();
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
  }

  /** To be told whenever a run begins; goes on until all processes are empty and within their limits. */
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

  /** What its isolates hold, from the process itself. */
  heard(host: HostProcess, { runs }: Extract<FromChild, { type: "weighed" }>): void {
    if (host.killed || this.#reliefs.get(host)?.stage !== "asked") return;
    this.#reliefs.delete(host);
    const rssBytes = host.process.rssBytes();
    const limit = limitBytes(host, this.#parts.childMemoryMb);
    // What it only kept warm was all.
    if (rssBytes <= limit) return;
    const weighed: Weighed[] = [];
    for (const { id, bytes } of runs) {
      const running = host.runs.get(id);
      if (running !== undefined && !running.over) weighed.push({ running, bytes });
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
    } else if (rssBytes > HOPELESS_AT * limit && host.runs.size > 0) this.#parts.kill(host, null);
    else this.#parts.retire(host);
  }

  /** One; and where the process is far over its limit, as many as bring it out of danger by what they were measured to hold. */
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

  /** Whether there is a reason to look again. */
  #look(host: HostProcess): boolean {
    const rssBytes = host.process.rssBytes();
    const limit = limitBytes(host, this.#parts.childMemoryMb);
    const over = rssBytes > limit;
    const withinMs = rssBytes > DANGEROUS_AT * limit ? DANGEROUS_WITHIN_MS : ANSWER_WITHIN_MS;
    const relief = this.#reliefs.get(host);
    if (relief?.stage === "ending") this.#lookAfter(host, relief, rssBytes, limit);
    else if (over && relief === undefined) this.#ask(host);
    else if (relief !== undefined && this.#parts.clock.now() - relief.askedAt > withinMs) {
      this.#reliefs.delete(host);
      if (over) this.#parts.kill(host, null);
    }
    return host.runs.size > 0 || over;
  }

  #ask(host: HostProcess): void {
    this.#reliefs.set(host, { stage: "asked", askedAt: this.#parts.clock.now() });
    host.process.send({ type: "weigh" });
  }

  /** What its end gave back is a measurement too, and the only one of a thread that does not come out to answer. */
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
