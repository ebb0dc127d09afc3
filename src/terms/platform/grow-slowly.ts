import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 collect garbage earlier in this process, from now on: for commands that go through much data beside other
 * programs, and wait for a disk or a service anyway.
 */
export function growSlowly(): void {
  setFlagsFromString("--optimize-for-size");
}
