/** Days and months as a contract means them: in a time zone of the IANA database, such as `Europe/Berlin`. */

/** A span of time in Unix ms, without its end. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a text such as `2026-01-31` is a day. A parser reads the 30th of February as the 2nd of March. Of the year 0,
 * which contracts do not know, time zones show the days as those of the year 1.
 */
export function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${text}T`) && !text.startsWith("0000");
}

/** The first moment of a day that exists, such as `2026-01-31`. */
export function startOfDay(day: string, timeZone: string): number {
  return momentOf(Date.parse(`${day}T00:00:00Z`), timeZone);
}

/** The calendar month that contains a moment. */
export function monthAround(wallAt: number, timeZone: string): Span {
  const here = new Date(wallClockAt(wallAt, timeZone));
  const start = (monthsLater: number): number =>
    momentOf(utcOf(here.getUTCFullYear(), here.getUTCMonth() + monthsLater, 1), timeZone);
  return { from: start(0), to: start(1) };
}

/** When the clocks of the zone first show a time, given as if it were UTC; if they skip it, the moment of the skip. */
function momentOf(shown: number, timeZone: string): number {
  const first = shown - offsetAt(shown, timeZone);
  // The offset may differ there. Of the two moments, the earlier one that shows this time or a later one is meant.
  const second = shown - offsetAt(first, timeZone);
  const earliest = Math.min(first, second);
  return wallClockAt(earliest, timeZone) >= shown ? earliest : Math.max(first, second);
}

function offsetAt(wallAt: number, timeZone: string): number {
  return wallClockAt(wallAt, timeZone) - wallAt;
}

/** What the clocks of a zone show at a moment, as if it were UTC; to the second. */
function wallClockAt(wallAt: number, timeZone: string): number {
  if (timeZone === "UTC") return wallAt;
  const parts = formatOf(timeZone).formatToParts(wallAt);
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    Number.parseInt(parts.find((one) => one.type === type)!.value, 10);
  return (
    utcOf(part("year"), part("month") - 1, part("day")) +
    ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1_000
  );
}

/** Midnight. `Date.UTC` takes the years 0 to 99 for those from 1900 on. */
function utcOf(year: number, monthIndex: number, day: number): number {
  return new Date(0).setUTCFullYear(year, monthIndex, day);
}

/** @throws RangeError for an unknown zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const digits = "2-digit" as const;
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: digits,
    day: digits,
    hour: digits,
    minute: digits,
    second: digits,
  });
}
