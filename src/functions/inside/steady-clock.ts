export interface SteadyClock {
  now(): number;
  /** It is at least so late: somebody outside has waited for it, with a clock that nobody can set. */
  reach(at: number): void;
}

/**
 * Milliseconds that do not go back when somebody sets the machine's clock, which is the only one in an isolate. Durations
 * and timers are counted by it.
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
