import type { Clock } from "./clock.ts";

const STEP_MS = 100;

/**
 * Calls back when somebody else has not answered for so long; returns a function that cancels it. Waits in steps, of which
 * each counts no more than its length: if this process was stopped meanwhile, or both were, the other gets its time and
 * its answer is read first.
 */
export function whenSilent(clock: Clock, forMs: number, callback: () => void): () => void {
  const stepMs = Math.min(STEP_MS, forMs);
  let cancel = clock.after(stepMs, () => {
    // At the end one turn more: what has arrived is read after the timers.
    cancel = forMs > stepMs ? whenSilent(clock, forMs - stepMs, callback) : clock.after(0, callback);
  });
  return () => cancel();
}
