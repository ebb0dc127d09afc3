import type { Clock } from "../../terms/time/clock.ts";

/** Returns a function that calls `callback` after `delayMs`, once for all calls until then. */
export function callLater(clock: Clock, delayMs: number, callback: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    clock.after(
      delayMs,
      () => {
        isComing = false;
        callback();
      },
      "loose",
    );
  };
}
