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

const OPEN_AND_CLOSED: readonly (readonly [country: string, closed: readonly string[], open: readonly string[]])[] = [
  // Act 2429 on national and general holidays: three days and four days, and the afternoon before each.
  ["TR", ["2024-06-19", "2025-04-01", "2026-03-20", "2026-03-22"], ["2024-06-20", "2025-04-02", "2026-03-23"]],
  // Regulations on Holidays of Government Offices, articles 2 and 3: the day before, the day, the day after, and the
  // substitute for a Sunday among them.
  ["KR", ["2026-02-16", "2026-02-17", "2026-02-18", "2027-02-09"], ["2026-02-19", "2026-02-15", "2027-02-10"]],
  // Cabinet Resolution 27 of 2024: the ninth of Dhu al-Hijjah and two days of December, but neither Mi'raj nor the
  // first day of Ramadan.
  ["AE", ["2025-06-05", "2026-12-02", "2026-12-03"], ["2026-01-16", "2026-02-18", "2026-12-04"]],
  // State Council decrees 644 and 795: since 2025 from New Year's Eve to the third day, before that from the first to
  // the third day.
  ["CN", ["2026-02-16", "2026-02-19", "2026-05-02", "2024-02-12"], ["2026-02-20", "2026-06-01", "2024-02-09"]],
  // Enforcement Act for Memorial Days and Festivals: three new days in 2025, two more in 2026.
  ["TW", ["2025-09-29", "2025-10-24", "2025-12-25"], ["2025-05-01", "2025-09-26", "2025-10-27", "2024-12-25"]],
  ["TW", ["2026-02-16", "2026-02-20", "2026-05-01", "2026-09-28", "2026-10-26", "2026-12-25"], ["2026-02-23"]],
  ["TW", ["2027-02-04", "2027-02-10", "2027-12-24", "2027-12-31"], ["2027-02-03", "2027-02-11", "2027-12-27"]],
  // A Saturday's holiday is kept on Friday and a Sunday's on Monday; Children's Day gives way to Tomb Sweeping Day.
  ["TW", ["2025-05-30", "2026-02-27", "2026-10-09", "2020-10-09", "2015-02-27"], ["2025-06-02", "2026-03-02"]],
  ["TW", ["2025-04-03", "2026-04-03", "2026-04-06", "2027-04-05", "2027-04-06"], ["2025-04-07", "2026-04-02"]],
  [
    "TW",
    ["2016-04-04", "2016-04-05", "2020-04-02", "2020-04-03", "2021-04-02", "2021-04-05", "2024-04-05"],
    ["2024-04-03"],
  ],
  // The Ministry of Manpower's date for 2027, and the full moon of the fourth month after it; a Sunday's holiday moves.
  ["SG", ["2026-06-01", "2027-05-20", "2028-05-09", "2029-05-28"], ["2027-05-21", "2025-05-13"]],
];

for (const [country, closed, open] of OPEN_AND_CLOSED) {
  test(`${country} is closed on the days of its law and open beside them: ${closed[0]}`, async () => {
    const calendar = await openCalendar({ country });
    const isClosed = async (date: string) => (await calendar.on(dayNumber(date))).some(({ from }) => from === null);
    for (const date of closed) assert.equal(await isClosed(date), true, date);
    for (const date of open) assert.equal(await isClosed(date), false, date);
  });
}

test("every federal holiday that is observed on another day of the United States is a public one", async () => {
  const calendar = await openCalendar({ country: "US" });
  for (const date of ["2018-11-12", "2028-11-10", "2026-07-03", "2021-12-31", "2022-12-26", "2027-06-18"]) {
    const holidays = await calendar.on(dayNumber(date));
    assert.deepEqual(
      holidays.map(({ type, substitute }) => ({ type, substitute })),
      [{ type: "public", substitute: true }],
      date,
    );
  }
});

test("a place is found in any spelling of its subdivision", async () => {
  assert.deepEqual(await findPlace("DE", "de-by-kath"), { country: "DE", state: "BY", region: "KATH" });
  assert.deepEqual(await findPlace("US", "DE"), { country: "US", state: "DE" });
  assert.equal(await findPlace("DE", "BY-A-A"), "unknown_subdivision");
  assert.equal(await findPlace("__", undefined), "unknown_country");
});
