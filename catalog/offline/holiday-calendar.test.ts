import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { findPlace, openCalendar } from "./holiday-calendar.ts";
import { dateOfDay, dayNumber, weekdayOf, weekendOf } from "./weekends.ts";

test("days and dates are each other's inverse and weekdays follow", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 40_000 }), (day) => {
      assert.equal(dayNumber(dateOfDay(day)), day);
      assert.equal(weekdayOf(day + 7), weekdayOf(day));
    }),
  );
  assert.equal(weekdayOf(dayNumber("2026-11-21")), "saturday");
});

test("a country's weekend is the one of its locale data, but for our corrections", () => {
  assert.deepEqual(weekendOf("EG"), { days: ["friday", "saturday"], source: "unicode_cldr" });
  assert.deepEqual(weekendOf("BN"), { days: ["friday", "sunday"], source: "own_table" });
});

test("a feast of several days covers each of them, over the end of a year too", async () => {
  const calendar = await openCalendar({ country: "SA" });
  const feast = async (date: string) => (await calendar.on(dayNumber(date))).length > 0;
  assert.deepEqual(await Promise.all(["2026-05-25", "2026-05-26", "2026-05-29", "2026-05-30"].map(feast)), [
    false,
    true,
    true,
    false,
  ]);
  assert.equal(await feast("2007-01-01"), true);
});

test("daylight saving neither lengthens nor shortens a holiday", async () => {
  const calendar = await openCalendar({ country: "AU" });
  assert.equal(
    (await calendar.on(dayNumber("2026-04-05"))).some((holiday) => holiday.name === "Easter Sunday"),
    true,
  );
  assert.equal(
    (await calendar.on(dayNumber("2026-04-06"))).some((holiday) => holiday.name === "Easter Sunday"),
    false,
  );
});

test("a place is found in any spelling of its subdivision", async () => {
  assert.deepEqual(await findPlace("DE", "de-by-kath"), { country: "DE", state: "BY", region: "KATH" });
  assert.deepEqual(await findPlace("US", "DE"), { country: "US", state: "DE" });
  assert.equal(await findPlace("DE", "BY-A-A"), "unknown_subdivision");
  assert.equal(await findPlace("__", undefined), "unknown_country");
});
