import type { Clock } from "./clock.ts";

const STEP_MS = 100;

/**
 * Calls back after `forMs` without an answer of another process; returns a function that cancels it. Time in which this
 * process was suspended does not count. The wait consists of steps. A step that ends less than 100 ms late counts in
 * full, because the process was only busy. A step that ends later counts only its planned length: the other process
 * gets the rest of its time, and its answer is read first.
 */
export function whenSilent(clock: Clock, forMs: number, callback: () => void): () => void {
  const stepMs = Math.min(STEP_MS, forMs);
  const startedAt = clock.now();
  let cancel = clock.after(stepMs, () => {
    const tookMs = clock.now() - startedAt;
    const leftMs = forMs - (tookMs < stepMs + STEP_MS ? tookMs : stepMs);
    // At the end, wait one more tick: data that has arrived is read after the timers.
    cancel = leftMs > 0 ? whenSilent(clock, leftMs, callback) : clock.after(0, callback);
  });
  return () => cancel();
}
