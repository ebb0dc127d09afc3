export interface SteadyClock {
  now(): number;
  /** Moves the clock forward to `at`: the service has waited until then by a clock that cannot be set. */
  reach(at: number): void;
}

/**
 * Milliseconds that do not go back when the machine's clock is set, which is the only clock in an isolate. Durations
 * and timers use it.
 */
export function createSteadyClock(wall: () => number): SteadyClock {
  let latest = wall();
  let ahead = 0;
  const reach = (at: number): void => {
    const now = wall() + ahead;
    if (now < at) ahead += at - now;
    latest = now < at ? at : now;
  };
  return {
    reach,
    now: () => {
      reach(latest);
      return latest;
    },
  };
}
