import { FairShare } from "../../terms/fair-share.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";
import type { Demands } from "./demands.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";
import { isOpen, newApart, PLAIN_MEMORY_MB, type HostProcess } from "./host-process.ts";

export interface PlacementOptions {
  readonly now: () => number;
  readonly quarantine: Quarantine;
  readonly demands: Demands;
  /** Processes that take everyone's runs; ready ones beyond them are spares. */
  readonly children: number;
  readonly runsPerChild: number;
  /** The most processes for runs that must not share one with other organizations. */
  readonly apart: number;
  readonly waitingPerOrganization: number;
}

/** How much memory the runs in one process that is set apart may use together. */
const APART_GRANT_MB = 512;
/** How long a run that uses much CPU time waits for a process that is being started. */
const APART_WAIT_MS = 5_000;
/** How many runs an organization has among the others whose functions are new, so that nobody knows what they need. */
const NEW_AT_ONCE = 4;
/**
 * How many runs an organization has in a process with those of others, whatever they need. If each fills what it may,
 * the process is still far below the size at which it is killed, and its own thread is not behind too many others to hear
 * which of them are to be ended.
 */
export const AMONG_OTHERS = 16;
/** The default. */
export const WAITING_PER_ORGANIZATION = 256;

/** A process with room for a run, and whether it is set apart or is to be. */
interface Place {
  readonly host: HostProcess;
  readonly apart: boolean;
}

export type Placed = { readonly running: Running; readonly host: HostProcess | null };

/**
 * Decides where runs go, and which is next. Organizations share the places fairly and take turns waiting. A run that
 * may use much memory or is known to, uses much CPU time, or may have ended a process, goes into a process that is set
 * apart for its organization. There it affects no other organization, and however many such runs one has, the others
 * still get a process. As long as it is not known what a function needs, a few of its runs begin, and the others wait
 * for a moment.
 */
export class Placement {
  readonly #options: PlacementOptions;
  readonly #hosts: ReadonlySet<HostProcess>;
  readonly #waiting = new TurnQueue<Running>();
  readonly #places: FairShare;
  readonly #apart: FairShare;

