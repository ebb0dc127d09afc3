import type { IsolateProcess } from "./child-process.ts";
import type { Running } from "./running.ts";

/** A process for functions and its state. */
export interface FunctionProcess {
  readonly child: IsolateProcess;
  readonly runs: Map<number, Running>;
  readonly bornAt: number;
  readonly exited: Promise<void>;
  ready: boolean;
  /**
   * The organization that the process serves, from its first run until its end. `null`: a spare. `""`: a process that
   * loads files, which belong to no organization.
   */
  organizationId: string | null;
  /** Whether the process runs only shadow runs. */
  isShadow: boolean;
  /** When the process was assigned to that organization. */
  assignedAt: number;
  /** When its last run ended. */
  idleSince: number;
  /**
   * The resident memory in MiB above which the process is killed. It rises with the memory that its runs may use, and
   * falls when the process is empty.
   */
  limitMb: number;
  /** Nearly at its limit: the process takes no new runs. */
  crowded: boolean;
  /** The process takes no new runs, and is ended after its last one. */
  retired: boolean;
  /** A thread of the process does not leave its isolate. */
  stuck: boolean;
  killed: boolean;
}

export function isOpen({ ready, retired }: FunctionProcess): boolean {
  return ready && !retired;
}

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
