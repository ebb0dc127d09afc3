import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { HOUR_MS } from "../terms/time/durations.ts";
import { countShapes } from "./count-shapes.ts";
import type { ReplyShapeStore, StoredShape } from "./ports.ts";
import { decodeCounts } from "./shape-counts.ts";

function rig(clock = new FakeClock()) {
  const saved: StoredShape[][] = [];
  const removed: number[] = [];
  let isAway = false;
  let refusals = 0;
  const answer = async <Value>(value: () => Value): Promise<Value> => {
    if (isAway) throw new Error(`away, ${(refusals += 1)}`);
    return value();
  };
  const store: ReplyShapeStore = {
    saveReplyShapes: (shapes) => answer(() => void (shapes.length > 0 && saved.push([...shapes]))),
    replyShapes: ({ span }) => answer(() => (span === "hour" ? [] : (saved.at(-1) ?? []))),
    sampledSources: () => answer(() => []),
    removeReplyShapes: (before) => answer(() => void removed.push(before)),
  };
  const open = (startId: string) => countShapes({ store, clock, startId, content: async () => "id" });
  let calls = 0;
  const sample = (body: unknown, source = "acme__people") => ({
    source,
    version: "digest",
    call: String((calls += 1)),
    documents: () => new Map([["", body]]),
  });
  const isDone = async (expected: number) => {
    while (saved.length < expected) await new Promise(setImmediate);
  };
  const isRefused = async () => {
    while (refusals === 0) await new Promise(setImmediate);
  };
  return { clock, saved, removed, open, sample, isDone, isRefused, setAway: (away: boolean) => (isAway = away) };
}

const shown = (shapes: readonly StoredShape[] | undefined) =>
  shapes?.map(({ span, writer, samples }) => `${span} ${writer} ${samples}`);

test("what has changed is written once a minute as a whole, by hour and by day, and at the end", async () => {
  const { clock, saved, removed, open, sample, isDone } = rig();
  const counter = open("st_1");
  await counter.count(sample({ id: 1 }));
  await counter.count(sample({ id: "x" }));
  await clock.advance(59_999);
  assert.equal(saved.length, 0);
  await clock.advance(1);
  await isDone(1);
  assert.deepEqual(shown(saved[0]), ["hour st_1 2", "day st_1 2"]);
  const counts = await decodeCounts(saved[0]![0]!.counts);
  assert.deepEqual([...counts.keys()], ["", "id"]);
  assert.deepEqual([counts.get("id")!.types.number, counts.get("id")!.types.string], [1, 1]);
  assert.equal(removed.length, 1);
  await clock.advance(60_000);
  assert.equal(saved.length, 1, "nothing has changed");
  await counter.count(sample({ id: 1 }));
  await clock.advance(HOUR_MS - 60_000);
  await isDone(2);
  await counter.count(sample({ id: 1 }));
  await counter[Symbol.asyncDispose]();
  assert.deepEqual(saved.slice(1).map(shown), [
    ["hour st_1 3", "day st_1 3"],
    ["hour st_1 1", "day st_1 4"],
  ]);
  assert.notEqual(saved[2]![0]!.at, saved[1]![0]!.at);
  assert.equal(saved[2]![1]!.at, saved[1]![1]!.at);
});

test("a store that is away loses no counts that it gets later, and no sample is counted without the known names", async () => {
  const { clock, saved, open, sample, isDone, isRefused, setAway } = rig();
  const counter = open("st_1");
  await counter.count(sample({ id: 1 }));
  setAway(true);
  await clock.advance(60_000);
  await isRefused();
  await counter.count(sample({ id: 1 }));
  await counter.count(sample({ id: 1 }, "bell__phone"));
  setAway(false);
  await clock.advance(60_000);
  await isDone(1);
  assert.deepEqual(shown(saved[0]), ["hour st_1 2", "day st_1 2"]);
});

test("a later process keeps the names of an earlier one", async () => {
  const { clock, saved, open, sample, isDone } = rig();
  const first = open("st_1");
  for (let call = 0; call < 5; call += 1) await first.count(sample({ name: 1 }));
  await first[Symbol.asyncDispose]();
  assert.equal((await decodeCounts(saved[0]![0]!.counts)).get("name")!.total, 1);
  const second = open("st_2");
  await second.count(sample({ name: 1, other: 1 }));
  await clock.advance(60_000);
  await isDone(2);
  assert.deepEqual([...(await decodeCounts(saved[1]![0]!.counts)).keys()], ["", "name", "*"]);
  await second[Symbol.asyncDispose]();
});
