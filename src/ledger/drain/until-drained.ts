import type { Clock } from "../../terms/clock.ts";
import type { Drainer, DrainerState } from "./drain.ts";

const LOOK_MS = 50;

/** Waits until every run has been sent, or until the wait is given up. Returns what is left. */
export async function untilDrained(
  drainer: Drainer,
  clock: Clock,
  givesUp: (state: DrainerState) => boolean,
): Promise<number> {
  for (;;) {
    const state = drainer.state();
    if (state.pendingRuns === 0 || givesUp(state)) return state.pendingRuns;
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
  }
}
