import { whyWaitingIsUseless } from "../run/middleware/wait.ts";
import type { PlannedCall, Wait } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";

/**
 * Waits without taking time. The wait counts against the call's deadline, so that a call whose vendor never finishes
 * ends as in reality.
 */
export function createSkippedWait(clock: Clock): Wait {
  const waitedMs = new WeakMap<PlannedCall, number>();
  return async (call, ms) => {
    const before = waitedMs.get(call) ?? 0;
    const problem = whyWaitingIsUseless(call, clock.now() + before + ms);
    if (problem !== null) throw problem;
    waitedMs.set(call, before + ms);
  };
}
