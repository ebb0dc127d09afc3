import type { Clock } from "../../terms/clock.ts";

const STEP_MS = 100;

/**
 * Calls back when another process has not answered for so long. Waits in steps, of which each counts no more than its
 * length: if this process was stopped meanwhile, or both were, the other gets its time and its answer is read first.
 */
export function whenSilent(clock: Clock, forMs: number, hasAnswered: () => boolean, callback: () => void): void {
  clock.after(STEP_MS, () => {
    if (hasAnswered()) return;
    if (forMs > STEP_MS) whenSilent(clock, forMs - STEP_MS, hasAnswered, callback);
    else callback();
  });
}
