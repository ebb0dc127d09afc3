import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isTimeZone, monthAround, startOfDay } from "./calendar.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "America/Sao_Paulo",
  "Asia/Beirut",
  "Pacific/Kiritimati",
];

function dayIn(timeZone: string, wallAt: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone }).format(wallAt);
}

test("a day begins at its first moment in its zone, also when clocks change at midnight", () => {
  const anyDay = fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), anyDay, (zone, wallAt) => {
      const day = dayIn(zone, wallAt);
      const from = startOfDay(day, zone);
      assert.equal(dayIn(zone, from), day);
      assert.notEqual(dayIn(zone, from - 1), day);
    }),
  );
  assert.equal(
    startOfDay("2018-11-04", "America/Sao_Paulo"),
    Date.parse("2018-11-04T03:00:00Z"),
    "midnight was skipped",
  );
});

test("a month contains its moments, and the next one begins where it ends", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 2 ** 41 }), (zone, wallAt) => {
      const { from, to } = monthAround(wallAt, zone);
      assert.ok(from <= wallAt && wallAt < to);
      assert.equal(monthAround(to, zone).from, to);
      assert.equal(monthAround(from - 1, zone).to, from);
    }),
  );
  const march = monthAround(Date.parse("2026-03-15T12:00:00Z"), "Europe/Berlin");
  assert.deepEqual(march, { from: Date.parse("2026-02-28T23:00:00Z"), to: Date.parse("2026-03-31T22:00:00Z") });
});

test("a time zone is one that exists", () => {
  for (const zone of ZONES) assert.ok(isTimeZone(zone), zone);
  for (const zone of ["", "Berlin", "Europe/Berlim"]) assert.ok(!isTimeZone(zone), zone);
});
