import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../terms/clock.ts";
import type { JsonObject } from "../terms/json.ts";
import { Stretch } from "../terms/stretch.ts";
import { writeInStretches } from "./write-json.ts";

const write = (value: object) => writeInStretches(value as JsonObject, new Stretch(systemClock));

test("what is written in stretches is what is written at once", async () => {
  const objects = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined)));
  await fc.assert(fc.asyncProperty(objects, async (value) => assert.equal(await write(value), JSON.stringify(value))));
  const long = { before: 1, list: Array.from({ length: 1_501 }, (_, at) => ({ at, of: [at] })), none: [], after: null };
  assert.equal(await write(long), JSON.stringify(long));
});

test("others have turns while a long list is written", async () => {
  let turns = 0;
  const everyTurn = { isLong: true, end: async () => void (turns += 1) } as unknown as Stretch;
  await writeInStretches({ list: Array.from({ length: 50_000 }, () => null) }, everyTurn);
  assert.equal(turns, 100);
});
