import { type HostProcess, isOpen } from "./host-process.ts";

export interface PoolStats {
  /** Processes that take everyone's runs, and spares. */
  readonly children: number;
  /** Processes with the runs of one organization only. */
  readonly apart: number;
  /** How many of these can take a run. */
  readonly ready: number;
  readonly active: number;
  readonly queued: number;
  readonly killed: number;
  readonly pids: readonly number[];
}

export function statsOf(all: Iterable<HostProcess>, counted: Pick<PoolStats, "queued" | "killed">): PoolStats {
  const hosts = [...all];
  return {
    children: hosts.filter(({ apart }) => apart === null).length,
    apart: hosts.filter(({ apart }) => apart !== null).length,
    ready: hosts.filter((host) => isOpen(host) && host.apart === null).length,
    active: hosts.reduce((sum, { runs }) => sum + runs.size, 0),
    ...counted,
    pids: hosts.flatMap(({ process }) => process.pid ?? []),
  };
}
