import { setImmediate } from "node:timers/promises";

/** Lets other work run between two parts of a long computation. */
export function breathe(): Promise<void> {
  return setImmediate();
}
