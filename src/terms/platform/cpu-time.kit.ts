import assert from "node:assert/strict";

/** Repetitions. The first one includes compiling, and a busy machine slows some others. */
const TIMES = 8;
/** CPU time of `refer` on two quiet cores (measured), in ms. */
const REFERENCE_MS = 7.5;
const REFERENCE_ROUNDS = 10_000_000;

/**
 * Factor by which limits are raised. These tests find work that grows out of proportion, which takes many times its
 * limit; `npm run test:long` measures the limits themselves. Shared caches and cores have made work on a busy machine
 * take up to four times as long.
 */
const BUSY_FACTOR = 6;

/**
 * Asserts that synchronous work takes at most `quietMax` ms of this thread's CPU time on a quiet machine, by the
 * fastest of several repetitions.
 */
export function leastCpuMs(quietMax: number, work: () => void): void {
  const max = BUSY_FACTOR * quietMax;
  let least = Infinity;
  for (let time = 0; time < TIMES && least >= max; time += 1) least = Math.min(least, asOnQuiet(max, cpuMs(work)));
  assert.ok(least < max, `${least} ms`);
}

/** Asserts the same for each tick of the event loop during the work. */
export async function everyTurnWithin(quietMax: number, work: () => Promise<unknown>): Promise<void> {
  const max = BUSY_FACTOR * quietMax;
  let least = Infinity;
  for (let time = 0; time < TIMES && least >= max; time += 1)
    least = Math.min(least, asOnQuiet(max, await longestTurnMs(work)));
  assert.ok(least < max, `${least} ms`);
}

/**
 * Converts a time beyond its limit to that of a quiet machine: shared cores and caches make the same work take more CPU
 * time.
 */
function asOnQuiet(max: number, tookMs: number): number {
  return tookMs < max ? tookMs : tookMs / Math.max(1, cpuMs(refer) / REFERENCE_MS);
}

function refer(): void {
  let value = 1;
  for (let round = 0; round < REFERENCE_ROUNDS; round += 1) value = (Math.imul(value, 31) + round) | 0;
  assert.ok(Number.isInteger(value));
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return sinceMs(before);
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    longest = Math.max(longest, sinceMs(before));
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
