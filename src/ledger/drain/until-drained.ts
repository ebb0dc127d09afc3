import type { Clock } from "../../terms/time/clock.ts";
import type { Drainer, DrainerState } from "./drain.ts";

const LOOK_MS = 50;

/**
 * Waits until every run has been sent, or until `givesUp` returns true. Returns the number of remaining runs.
 * `toTheEnd`: also waits until the database has confirmed earlier runs.
 */
export async function untilDrained(
  drainer: Drainer,
  clock: Clock,
  givesUp: (state: DrainerState) => boolean,
  toTheEnd = false,
): Promise<number> {
  for (;;) {
    const state = drainer.state();
    const isDone = state.pendingRuns === 0 && (drainer.hasCompared || !toTheEnd);
    if (isDone || givesUp(state)) return state.pendingRuns;
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
}
