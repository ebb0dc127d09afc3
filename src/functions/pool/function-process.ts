import type { IsolateProcess } from "./child-process.ts";
import type { Running } from "./running.ts";

/** One process for functions and its state. */
export interface FunctionProcess {
  readonly child: IsolateProcess;
  readonly runs: Map<number, Running>;
  readonly bornAt: number;
  readonly gone: Promise<void>;
  ready: boolean;
  /**
   * The organization whose runs it executes, from its first run until its end. `null`: a spare. `""`: files are being
   * loaded in it, which belong to no organization.
   */
  organizationId: string | null;
  /** Since when it serves that organization. */
  assignedAt: number;
  /** Since when nothing runs in it. */
  idleSince: number;
  /** The resident memory in MiB above which it is killed. It follows what its runs may use, and falls when it is empty. */
  limitMb: number;
  /** Nearly at its limit: it takes no new runs. */
  crowded: boolean;
  /** Takes no new runs, and is ended when its last one has ended. */
  retired: boolean;
  /** A thread in it does not leave its isolate. */
  stuck: boolean;
  killed: boolean;
}

export function isOpen({ ready, retired }: FunctionProcess): boolean {
  return ready && !retired;
}
