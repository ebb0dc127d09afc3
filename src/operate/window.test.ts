import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MINUTE_MS } from "../terms/time/durations.ts";
import { Window } from "./window.ts";

const NO_ENDS = { match: 0, no_match: 0, failed: 0, rejected: 0, no_credential: 0 };
const NOTHING = { ...NO_ENDS, p50Ms: null, p99Ms: null };

test("a window counts what ended within its time, by how it ended, and forgets the rest", () => {
  const window = new Window(MINUTE_MS, 12);
  assert.deepEqual(window.sums(0), NOTHING);
  window.add(1_000, "match", 20);
  window.add(2_000, "no_match", 20);
  window.add(30_000, "failed", 20);
  const { match, no_match, failed } = window.sums(59_000);
  assert.deepEqual([match, no_match, failed], [1, 1, 1]);
  const later = window.sums(80_000);
  assert.deepEqual([later.match, later.no_match, later.failed], [0, 0, 1]);
  assert.deepEqual(window.sums(100_000), NOTHING);
  assert.deepEqual(window.sums(100 * MINUTE_MS), NOTHING, "however long nothing happens");
});

test("a steady rate looks steady, whenever it is looked at", () => {
  const window = new Window(MINUTE_MS, 12);
  const seen = new Set<number>();
  for (let now = 0; now < 5 * MINUTE_MS; now += 100) {
    window.add(now, "match", 10);
    if (now > 2 * MINUTE_MS) seen.add(window.sums(now).match);
  }
  assert.ok(
    [...seen].every((count) => Math.abs(count - 600) <= 2),
    [...seen].join(" "),
  );
});

test("what happens in any order of quiet and busy times is counted once and no longer than its time", () => {
  const events = fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: 90_000 }), tookMs: fc.integer({ min: 0, max: 2 ** 31 - 1 }) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(events, (list) => {
      const window = new Window(MINUTE_MS, 12);
      const ended: number[] = [];
      let now = 0;
      for (const { afterMs, tookMs } of list) {
        now += afterMs;
        window.add(now, "match", tookMs);
        ended.push(now);
        const within = ended.filter((at) => at > now - MINUTE_MS + 5_000).length;
        const atMost = ended.filter((at) => at > now - MINUTE_MS - 5_000).length;
        const { match } = window.sums(now);
        assert.ok(match >= within && match <= atMost, `${match} of ${within} to ${atMost}`);
      }
    }),
  );
});

test("a series has every slot, the oldest first and that of now last", () => {
  const window = new Window(MINUTE_MS, 12);
  window.add(1_000, "match", 10);
  window.add(6_000, "failed", 20);
  window.add(7_000, "match", 20);
  window.add(61_000, "match", 40);
  const { everyMs, begunMsAgo, slots } = window.series(62_000);
  assert.deepEqual([everyMs, begunMsAgo, slots.length], [5_000, 2_000, 13]);
  assert.deepEqual(
    slots.map(({ match, failed }) => match + failed),
    [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  );
  assert.deepEqual(slots[1], { ...NO_ENDS, match: 1, failed: 1, p50Ms: 22, p99Ms: 22 });
  assert.deepEqual(window.series(65_000).slots.at(-2)?.match, 1);
});

test("what ended without a time is counted, and changes no percentile", () => {
  const window = new Window(MINUTE_MS, 12);
  for (let count = 0; count < 1_000; count += 1) window.add(1, "rejected", null);
  assert.deepEqual(window.sums(1), { ...NOTHING, rejected: 1_000 });
  window.add(1, "match", 22);
  window.add(1, "no_credential", null);
  assert.deepEqual(window.sums(1), {
    ...NO_ENDS,
    match: 1,
    rejected: 1_000,
    no_credential: 1,
    p50Ms: 22,
    p99Ms: 22,
  });
  assert.equal(window.total(1), 1_002);
});

test("a percentile is at most an eighth off", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 900_000 }), { minLength: 1, maxLength: 200 }), (times) => {
      const window = new Window(MINUTE_MS, 12);
      for (const tookMs of times) window.add(1, "match", tookMs);
      const sorted = times.toSorted((one, other) => one - other);
      const { p50Ms, p99Ms } = window.sums(1);
      for (const [share, found] of [
        [0.5, p50Ms!],
        [0.99, p99Ms!],
      ] as const) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
        assert.ok(Math.abs(found - exact) <= exact / 8 + 1, `${found} for ${exact}`);
      }
    }),
  );
});

test("the total is the sum of what ended, at any moment", () => {
  const events = fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 30_000 }),
      fc.constantFrom("match", "no_match", "failed", "rejected", "no_credential"),
    ),
  );
  fc.assert(
    fc.property(events, fc.integer({ min: 0, max: 90_000 }), (list, afterMs) => {
      const window = new Window(MINUTE_MS, 12);
      let now = 0;
      for (const [laterMs, end] of list) window.add((now += laterMs), end as "match", 10);
      const { match, no_match, failed, rejected, no_credential } = window.sums(now + afterMs);
      assert.equal(window.total(now + afterMs), match + no_match + failed + rejected + no_credential);
    }),
  );
});
