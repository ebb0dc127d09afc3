import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  dayContaining,
  daysIn,
  isDay,
  isTimeZone,
  monthContaining,
  canonicalTimeZone,
  startOfDay,
} from "./calendar.ts";

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

test("a year of few digits is that year, not one of the twentieth century, and there is no year 0", () => {
  for (const day of ["0001-01-01", "0099-12-31", "0100-01-01", "1899-12-31"])
    assert.equal(startOfDay(day, "UTC"), Date.parse(`${day}T00:00:00Z`), day);
  // In those years, Berlin's local time was 53 minutes and 28 seconds ahead of Greenwich.
  for (const day of ["0001-01-01", "0099-12-31"])
    assert.equal(startOfDay(day, "Europe/Berlin"), Date.parse(`${day}T00:00:00Z`) - (53 * 60 + 28) * 1_000, day);
  for (const zone of ["UTC", "Europe/Berlin"])
    assert.equal(monthContaining(startOfDay("0044-03-15", zone), zone).from, startOfDay("0044-03-01", zone), zone);
  assert.ok(isDay("0001-01-01"));
  assert.ok(!isDay("0000-12-31"));
});

test("a month contains its moments, and the next one begins where it ends", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 2 ** 41 }), (zone, wallAt) => {
      const { from, to } = monthContaining(wallAt, zone);
      assert.ok(from <= wallAt && wallAt < to);
      assert.equal(monthContaining(to, zone).from, to);
      assert.equal(monthContaining(from - 1, zone).to, from);
    }),
  );
  const march = monthContaining(Date.parse("2026-03-15T12:00:00Z"), "Europe/Berlin");
  assert.deepEqual(march, { from: Date.parse("2026-02-28T23:00:00Z"), to: Date.parse("2026-03-31T22:00:00Z") });
});

test("a day and a month begin and end where a search finds that the clocks show another one", () => {
  const formats = new Map(ZONES.map((timeZone) => [timeZone, new Intl.DateTimeFormat("en-CA", { timeZone })]));
  const HOUR_MS = 60 * 60_000;
  /** The first moment after `from` at which the zone shows a different text, assuming one change before `to`. */
  const changeBetween = (from: number, to: number, textAt: (wallAt: number) => string): number => {
    const text = textAt(from);
    let [same, other] = [from, to];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (textAt(middle) === text) same = middle;
      else other = middle;
    }
    return other;
  };
  const anyMoment = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), anyMoment, (zone, wallAt) => {
      const dayAt = (moment: number): string => formats.get(zone)!.format(moment);
      const day = dayContaining(wallAt, zone);
      assert.equal(day.to, changeBetween(wallAt, wallAt + 26 * HOUR_MS, dayAt));
      assert.equal(day.from, changeBetween(day.from - 1, wallAt, dayAt));
      assert.ok(dayAt(day.from - 1) !== dayAt(wallAt));
      const monthAt = (moment: number): string => dayAt(moment).slice(0, 7);
      const month = monthContaining(wallAt, zone);
      assert.equal(month.to, changeBetween(wallAt, wallAt + 32 * 24 * HOUR_MS, monthAt));
      assert.equal(month.from, changeBetween(month.from - 1, wallAt, monthAt));
      const days = [...daysIn(month, zone)];
      assert.deepEqual([days[0]!.from, days.at(-1)!.to], [month.from, month.to]);
      for (const one of days) {
        assert.deepEqual([dayAt(one.from), dayAt(one.to - 1)], [one.day, one.day]);
        assert.ok(one === days.at(-1) || days.some(({ from }) => from === one.to));
      }
    }),
    { numRuns: 40 },
  );
  // In Newfoundland, it was October again one minute after the first of November had started.
  const twice = Date.parse("2009-11-01T03:00:00Z");
  assert.deepEqual(
    [dayContaining(twice, "America/St_Johns"), monthContaining(twice, "America/St_Johns").from],
    [
      { from: Date.parse("2009-11-01T02:30:00Z"), to: Date.parse("2009-11-02T03:30:00Z") },
      Date.parse("2009-11-01T02:30:00Z"),
    ],
  );
});

test("a time zone is one that exists, and has one spelling", () => {
  for (const zone of ZONES) assert.ok(isTimeZone(zone), zone);
  assert.deepEqual(["europe/berlin", "utc", "Asia/Kolkata", "+05:30"].map(canonicalTimeZone), [
    "Europe/Berlin",
    "UTC",
    "Asia/Kolkata",
    "+05:30",
  ]);
  for (const zone of ["", "Berlin", "Europe/Berlim"]) assert.ok(!isTimeZone(zone), zone);
});
