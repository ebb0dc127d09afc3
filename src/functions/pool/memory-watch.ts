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
  /** The same, and what runs there comes after everything else from now on. */
  readonly slowDown: (host: HostProcess) => void;
  /** Kills the process, as the last resort. `null`: it is unknown which run holds so much. */
  readonly kill: (host: HostProcess, named: Running | null) => void;
}

const LOOK_EVERY_MS = 50;
/**
 * A process over its limit that does not answer within the first of these times takes no more runs; it is killed after the
 * second. On a busy machine an answer takes time, and the runs in it should not suffer for that.
 */
const ANSWER_WITHIN_MS = 2_000;
const KILL_WITHIN_MS = 10_000;
/** Above this multiple of the limit, there is no time to end one run after another: as many are ended as it takes. */
const HOPELESS_AT = 2;
/** A process that is filled for this long while it is so far over its limit is killed. Threads take up to 300 ms to leave. */
const HOPELESS_WITHIN_MS = 2_000;
/** Above this multiple, there is no time to wait for that. */
const DANGEROUS_AT = 4;
/** Where several organizations run, a process has so much longer: to say who fills it, and to let those leave. */
const LAST_WITHIN_MS = 8_000;
/** Above this multiple, there is no time for that either. */
const HELPLESS_AT = 8;
/**
 * A run is named by an estimate only if its thread was too busy to answer so many times in a row, half a second
 * altogether. On a busy machine, every thread is once in a while.
 */
const SILENT_MIN = 5;
const SILENT_MIN_HOPELESS = 2;

/**
 * For so long after the thread of a run that was ended has left, its memory may still be on its way back: threads that
 * have much to return wait for a processor like all others.
 */
const RETURNED_WITHIN_MS = 4_000;

/** Memory that falls by this much between question and answer is being returned by a run that has ended. */
const FALL_BYTES = 4 * 1_048_576;
/** How many times in a row that is waited for: a run could take and return memory on purpose. */
const FALLS_MAX = 6;

/** A process that is far over its limit. Counted in looks instead of time, as below. */
interface Filling {
  /** How many of them found that it was being filled. */
  filled: number;
  /** How many of those found that it should have been killed, but for others who run there. */
  spared: number;
  /** Its largest size so far, to within `FALL_BYTES`. */
  peakBytes: number;
  /** Who has had runs there meanwhile. */
  readonly owners: Set<string>;
}

type Relief =
  /** `looks`: since the question. Counted instead of time, which also passes while this process is stopped. */
  | { readonly stage: "asked"; looks: number; readonly rssBytes: number }
  /** `rssBytes`: what the process held before. `gone`: the run has left, but its memory is returned a moment later. */
  | {
      readonly stage: "ending";
      readonly running: Running;
      readonly rssBytes: number;
      /** It was named by an estimate, and no other run was ended at the same time. */
      readonly isUnknown: boolean;
      /** The others. If one of them ends as well, the memory that is returned may be its. */
      readonly beside: readonly Running[];
      gone: boolean;
    };

/**
 * Watches the resident memory of the processes. A process over its limit first disposes of idle isolates and reports
 * what each of the others holds. If it is still over the limit, the largest run of the organization that holds the most
 * is ended, and the process is examined again. A run is named by what was measured of its isolate; one whose thread has
 * not answered for half a second, by what nothing else accounts for. If neither names one, the process is replaced and
 * nobody is blamed. Nor is anybody while the memory falls: it is that of a run that has ended already.
 */
