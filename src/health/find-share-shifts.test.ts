import assert from "node:assert/strict";
import { test } from "node:test";
import type { SampledReplies } from "./find-drift.ts";
import { findShareShifts } from "./find-share-shifts.ts";
import { MemberNames } from "./member-names.ts";
import { addCounts, countReply, type ShapeCounts } from "./shape-counts.ts";
import { shapeOfReply } from "./shape-of-reply.ts";

const WORDS = "address postcode city level";

/** `withCode`: how many of the addresses have a postcode. */
function replies(count: number, withCode: number, withAddress = count, names = WORDS): SampledReplies {
  const counts: ShapeCounts = new Map();
  const kept = new MemberNames(names);
  for (let at = 0; at < count; at += 1) {
    const address = { city: "Bath", ...(at < withCode && { postcode: "BA1" }) };
    const reply = { level: 3, ...(at < withAddress && { address }) };
    countReply(counts, shapeOfReply(reply, "", kept, String(at)));
  }
  return { samples: count, counts, processes: 1 };
}

function shifts(days: readonly SampledReplies[], today: SampledReplies, known: readonly string[] = []) {
  const counts: ShapeCounts = new Map();
  for (const day of days) addCounts(counts, day.counts);
  const before = { samples: days.reduce((sum, { samples }) => sum + samples, 0), counts, processes: 1 };
  return findShareShifts({ before, days, today }, new Set(known)).map(({ kind, path }) => `${kind} ${path}`);
}

const days = (count: number, make: (day: number) => SampledReplies) =>
  Array.from({ length: count }, (_, at) => make(at));
const usual = days(28, (at) => replies(100, 97 + (at % 3)));

test("a path that becomes rarer or more frequent is reported once, without the members of a parent that does", () => {
  assert.deepEqual(shifts(usual, replies(100, 55)), ["shifted address.postcode"]);
  assert.deepEqual(shifts(usual, replies(100, 55), ["address.postcode"]), []);
  const often = replies(100, 98);
  assert.deepEqual(
    shifts(
      days(28, () => replies(100, 30)),
      often,
    ),
    ["shifted address.postcode"],
  );
  assert.deepEqual(shifts(usual, replies(200, 100, 102)), ["shifted address"]);
});

test("a small shift, few replies and few days report nothing", () => {
  assert.deepEqual(shifts(usual, replies(1_000, 890)), []);
  assert.deepEqual(shifts(usual, replies(49, 20)), []);
  assert.deepEqual(shifts(usual.slice(0, 2), replies(100, 40)), []);
  assert.deepEqual(shifts([], replies(100, 40)), []);
});

test("a share that differs from day to day is usual, also when more replies are sampled than on the other days", () => {
  const unsteady = days(28, (at) => replies(100, at % 7 < 2 ? 70 : 90));
  assert.deepEqual(shifts(unsteady, replies(100, 70)), []);
  assert.deepEqual(shifts(unsteady, replies(5_000, 3_500)), []);
  assert.deepEqual(shifts(unsteady, replies(100, 1)), ["shifted address.postcode"]);
});

test("replies in which a process did not keep the name yet are no shift", () => {
  const starts = (count: number) => {
    const counts: ShapeCounts = new Map();
    for (let at = 0; at < count; at += 1) addCounts(counts, replies(8, 8, 8, "address city level").counts);
    return { samples: 8 * count, counts, processes: count };
  };
  assert.deepEqual(shifts(usual, starts(20)), []);
});
