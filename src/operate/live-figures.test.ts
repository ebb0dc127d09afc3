import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import type { RunReport } from "../run/ports.ts";
import { Fault, type FaultCode } from "../terms/fault.ts";
import { createCounting } from "./counts.ts";
import { readLiveFigures } from "./live-figures.ts";
import { Window } from "./window.ts";

const SHOWN = 200;

test("of thousands of sources the busiest are reported, and only their figures are computed in detail", async (t: TestContext) => {
  const clock = new FakeClock();
  const counting = createCounting(() => true, clock);
  const idOf = (at: number) => `acme__${String(at).padStart(4, "0")}`;
  const call = (source: string) => ({ source, success: true, match: true, fault: null, tookMs: 5, attempts: [] });
  for (let at = 0; at < 3_000; at += 1) {
    const calls = Array.from({ length: at % 10 === 0 ? 2 : 1 }, () => call(idOf(at)));
    counting.runEnded({ kind: "data", simulated: false, clientGone: false, tookMs: 9, calls } as unknown as RunReport);
  }
  const series = t.mock.method(Window.prototype, "series");
  const { sources } = readLiveFigures(counting.counts, clock);
  assert.equal(sources.length, SHOWN);
  assert.ok(sources.every(({ hour }) => hour.match === 2));
  assert.deepEqual(
    sources.map(({ source }) => source),
    sources.map(({ source }) => source).toSorted(),
  );
  // The additional one belongs to all runs.
  assert.equal(series.mock.callCount(), SHOWN + 1);
  await clock.advance(2 * 3_600_000);
  assert.deepEqual(readLiveFigures(counting.counts, clock).sources, []);
});

test("what this service rejects is neither a failure of the vendor nor part of any time", () => {
  const clock = new FakeClock();
  const counting = createCounting(() => true, clock);
  const { counts } = counting;
  const end = (calls: readonly object[], tookMs: number, more: object = {}) =>
    counting.runEnded({
      kind: "data",
      simulated: false,
      clientGone: false,
      tookMs,
      calls,
      ...more,
    } as unknown as RunReport);
  const sent = [{ charged: "no", price: null }];
  const answered = { source: "acme__people", success: true, match: true, fault: null, tookMs: 400, attempts: sent };
  const failed = (code: FaultCode, more: object = {}) => ({
    ...answered,
    success: false,
    match: false,
    fault: new Fault(code),
    tookMs: 1,
    attempts: [],
    ...more,
  });
  for (let count = 0; count < 100; count += 1) end([failed("source.budget_used")], 1);
  for (let count = 0; count < 50; count += 1) end([failed("source.credential_missing")], 1);
  end([failed("source.unreachable")], 1);
  end([failed("source.vendor_5xx", { tookMs: 400, attempts: sent })], 400);
  // One request was sent before the budget was used up.
  end([failed("source.budget_used", { tookMs: 400, attempts: sent })], 400);
  end([answered, failed("source.rate_limited_here")], 400);
  end([], 1, { kind: "func", functionFault: "function.overloaded" });
  end([], 400, { kind: "func", functionFault: "function.timeout" });

  const { runs, sources } = readLiveFigures(counts, clock);
  const ends = { match: 1, no_match: 0, failed: 2, rejected: 102, no_credential: 50 };
  const { p50Ms, p99Ms, ...ofSource } = sources[0]!.hour;
  assert.deepEqual(ofSource, ends);
  assert.ok(p50Ms! >= 350 && p99Ms! <= 450, `${p50Ms} ${p99Ms}`);
  const { p50Ms: ofRuns, ...ofHour } = runs.hour;
  assert.deepEqual([ofHour.match, ofHour.failed, ofHour.rejected], [0, 3, 153]);
  assert.ok(ofRuns! >= 350, `${ofRuns}`);
  assert.equal(
    counts.sources.get("acme__people")!.times.buckets.reduce((sum, one) => sum + one, 0),
    3,
  );
});

test("the figures say how long ago counting began", async () => {
  const clock = new FakeClock();
  const { counts } = createCounting(() => true, clock);
  await clock.advance(90_000);
  assert.equal(readLiveFigures(counts, clock).startedMsAgo, 90_000);
});
