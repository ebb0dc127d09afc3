/**
 * The two clocks of the service. Durations and deadlines use only the monotonic one, so that a change of the wall clock
 * affects no timeout and no order. The wall clock is for records that people read.
 */
export interface Clock {
  /** Monotonic milliseconds with a fraction, from an arbitrary origin. */
  readonly now: () => number;
  /** Milliseconds since 1970, UTC, an integer. */
  readonly wall: () => number;
  /**
   * Calls back once after this many milliseconds; returns a function that cancels it. A `loose` timer does not keep the
   * process alive.
   */
  readonly after: (delayMs: number, callback: () => void, hold?: "loose") => () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after: (delayMs, callback, hold) => {
    const timer = setTimeout(callback, delayMs);
    if (hold === "loose") timer.unref();
    return () => clearTimeout(timer);
  },
};
