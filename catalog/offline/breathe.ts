import { setImmediate } from "node:timers/promises";

/** Lets whatever else is waiting go first, between two pieces of a long computation. */
export function breathe(): Promise<void> {
  return setImmediate();
}
