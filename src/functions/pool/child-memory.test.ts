import assert from "node:assert/strict";
import { test } from "node:test";
import { childMemoryMbIn } from "./child-memory.ts";

const MIB = 1024 * 1024;

test("in a small container, a process for functions is examined before it takes most of the memory", () => {
  for (const [containerMb, expected] of [
    [0, 320],
    [256, 192],
    [512, 192],
    [768, 288],
    [1_024, 320],
    [16_384, 320],
  ] as const)
    assert.equal(childMemoryMbIn(containerMb * MIB), expected, `${containerMb} MiB`);
  assert.equal(childMemoryMbIn(Number(2n ** 63n)), 320);
});