  constructor(hosts: ReadonlySet<HostProcess>, options: PlacementOptions) {
    this.#hosts = hosts;
    this.#options = options;
    this.#places = new FairShare(options.children * options.runsPerChild);
    this.#apart = new FairShare(options.apart);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns false if too many runs of its organization are waiting. */
  add(running: Running): boolean {
    const { organizationId } = running.job;
    // A file that is being loaded belongs to no organization, and all files must be loaded.
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

  /** The next run that need not wait, with its process, in which its place is now taken; `null`: it must not be run. */
  next(): Placed | undefined {
    let place = null as Place | null;
    let newRuns: ReadonlyMap<string, number> | undefined;
    const tries = (organizationId: string): number => (newRuns ??= this.#newRuns()).get(organizationId) ?? 0;
    const running = this.#waiting.next(
      () => true,
      (waiting) => {
        if (waiting.over || this.#standingOf(waiting) === "quarantined") return true;
        place = this.#placeFor(waiting, tries);
        return place !== null;
      },
    );
    if (running === undefined) return undefined;
    if (place !== null) this.#take(running, place);
    return { running, host: place?.host ?? null };
  }

  /** A run has left its process, and has been removed from `runs`. */
  left(running: Running, host: HostProcess): void {
    const { organizationId } = running.job;
    if (host.apart === null) return this.#places.give(organizationId);
    host.apart.grantedMb -= running.grantedMb;
    if (host.runs.size > 0) return;
    this.#apart.give(organizationId);
    Object.assign(host.apart, newApart());
  }

  /** Whether a waiting run may have a process set apart, but there is no spare that could become one. */
  get lacksApart(): boolean {
    let lacks = false;
    this.#waiting.next(
      (owner) => !lacks && this.#apart.fits(owner) && this.#apartCount() < this.#options.apart,
      (waiting) => {
        lacks ||= this.#needsApart(waiting) || this.#isBusy(waiting) || this.#isSurplus(this.#openTo(waiting));
        return false;
      },
    );
    return lacks;
  }

  /** @param tries how many runs of new functions an organization has among the others */
  #placeFor(running: Running, tries: (organizationId: string) => number): Place | null {
    if (this.#needsApart(running)) return apartIn(this.#apartFor(running, running.job.memoryMb));
    if (this.#isBusy(running)) {
      const apart = apartIn(this.#apartFor(running, this.#busyMb));
      if (apart !== null || this.#waitsApart(running)) return apart;
      // It costs others only time, so it may run among them where no process can be set apart.
    } else if (this.#isNew(running) && tries(running.job.organizationId) >= NEW_AT_ONCE) return null;
    const open = this.#openTo(running);
    return this.#isSurplus(open) ? apartIn(this.#apartFor(running, this.#busyMb)) : this.#plainFor(running, open);
  }

  /** The processes for everyone in which its organization has not as many runs as it may. */
  #openTo({ job }: Running): HostProcess[] {
    const hosts = this.#plain();
    return job.what === "start" ? hosts.filter((host) => !hasItsPart(host, job.organizationId)) : hosts;
  }

  /** Whether a run goes beyond the part of its organization, if these are open to it. */
  #isSurplus(open: readonly HostProcess[]): boolean {
    return open.length === 0 && this.#plain().length > 0;
  }

  /** Whether a process will soon be ready that can be set apart for it: a spare that is taken is replaced. */
  #waitsApart(running: Running): boolean {
    if (!this.#apart.fits(running.job.organizationId) || this.#apartCount() >= this.#options.apart) return false;
    const now = this.#options.now();
    running.waitsApartSince ??= now;
    return now - running.waitsApartSince < APART_WAIT_MS;
  }

  /** Nobody knows what its function needs. */
  #isNew({ job }: Running): boolean {
    return job.what === "start" && this.#options.demands.isNew(job.isolate);
  }

  /** How many of these each organization has in processes for everybody. */
  #newRuns(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { apart, runs } of this.#hosts) {
      if (apart !== null) continue;
      for (const running of runs.values()) {
        const { organizationId } = running.job;
        if (this.#isNew(running)) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
      }
    }
    return counts;
  }

  #plainFor({ job }: Running, open: readonly HostProcess[]): Place | null {
    if (!this.#places.fits(job.organizationId)) return null;
    const host = choosePlain(open, job.isolate, this.#options.runsPerChild);
    return host === undefined ? null : { host, apart: false };
  }

  /** First one where it fits beside others of its organization, then one that is free, then a spare. */
  #apartFor(running: Running, memoryMb: number): HostProcess | undefined {
    const { organizationId } = running.job;
    const ready = [...this.#hosts].filter((host) => isOpen(host) && host.apart !== null);
    if (this.#standingOf(running) !== "alone") {
      const shared = ready.find(
        ({ apart }) =>
          apart!.owner === organizationId && !apart!.exclusive && apart!.grantedMb + memoryMb <= APART_GRANT_MB,
      );
      if (shared !== undefined) return shared;
    }
    if (!this.#apart.fits(organizationId)) return undefined;
    const free = ready.find(({ apart }) => apart!.owner === null);
    if (free !== undefined || this.#apartCount() >= this.#options.apart) return free;
    return [...this.#hosts]
      .filter((host) => isOpen(host) && host.apart === null)
      .slice(this.#options.children)
      .find((host) => host.runs.size === 0);
  }

  #take(running: Running, { host, apart: isApart }: Place): void {
    const { organizationId, memoryMb } = running.job;
    running.isKnownBusy = this.#isBusy(running);
    this.#options.demands.began(running.job.isolate);
    if (!isApart) return void this.#places.take(organizationId);
    const apart = (host.apart ??= newApart());
    if (apart.owner === null) this.#apart.take(organizationId);
    apart.owner = organizationId;
    apart.exclusive = this.#standingOf(running) === "alone";
    running.grantedMb = this.#needsApart(running) ? memoryMb : this.#busyMb;
    apart.grantedMb += running.grantedMb;
    apart.mostGrantedMb = Math.max(apart.mostGrantedMb, apart.grantedMb);
  }

  /** Does not apply to files that are being loaded, which need much memory but only briefly. */
  #needsApart(running: Running): boolean {
    const { what, memoryMb, isolate } = running.job;
    const isLarge = memoryMb > PLAIN_MEMORY_MB || this.#options.demands.needsMemory(isolate);
    return (what === "start" && isLarge) || this.#standingOf(running) === "alone";
  }

  #isBusy({ job }: Running): boolean {
    return job.what === "start" && this.#options.demands.needsCpu(job.isolate);
  }

  /** So that as many fit into one process as into any other. */
  get #busyMb(): number {
    return APART_GRANT_MB / this.#options.runsPerChild;
  }

  #standingOf(running: Running): ReturnType<Quarantine["standingOf"]> {
    return this.#options.quarantine.standingOf(running.job.isolate);
  }

  #plain(): HostProcess[] {
    return [...this.#hosts].filter((host) => isOpen(host) && host.apart === null).slice(0, this.#options.children);
  }

  #apartCount(): number {
    let count = 0;
    for (const { apart, killed } of this.#hosts) if (apart !== null && !killed) count += 1;
    return count;
  }
}

function hasItsPart({ runs }: HostProcess, organizationId: string): boolean {
  let its = 0;
  for (const { job } of runs.values()) if (job.organizationId === organizationId) its += 1;
  return its >= AMONG_OTHERS;
}

function apartIn(host: HostProcess | undefined): Place | null {
  return host === undefined ? null : { host, apart: true };
}

/** The least busy process. Among equals, always the same for the same isolate, because that probably has it ready. */
function choosePlain(hosts: readonly HostProcess[], isolate: string, runsMax: number): HostProcess | undefined {
  const open = hosts.filter((host) => host.runs.size < runsMax);
  if (open.length < 2) return open[0];
  const home = open[hashOf(isolate) % open.length]!;
  const least = open.reduce((best, host) => (host.runs.size < best.runs.size ? host : best));
  return home.runs.size === least.runs.size ? home : least;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash >>> 0;
}
