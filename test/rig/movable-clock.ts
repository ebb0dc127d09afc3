import { systemClock, type Clock } from "../../src/terms/time/clock.ts";

/**
 * A clock that only the test moves, and on which work in the background waits until the test lets it run. The ledger
 * makes totals of what is past by the database's clock: a test of them starts in the past.
 */
export function movableClock(startMs = 0) {
  let aheadMs = startMs;
  const [startedAt, startedWallAt] = [systemClock.now(), systemClock.wall()];
  const held = new Map<number, () => void>();
  let timers = 0;
  const clock: Clock = {
    now: () => startedAt + aheadMs,
    wall: () => startedWallAt + aheadMs,
    after(delayMs, callback, hold) {
      if (hold !== "loose" || delayMs < 1_000) return systemClock.after(delayMs, callback, hold);
      const timer = (timers += 1);
      held.set(timer, callback);
      return () => void held.delete(timer);
    },
  };
  return {
    clock,
    moveAhead(ms: number): void {
      aheadMs += ms;
    },
    /** Ends all of these waits. */
    runBackground(): void {
      const due = [...held];
      for (const [timer, callback] of due) if (held.delete(timer)) callback();
    },
  };
}
