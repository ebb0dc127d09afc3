import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Below the service: how much less of a busy processor a thread with authors' code gets. */
export const LOW_PRIORITY = 5;
/** Below other processes of functions, too. */
export const LEAST_PRIORITY = 10;
/**
 * How much more the main thread gets. It has little to do, but it hears which runs are to be ended: behind dozens of
 * threads that take memory it would hear that too late.
 */
const MAIN_AHEAD = 3;
const LOWEST = 19;

const before = getPriority();
let below = 0;
let known = new Set<number>();

/**
 * Gives the threads of this process a priority so much below that which it was started with. It cannot be raised again:
 * the system allows that to nobody but its administrator.
 */
export function giveWay(by: number): void {
  below = by;
  known = new Set();
  const hasThreads = threadsOf(process.pid).length > 0;
  lower(process.pid, hasThreads ? below - MAIN_AHEAD : below);
  lowerNewThreads();
}

/** To be called when there may be new threads: they get the priority of the thread that makes them, often the main one. */
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
    // It has ended, or the system does not allow it: then it keeps the priority that it has.
  }
}

/** On Linux, a priority is that of a thread; elsewhere, that of the process, and this is empty. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
