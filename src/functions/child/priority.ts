import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Nice levels below the service for threads that run authors' code. */
export const LOW_PRIORITY = 5;
/** Nice levels below the service for a process that uses more than its share of processor time. */
export const LEAST_PRIORITY = 10;
/** Nice levels below the service for a process of shadow runs, for which nobody waits. */
export const SHADOW_PRIORITY = 15;
/**
 * Nice levels by which the main thread is above the others. It has little to do, but receives the messages that end
 * runs. Behind dozens of threads that allocate memory it would receive them too late.
 */
const MAIN_AHEAD = 3;
const LOWEST = 19;

const before = getPriority();
let below = 0;
let known = new Set<number>();

/**
 * Lowers the priority of this process's threads to `by` nice levels below its initial one. Only root could raise it
 * again.
 */
export function lowerPriority(by: number): void {
  below = by;
  known = new Set();
  const hasThreads = threadsOf(process.pid).length > 0;
  lower(process.pid, hasThreads ? below - MAIN_AHEAD : below);
  lowerNewThreads();
}

/** Call this when there may be new threads: a thread inherits the priority of its creator, often the main thread. */
export function lowerNewThreads(): void {
  for (const thread of threadsOf(process.pid)) {
    if (thread === process.pid || known.has(thread)) continue;
    known.add(thread);
    lower(thread, below);
  }
}

function lower(thread: number, by: number): void {
  try {
    setPriority(thread, Math.min(LOWEST, before + by));
  } catch {
    // The thread has ended, or the system does not allow the change. Then the priority stays.
  }
}

/** The ids of the threads. Empty outside Linux, where only processes have priorities. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
