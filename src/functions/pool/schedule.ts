import { BoundedMap } from "../../terms/collections/bounded-map.ts";
import { FairShare } from "../../terms/concurrency/fair-share.ts";
import { RoundRobinQueue } from "../../terms/concurrency/round-robin-queue.ts";
import { type FunctionProcess, isOpen } from "./function-process.ts";
import type { Running } from "./running.ts";

export interface ScheduleOptions {
  readonly now: () => number;
  /** The most processes that serve organizations at once. */
  readonly processes: number;
  readonly memoryMb: number;
  readonly runsPerProcess: number;
  readonly waitingPerOrganization: number;
}

/** Default of the most waiting runs of one organization. */
export const WAITING_PER_ORGANIZATION = 256;
/** How long a process serves its organization before it is given up for another one that waits, in ms. */
export const SERVE_MS = 1_000;
/** Runs that may use at most this much memory do not raise the limit of their process. */
const PLAIN_MEMORY_MB = 64;
/** Memory that all runs above `PLAIN_MEMORY_MB` in one process may use together. */
export const LARGE_RUNS_MB = 512;

/**
 * After each such interval without an exceeded limit, twice as many runs of an organization may share a process again.
 */
const RECOVERS_MS = 60_000;
/** The most simultaneous shadow runs in one process. */
const SHADOW_RUNS = 4;
/** The most organizations with a reduced number of runs that are remembered. */
const REDUCED_MAX = 10_000;

export interface Scheduled {
  readonly running: Running;
  readonly process: FunctionProcess;
}

