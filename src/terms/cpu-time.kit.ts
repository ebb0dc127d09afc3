import assert from "node:assert/strict";

/** The first time includes compiling, and a busy machine slows every other one. */
const TIMES = 8;

/** Asserts that synchronous work takes at most so much of this thread's CPU time: the least of several times. */
export function leastCpuMs(max: number, work: () => void): void {
  let least = Infinity;
  for (let time = 0; time < TIMES && least >= max; time += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  assert.ok(least < max, `${least} ms`);
}

/** Asserts the same of each turn of the event loop during the work. */
export async function everyTurnWithin(max: number, work: () => Promise<unknown>): Promise<void> {
  let least = Infinity;
  for (let time = 0; time < TIMES && least >= max; time += 1) least = Math.min(least, await longestTurnMs(work));
  assert.ok(least < max, `${least} ms`);
}

async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  await work();
  clearImmediate(next);
  look();
  clearImmediate(next);
  return longest;
}
