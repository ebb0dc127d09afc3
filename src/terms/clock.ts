/**
 * The two clocks of the service. Durations and deadlines come from the monotonic one only, so that a jump of the wall
 * clock changes no timeout and no order; the wall clock is for records that people read.
 */
export interface Clock {
  /** Monotonic milliseconds with a fraction; its zero means nothing. */
  readonly now: () => number;
  /** Milliseconds since 1970, UTC, an integer. */
  readonly wall: () => number;
  /** Calls back once after that many milliseconds; returns what cancels it. A `loose` one does not keep the process alive. */
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
