import assert from "node:assert/strict";
import { test } from "node:test";
import { functionCapacity } from "./capacity.ts";

const MIB = 1_048_576;

test("the memory of a container or machine says how many organizations' functions run at once, and with how much", () => {
  for (const [memoryMb, ...expected] of [
    [256, 2, 160, 24],
    [512, 2, 160, 24],
    [1_024, 2, 224, 40],
    [2_048, 4, 320, 64],
    [4_096, 11, 320, 64],
    [16_384, 16, 320, 64],
  ] as const) {
    const { processes, memoryMb: each, runsPerProcess } = functionCapacity(memoryMb * MIB);
    assert.deepEqual([processes, each, runsPerProcess], expected, `${memoryMb} MiB`);
  }
});

test("where an operator asks for more processes, each gets less memory, down to a limit", () => {
  assert.deepEqual(functionCapacity(2_048 * MIB, 8), { processes: 8, memoryMb: 184, runsPerProcess: 30 });
  assert.deepEqual(functionCapacity(2_048 * MIB, 64), { processes: 64, memoryMb: 160, runsPerProcess: 24 });
  assert.deepEqual(functionCapacity(2_048 * MIB, 1), { processes: 1, memoryMb: 320, runsPerProcess: 64 });
});
