import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { JournalShares } from "./journal-shares.ts";

const MAX = 1_000;

function makeShares() {
  const clock = new FakeClock();
  const pending = new Map<string, number>();
  const logged: unknown[] = [];
  const quiet = (): void => {};
  const error = (fields: object): void => void logged.push((fields as { organization?: unknown }).organization);
  let requested = 0;
  const shares = new JournalShares({
    clock,
    log: { info: quiet, warn: quiet, error },
    pending: () => pending,
    requestCount: () => void (requested += 1),
  });
  return { clock, shares, pending, logged, requested: () => requested };
}

test("what has ended since the last measurement counts at once, against the organization that wrote it", () => {
  const { shares, logged } = makeShares();
  shares.measured(500, MAX);
  shares.add("a", 299);
  assert.equal(shares.isBeyondShare("a"), false, "the last fifth has not begun");
  shares.add("a", 10);
  assert.deepEqual([shares.isBeyondShare("a"), shares.isBeyondShare("b")], [true, false]);
  shares.add("b", 5);
  assert.deepEqual([shares.isBeyondShare("a"), shares.isBeyondShare("b")], [true, false]);
  assert.deepEqual(logged, ["a"], "once");
});

test("a size that falls for a moment lets through what fits, and no count is lost over it", () => {
  const { shares, requested } = makeShares();
  shares.measured(850, MAX);
  assert.equal(requested(), 1);
  shares.measured(590, MAX);
  shares.counted([
    ["a", 600],
    ["b", 100],
  ]);
  shares.add("a", 200);
  assert.equal(shares.isBeyondShare("a"), false);
  shares.add("a", 20);
  assert.deepEqual(
    [shares.isBeyondShare("a"), shares.isBeyondShare("b"), shares.isBeyondShare("c")],
    [true, false, false],
  );
});

test("a count is made again every half minute, and has what was pending or has ended since it was asked for", async () => {
  const { clock, shares, pending, requested } = makeShares();
  pending.set("a", 90);
  shares.measured(800, MAX);
  shares.add("b", 50);
  shares.counted([["c", 100]]);
  assert.deepEqual(
    ["a", "b", "c"].map((each) => shares.isBeyondShare(each)),
    [true, false, true],
  );
  shares.measured(850, MAX);
  assert.equal(requested(), 1);
  await clock.advance(30_000);
  pending.clear();
  shares.measured(850, MAX);
  assert.equal(requested(), 2);
  // The runs of `a` were deleted meanwhile.
  shares.counted([
    ["b", 50],
    ["c", 100],
  ]);
  assert.deepEqual(
    ["a", "b", "c"].map((each) => shares.isBeyondShare(each)),
    [false, false, true],
  );
});

test("a count that is lost with the journal's thread is repeated, and so is one after the journal had much space", () => {
  const { shares, requested } = makeShares();
  shares.measured(850, MAX);
  shares.threadStarted();
  shares.measured(850, MAX);
  assert.equal(requested(), 2);
  shares.measured(399, MAX);
  shares.measured(850, MAX);
  assert.equal(requested(), 3);
});

test("the shared part of a large journal is no more than 256 MiB", () => {
  const { shares } = makeShares();
  const [mib, max] = [1024 * 1024, 100 * 1024 ** 3];
  shares.measured(max - 300 * mib, max);
  shares.add("a", 40 * mib);
  assert.equal(shares.isBeyondShare("a"), false);
  shares.add("a", 5 * mib);
  assert.equal(shares.isBeyondShare("a"), true);
});
