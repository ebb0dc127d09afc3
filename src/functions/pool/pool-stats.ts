import { type FunctionProcess, isOpen } from "./function-process.ts";

export interface PoolStats {
  /** All processes, including the spare. */
  readonly processes: number;
  /** The most processes that may serve organizations at once. */
  readonly processesMax: number;
  /** Processes that serve an organization. */
  readonly assigned: number;
  /** Processes that can take a run. */
  readonly ready: number;
  readonly active: number;
  readonly queued: number;
  /** Processes that were killed because of a function, other than those of shadow runs. */
  readonly killed: number;
  readonly shadowsKilled: number;
  readonly pids: readonly number[];
}

export function statsOf(
  processes: Iterable<FunctionProcess>,
  counted: Pick<PoolStats, "processesMax" | "queued" | "killed" | "shadowsKilled">,
): PoolStats {
  const all = [...processes];
  return {
    processes: all.length,
    assigned: all.filter(({ organizationId }) => organizationId !== null).length,
    ready: all.filter(isOpen).length,
    active: all.reduce((sum, { runs }) => sum + runs.size, 0),
    ...counted,
    pids: all.flatMap(({ child }) => child.pid ?? []),
  };
}
