import type { Demands } from "./demands.ts";
import { type HostProcess, letOthersFirst } from "./host-process.ts";
import type { FromChild } from "./messages.ts";
import type { Running } from "./running.ts";

export interface CpuWatchParts {
  readonly demands: Demands;
  /** Whether there is a process for new runs besides this one. */
  readonly hasOther: (host: HostProcess) => boolean;
  /** Lets the process take no new runs and end when it is empty; nobody is blamed. */
  readonly retire: (host: HostProcess) => void;
}

/**
 * Learns from the processes which functions use much CPU time. A process in which a run turns out to do so takes no more
 * runs, and lets others come first as soon as only such runs are left in it: those of others would starve there. That
 * happens once, because the next such run is placed elsewhere.
 */
export class CpuWatch {
  readonly #parts: CpuWatchParts;

  constructor(parts: CpuWatchParts) {
    this.#parts = parts;
  }

  heard(host: HostProcess, { isolates }: Extract<FromChild, { type: "used" }>): void {
    const { demands, hasOther, retire } = this.#parts;
    for (const { isolate, cpuMs } of isolates) demands.usedCpu(isolate, cpuMs);
    if (host.apart !== null || host.retired || !hasOther(host)) return;
    // A file that is being loaded may take its time.
    const isNew = ({ job, isKnownBusy }: Running): boolean =>
      job.what === "start" && !isKnownBusy && demands.needsCpu(job.isolate);
    if (![...host.runs.values()].some(isNew)) return;
    host.isBusy = true;
    this.left(host);
    retire(host);
  }

  /** A run has left the process. */
  left(host: HostProcess): void {
    const isBusy = ({ job }: Running): boolean => this.#parts.demands.needsCpu(job.isolate);
    if (host.isBusy && !host.yields && [...host.runs.values()].every(isBusy)) letOthersFirst(host);
  }
}
