import type { Clock } from "../../terms/time/clock.ts";
import type { Drainer, DrainerState } from "./drainer.ts";

const POLL_MS = 50;

/**
 * Waits until every run has been sent, or until `hasGivenUp` returns true. Returns the number of remaining runs.
 * `toTheEnd`: also waits until the database has confirmed earlier runs.
 */
export async function untilDrained(
  drainer: Drainer,
  clock: Clock,
  hasGivenUp: (state: DrainerState) => boolean,
  toTheEnd = false,
): Promise<number> {
  for (;;) {
    const state = drainer.state();
    const isDone = state.pendingRuns === 0 && (drainer.hasCompared || !toTheEnd);
    if (isDone || hasGivenUp(state)) return state.pendingRuns;
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
  }
}
