import type { Clock } from "./clock.ts";

const STEP_MS = 100;

/**
 * Calls back when somebody else has not answered for so long; returns a function that cancels it. Waits in steps. One that
 * comes late by less than a tenth of a second counts in full, as the process was only busy; one that comes later counts no more
 * than its length: if this process was stopped meanwhile, or both were, the other gets its time and its answer is read
 * first.
 */
export function whenSilent(clock: Clock, forMs: number, callback: () => void): () => void {
  const stepMs = Math.min(STEP_MS, forMs);
  const startedAt = clock.now();
  let cancel = clock.after(stepMs, () => {
    const tookMs = clock.now() - startedAt;
    const leftMs = forMs - (tookMs < stepMs + STEP_MS ? tookMs : stepMs);
    // At the end one turn more: what has arrived is read after the timers.
    cancel = leftMs > 0 ? whenSilent(clock, leftMs, callback) : clock.after(0, callback);
  });
  return () => cancel();
}