/**
 * Decides which run starts next, and in which process.
 *
 * 1. A process serves one organization from its first run until its end.
 * 2. Organizations with waiting runs are served round robin. A run goes into a process of its organization that has
 *    capacity for it, otherwise into a spare, if fewer than `processes` serve organizations. An organization may have
 *    more than one process, as long as it leaves as many for others.
 * 3. If an organization without a process waits, an idle process is given up for it. If none is idle, it is the one
 *    that has served its organization longest, after at least `SERVE_MS`: it takes no new runs, and ends after its last
 *    one.
 * 4. After a process has exceeded its memory limit, half as many runs of its organization share a process for a while.
 * 5. Shadow runs have processes of their own, so that they cannot end a real run. Such a process never takes the last
 *    spare, and is given up at once when an organization needs its place.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #processes: ReadonlySet<FunctionProcess>;
  readonly #waiting = new RoundRobinQueue<Running>();
  /** The processes of each organization, including those that are ending. */
  readonly #assigned: FairShare;

  readonly #reduced = new BoundedMap<string, { readonly runs: number; readonly since: number }>(REDUCED_MAX);

  constructor(processes: ReadonlySet<FunctionProcess>, options: ScheduleOptions) {
    this.#processes = processes;
    this.#options = options;
    this.#assigned = new FairShare(options.processes);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a run waits although another process could be assigned. */
  get needsProcess(): boolean {
    return this.waiting > 0 && this.#assigned.inUse < this.#options.processes;
  }

  /** Whether a run waits for another one to end, and not only for a process to start. */
  get isFull(): boolean {
    return this.#waiting.items().some(({ job }) => !this.#assigned.fits(job.organizationId));
  }

  /** Processes of shadow runs. They take places of `processes`, but count to no organization. */
  get shadowProcesses(): readonly FunctionProcess[] {
    return [...this.#processes].filter(({ isShadow, killed }) => isShadow && !killed);
  }

  /** Whether a shadow run may have one more process. */
  get hasShadowPlace(): boolean {
    return this.#assigned.inUse + this.shadowProcesses.length < this.#options.processes;
  }

  /** The processes of shadow runs whose places organizations need, or have taken. */
  shadowsToEnd(): readonly FunctionProcess[] {
    const shadows = this.shadowProcesses;
    return shadows.slice(0, Math.max(0, this.#assigned.inUse + shadows.length - this.#options.processes));
  }

  /**
   * Adds a shadow run to a process that is returned. Returns `full` if its organization has one that has no capacity, and
   * `undefined` if it has none and no spare is free for it.
   */
  placeShadow(running: Running): FunctionProcess | "full" | undefined {
    const { organizationId, memoryMb } = running.job;
    const own = this.shadowProcesses.find((process) => process.organizationId === organizationId);
    if (own !== undefined) {
      if (!isOpen(own) || own.crowded || own.runs.size >= SHADOW_RUNS) return "full";
      if (memoryMb > PLAIN_MEMORY_MB && largeRunsMb(own) + memoryMb > LARGE_RUNS_MB) return "full";
      return this.#join(own, running);
    }
    const spares = [...this.#processes].filter((process) => isOpen(process) && process.organizationId === null);
    if (spares.length < 2 || !this.hasShadowPlace) return undefined;
    const process = spares.at(-1)!;
    process.isShadow = true;
    process.organizationId = organizationId;
    process.assignedAt = this.#options.now();
    process.limitMb = this.#options.memoryMb;
    return this.#join(process, running);
  }

  /** Queues a run. Returns false if too many runs of its organization are waiting. */
  add(running: Running): boolean {
    const { organizationId } = running.job;
    // The limit does not apply to files being loaded, of which all must be loaded.
    const { waitingPerOrganization } = this.#options;
    if (organizationId !== "" && this.#waiting.of(organizationId) >= waitingPerOrganization) return false;
    this.#waiting.add(organizationId, running);
    return true;
  }

  remove(running: Running): void {
    this.#waiting.remove(running.job.organizationId, running);
  }

  /** Removes and returns all waiting runs. */
  clear(): Running[] {
    return this.#waiting.clear();
  }

  /** Takes the next run that can start, and adds it to the process that is returned with it. */
  next(): Scheduled | undefined {
    let process = undefined as FunctionProcess | undefined;
    const running = this.#waiting.next(
      () => true,
      (waiting) => (process = this.#processFor(waiting)) !== undefined,
    );
    if (running === undefined || process === undefined) return undefined;
    if (process.organizationId === null) this.#assign(process, running.job.organizationId);
    return { running, process: this.#join(process, running) };
  }

  #join(process: FunctionProcess, running: Running): FunctionProcess {
    process.runs.set(running.id, running);
    process.limitMb = Math.max(process.limitMb, this.#limitMb(process));
    return process;
  }

  /** The processes to give up now for organizations that have none. */
  toGiveUp(): FunctionProcess[] {
    const { now, processes } = this.#options;
    const owners = new Set(this.#waiting.items().map(({ job }) => job.organizationId));
    const lacking = [...owners].filter((owner) => this.#assigned.of(owner) === 0).length;
    const assigned = [...this.#processes].filter(
      ({ organizationId, isShadow }) => organizationId !== null && !isShadow,
    );
    const serving = assigned.filter(({ retired }) => !retired);
    const coming = processes - this.#assigned.inUse + (assigned.length - serving.length);
    const idle = serving.filter(({ runs }) => runs.size === 0).sort((a, b) => a.idleSince - b.idleSince);
    const served = serving
      .filter(({ runs, assignedAt }) => runs.size > 0 && now() - assignedAt >= SERVE_MS)
      .sort((a, b) => a.assignedAt - b.assignedAt);
    return [...idle, ...served].slice(0, Math.max(0, lacking - coming));
  }

  /** Reduces the runs per process of an organization, after one exceeded its memory limit. */
  reduce({ organizationId, runs, isShadow }: FunctionProcess): void {
    if (organizationId === null || isShadow) return;
    this.#reduced.set(organizationId, { runs: Math.max(1, Math.floor(runs.size / 2)), since: this.#options.now() });
  }

  /** Releases a process that is gone or becomes a spare. */
  release(process: FunctionProcess): void {
    if (process.organizationId !== null && !process.isShadow) this.#assigned.give(process.organizationId);
    process.organizationId = null;
    process.isShadow = false;
  }

  #processFor(running: Running): FunctionProcess | undefined {
    const { organizationId } = running.job;
    let spare: FunctionProcess | undefined;
    for (const process of this.#processes) {
      if (!isOpen(process) || process.isShadow) continue;
      if (process.organizationId === organizationId && this.#hasCapacity(process, running)) return process;
      if (process.organizationId === null) spare ??= process;
    }
    return this.#assigned.fits(organizationId) ? spare : undefined;
  }

  #hasCapacity(process: FunctionProcess, { job }: Running): boolean {
    if (process.crowded || process.runs.size >= this.#runsMax(job.organizationId)) return false;
    return job.memoryMb <= PLAIN_MEMORY_MB || largeRunsMb(process) + job.memoryMb <= LARGE_RUNS_MB;
  }

  /** The most simultaneous runs of an organization in one process. */
  #runsMax(organizationId: string): number {
    const { now, runsPerProcess } = this.#options;
    const reduced = this.#reduced.get(organizationId);
    if (reduced === undefined) return runsPerProcess;
    return Math.min(runsPerProcess, reduced.runs * 2 ** Math.floor((now() - reduced.since) / RECOVERS_MS));
  }

  #assign(process: FunctionProcess, organizationId: string): void {
    this.#assigned.take(organizationId);
    process.organizationId = organizationId;
    process.assignedAt = this.#options.now();
    process.limitMb = this.#options.memoryMb;
  }

  /** V8 needs up to twice the memory that a function uses. */
  #limitMb({ runs }: FunctionProcess): number {
    let limitMb = this.#options.memoryMb;
    for (const { job } of runs.values()) limitMb += 2 * Math.max(0, job.memoryMb - PLAIN_MEMORY_MB);
    return limitMb;
  }
}

function largeRunsMb({ runs }: FunctionProcess): number {
  let megabytes = 0;
  for (const { job } of runs.values()) if (job.memoryMb > PLAIN_MEMORY_MB) megabytes += job.memoryMb;
  return megabytes;
}
