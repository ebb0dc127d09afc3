import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../terms/clock.kit.ts";
import type { RunReport } from "../run/ports.ts";
import { createCounting } from "./counts.ts";
import { readLiveFigures } from "./live-figures.ts";
import { Window } from "./window.ts";

const SHOWN = 200;

test("of thousands of sources the busiest are told, and only theirs are looked at closely", async (t: TestContext) => {
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
  // One more is that of all runs.
  assert.equal(series.mock.callCount(), SHOWN + 1);
  await clock.advance(2 * 3_600_000);
  assert.deepEqual(readLiveFigures(counting.counts, clock).sources, []);
});
