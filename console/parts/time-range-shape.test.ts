import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, fromLocalField, presetSpan, stepOf, toLocalField } from "./time-range-shape.ts";

const iso = (ms: number) => new Date(ms).toISOString();

test("a preset is whole steps, of which the last is the current one", () => {
  const now = Date.parse("2026-11-28T17:29:35Z");
  for (const [name, from, to] of [
    ["1h", "2026-11-28T16:30:00.000Z", "2026-11-28T17:30:00.000Z"],
    ["24h", "2026-11-27T18:00:00.000Z", "2026-11-28T18:00:00.000Z"],
    ["7d", "2026-11-21T18:00:00.000Z", "2026-11-28T18:00:00.000Z"],
    ["30d", "2026-10-30T00:00:00.000Z", "2026-11-29T00:00:00.000Z"],
  ] as const) {
    const span = presetSpan(name, now, "UTC");
    assert.deepEqual([iso(span.from), iso(span.to)], [from, to]);
  }
  assert.equal(iso(presetSpan("30d", now, "Europe/Berlin").to), "2026-11-28T23:00:00.000Z");
});

test("days of a zone have the hours that its clocks give them", () => {
  const from = Date.parse("2026-10-24T22:00:00Z");
  const { starts, to } = axisOf(from, from + 49 * 3_600_000, "day", "Europe/Berlin");
  assert.deepEqual(starts.map(iso), ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"]);
  assert.equal(iso(to), "2026-10-26T23:00:00.000Z");
});

test("the step of a custom range leaves few enough points", () => {
  const hours = (count: number) => stepOf(0, count * 3_600_000);
  assert.deepEqual([1, 3, 4, 384, 385].map(hours), ["minute", "minute", "hour", "hour", "day"]);
});

test("a field for date and time shows and takes local time", () => {
  const at = Date.parse("2026-07-01T10:00:00Z");
  assert.equal(toLocalField(at, "Europe/Berlin"), "2026-07-01T12:00");
  assert.equal(fromLocalField("2026-07-01T12:00", "Europe/Berlin"), at);
  assert.equal(fromLocalField("", "UTC"), null);
});
