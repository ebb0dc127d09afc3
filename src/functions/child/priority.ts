import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Below the service: how much less of a busy processor a thread of this process gets. */
export const LOW_PRIORITY = 5;
/** Below other processes of functions, too. */
export const LEAST_PRIORITY = 10;
const LOWEST = 19;

const before = getPriority();

/**
 * Gives the threads of this process a priority so much below that which it was started with. It cannot be raised again:
 * the system allows that to nobody but its administrator. New threads get the priority of the thread that makes them.
 */
export function giveWay(by: number): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, Math.min(LOWEST, before + by));
    } catch {
      // It has ended, or the system does not allow it: then the process keeps the priority that it has.
    }
  }
}

/** On Linux, a priority is that of a thread; elsewhere, that of the process. */
function threads(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