export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  readonly #reliefs = new WeakMap<HostProcess, Relief>();
  /** How many times in a row its memory was falling. */
  readonly #falls = new WeakMap<HostProcess, number>();
  /** Those far over their limit. */
  readonly #filling = new WeakMap<HostProcess, Filling>();
  /** The run that was ended last, which is blamed if the process has to be killed before it has left. */
  readonly #ended = new WeakMap<HostProcess, Running>();
  /** Whose runs were seen leaving it after they were ended, and how many looks ago. */
  readonly #leaving = new WeakMap<HostProcess, ReadonlyMap<string, number>>();
  /** How many times in a row its thread did not answer. */
  readonly #silent = new WeakMap<Running, number>();
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
      if (running !== undefined) this.#silent.set(running, bytes === null ? (this.#silent.get(running) ?? 0) + 1 : 0);
      const ownBytes = bytes === null || isHopeless ? bytes : Math.max(0, bytes - leftBytes);
      if (running !== undefined && (isHopeless || !running.over)) weighed.push({ running, bytes: ownBytes });
    }
    const named = this.#name(weighed, rssBytes, limit, host);
    const [first] = named;
    const silentMin = isHopeless ? SILENT_MIN_HOPELESS : SILENT_MIN;
    // Until its thread answers, or it is certain that it does not.
    if (first?.measured === false && (this.#silent.get(first.running) ?? 0) < silentMin) return;
    if (first?.measured === false && this.#mayBeOfAnother(first.running, host)) return;
    if (first !== undefined) {
      this.#ended.set(host, first.running);
      this.#reliefs.set(host, {
        stage: "ending",
        running: first.running,
        rssBytes,
        isUnknown: !first.measured && named.length === 1 && ![...host.runs.values()].some(({ over }) => over),
        beside: [...host.runs.values()].filter((one) => one !== first.running),
        gone: false,
      });
      for (const one of named) this.#parts.endRun(host, one);
    } else this.#parts.retire(host);
  }

  /**
   * Names one run. If the process is far over its limit, names as many as it takes to get it within: by their measured
   * sizes, or of the organization of the first one, because otherwise all who run there would be ended. The others of
   * that organization are probably growing as well.
   */
  #name(weighed: readonly Weighed[], rssBytes: number, limit: number, host: HostProcess): Named[] {
    const named: Named[] = [];
    const enough = rssBytes > HOPELESS_AT * limit ? limit : rssBytes;
    let left = weighed;
    let bytes = rssBytes;
    do {
      const largest = nameLargest(left, bytes, host.emptyBytes);
      if (largest === null) break;
      const isOfFirst = named[0]?.running.job.organizationId === largest.running.job.organizationId;
      if (named.length > 0 && !largest.measured && !isOfFirst) break;
      named.push(largest);
      bytes -= largest.bytes;
      left = left.filter(({ running }) => running !== largest.running);
    } while (bytes > enough);
    return named;
  }

  /**
   * What is held by a run that is leaving or has just left, or by a thread that was left behind, is not measured any
   * more. An estimate would attribute it to a run that is too busy to answer.
   */
  #mayBeOfAnother({ job }: Running, host: HostProcess): boolean {
    const isOfAnother = (owner: string): boolean => owner !== job.organizationId;
    const isLeaving = (one: Running): boolean => one.over && isOfAnother(one.job.organizationId);
    const hasLeft = this.#leaving.get(host)?.keys().some(isOfAnother) ?? false;
    return hasLeft || host.isStuck || host.runs.values().some(isLeaving);
  }

  #noteLeaving(host: HostProcess): void {
    const leaving = new Map<string, number>();
    for (const [owner, looks] of this.#leaving.get(host) ?? [])
      if ((looks + 1) * LOOK_EVERY_MS <= RETURNED_WITHIN_MS) leaving.set(owner, looks + 1);
    for (const { over, job } of host.runs.values()) if (over) leaving.set(job.organizationId, 0);
    this.#leaving.set(host, leaving);
  }

  /** Returns whether to look again. */
  #look(host: HostProcess): boolean {
    const rssBytes = host.process.rssBytes();
    const limit = limitBytes(host, this.#parts.childMemoryMb);
    const over = rssBytes > limit;
    if (!over) this.#falls.delete(host);
    this.#noteLeaving(host);
    const isDangerous = rssBytes > DANGEROUS_AT * limit;
    const relief = this.#reliefs.get(host);
    const filling = this.#fillingOf(host, rssBytes, limit);
    const isFilled = filling !== null && isBeingFilled(host, filling, rssBytes);
    if (isFilled) filling.filled += 1;
    const isLast = isFilled && (isDangerous || filling.filled * LOOK_EVERY_MS > HOPELESS_WITHIN_MS);
    if (rssBytes > HELPLESS_AT * limit || (isLast && !maySpare(host, filling))) this.#kill(host);
    else if (relief?.stage === "ending")
      this.#lookAfter(host, relief, rssBytes, isLast || (filling !== null && rssBytes > relief.rssBytes));
    else if (over && relief === undefined) this.#ask(host, rssBytes);
    else if (relief !== undefined) this.#wait(host, relief, over);
    return host.runs.size > 0 || over;
  }

  #fillingOf(host: HostProcess, rssBytes: number, limit: number): Filling | null {
    let filling = this.#filling.get(host);
    if (rssBytes <= HOPELESS_AT * limit) {
      if (filling !== undefined) this.#filling.delete(host);
      return null;
    }
    if (filling === undefined) {
      filling = { filled: 0, spared: 0, peakBytes: 0, owners: new Set() };
      this.#filling.set(host, filling);
      // Threads that take memory also take the time in which the process could say who takes it.
      this.#parts.slowDown(host);
    }
    for (const { job } of host.runs.values()) filling.owners.add(job.organizationId);
    return filling;
  }

  #kill(host: HostProcess): void {
    this.#reliefs.delete(host);
    const ended = this.#ended.get(host);
    this.#parts.kill(host, ended !== undefined && host.runs.has(ended.id) ? ended : null);
  }

  #wait(host: HostProcess, relief: Extract<Relief, { stage: "asked" }>, over: boolean): void {
    relief.looks += 1;
    if (relief.looks * LOOK_EVERY_MS <= ANSWER_WITHIN_MS) return;
    if (!over) this.#reliefs.delete(host);
    else if (relief.looks * LOOK_EVERY_MS <= KILL_WITHIN_MS) this.#parts.retire(host);
    else {
      this.#reliefs.delete(host);
      this.#parts.kill(host, null);
    }
  }

  #ask(host: HostProcess, rssBytes: number): void {
    this.#reliefs.set(host, { stage: "asked", looks: 0, rssBytes });
    host.process.send({ type: "weigh" });
  }

  /** What its end returns is the only measurement of a thread that was too busy to answer. */
  #lookAfter(
    host: HostProcess,
    relief: Extract<Relief, { stage: "ending" }>,
    rssBytes: number,
    isUrgent: boolean,
  ): void {
    const { running } = relief;
    if (host.runs.has(running.id)) {
      // Others may be what makes it grow.
      if (isUrgent) this.#ask(host, rssBytes);
      return;
    }
    if (!relief.gone) {
      relief.gone = true;
      return;
    }
    this.#reliefs.delete(host);
    const isItsOwn = relief.isUnknown && relief.beside.every(({ id }) => host.runs.has(id));
    if (isItsOwn) this.#parts.gaveBack(running, relief.rssBytes - rssBytes);
  }
}

/**
 * Whether somebody still fills it: it has grown, or a run that was ended has not left. Otherwise it holds what runs have
 * left that are gone, and to kill it would cost only those who do not fill it.
 */
function isBeingFilled({ runs }: HostProcess, filling: Filling, rssBytes: number): boolean {
  const grows = rssBytes > filling.peakBytes + FALL_BYTES;
  if (grows) filling.peakBytes = rssBytes;
  return grows || [...runs.values()].some(({ over }) => over);
}

/** Whether others would be killed with whoever fills it, and there is time left to end only him. */
function maySpare({ runs }: HostProcess, filling: Filling): boolean {
  filling.spared += 1;
  if (filling.owners.size < 2 || [...runs.values()].every(({ over }) => over)) return false;
  return filling.spared * LOOK_EVERY_MS <= LAST_WITHIN_MS;
}
