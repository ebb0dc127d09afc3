import type { Clock } from "./clock.ts";

/** For tests: a clock on which every step takes long. Counts how often other work could run. */
export function slowClock(): { readonly clock: Clock; turns(): number } {
  let now = 0;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    setImmediate(turn).unref();
  };
  turn();
  turns = 0;
  const clock: Clock = { now: () => (now += 20), wall: () => now, after: () => () => {} };
  return { clock, turns: () => turns };
}
