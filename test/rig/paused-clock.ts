import { FAILED_MS } from "../../src/admin/http/login.ts";
import { systemClock, type Clock } from "../../src/terms/time/clock.ts";

/** The system's clock, on which failed logins wait until the test lets them go on. */
export function pausedClock() {
  const held: (() => void)[] = [];
  let isOpen = false;
  const clock: Clock = {
    ...systemClock,
    after(delayMs, callback, hold) {
      if (delayMs !== FAILED_MS || hold === "loose" || isOpen) return systemClock.after(delayMs, callback, hold);
      held.push(callback);
      return () => {};
    },
  };
  const release = () => held.splice(0).forEach((callback) => callback());
  /** Holds nothing from now on. */
  const open = () => {
    isOpen = true;
    release();
  };
  /** Resolves when so many wait. */
  const holds = async (count: number) => {
    while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { clock, held, release, open, holds };
}

/** A clock on which failed logins are answered at once. */
export function withoutWaits(clock: Clock): Clock {
  return {
    ...clock,
    after: (delayMs, callback, hold) =>
      clock.after(delayMs === FAILED_MS && hold !== "loose" ? 0 : delayMs, callback, hold),
  };
}
