import assert from "node:assert/strict";
import { test } from "node:test";
import { toWireTime } from "./result-schemas.ts";

test("a time is shown in UTC, and none as null", () => {
  assert.equal(toWireTime(Date.UTC(2026, 2, 1, 12)), "2026-03-01T12:00:00.000Z");
  assert.equal(toWireTime(null), null);
});

test("a time that no format can write is shown as the last or the first one that can be written", () => {
  const last = "9999-12-31T23:59:59.999Z";
  for (const wallAt of [Date.parse(last) + 1, 8_640_000_000_000_000, 8_640_001_800_000_000_000])
    assert.equal(toWireTime(wallAt), last);
  const first = "0000-01-01T00:00:00.000Z";
  for (const wallAt of [Date.parse(first) - 1, -8_640_000_000_000_001]) assert.equal(toWireTime(wallAt), first);
});
