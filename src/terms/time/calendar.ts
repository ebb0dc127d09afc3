/** Days and months of contracts: in a time zone of the IANA database, such as `Europe/Berlin`. */

/** A time span in Unix ms, without its end. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export function isTimeZone(name: string): boolean {
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The canonical spelling of a time zone's name, which may be written in any case. The zone has to exist. */
export function canonicalTimeZone(name: string): string {
  const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
  return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
}

/**
 * Whether a text such as `2026-01-31` is a day. `Date.parse` would read the 30th of February as the 2nd of March. The
 * year 0 does not count: contracts do not have it, and time zones show its days as those of the year 1.
 */
export function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(`${text}T`) && !text.startsWith("0000");
}

/** The first moment of an existing day, such as `2026-01-31`. */
export function startOfDay(day: string, timeZone: string): number {
  return instantOf(Date.parse(`${day}T00:00:00Z`), clockOf(timeZone));
}

/** The calendar day that contains a moment. */
export function dayContaining(wallAt: number, timeZone: string): TimeSpan {
  return spanContaining(wallAt, timeZone, (here, later) =>
    utcOf(here.getUTCFullYear(), here.getUTCMonth(), here.getUTCDate() + later),
  );
}

/** The days of a zone in order, such as `2026-03-29`, from the one that contains `from` to the last one before `to`. */
export function* daysIn(
  { from, to }: TimeSpan,
  timeZone: string,
): Generator<TimeSpan & { readonly day: string }, void, void> {
  const clock = clockOf(timeZone);
  const first = new Date(clock(dayContaining(from, timeZone).from));
  const shownOf = (at: number): number => utcOf(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + at);
  for (let [at, start] = [0, instantOf(shownOf(0), clock)]; start < to; at += 1) {
    const end = instantOf(shownOf(at + 1), clock);
    // A zone that moves across the date line skips a day.
    if (end > start) yield { day: new Date(shownOf(at)).toISOString().slice(0, 10), from: start, to: end };
    start = end;
  }
}

/** The calendar month that contains a moment. */
export function monthContaining(wallAt: number, timeZone: string): TimeSpan {
  return spanContaining(wallAt, timeZone, (here, later) => utcOf(here.getUTCFullYear(), here.getUTCMonth() + later, 1));
}

/**
 * Returns the local time of a zone at a moment, to the second, as if it were UTC. Creating one takes longer than ten
 * calls.
 */
type ZoneClock = (wallAt: number) => number;

function spanContaining(wallAt: number, timeZone: string, startShown: (here: Date, later: number) => number): TimeSpan {
  const clock = clockOf(timeZone);
  const here = new Date(clock(wallAt));
  const start = (later: number): number => instantOf(startShown(here, later), clock);
  const [from, to] = [start(0), start(1)];
  // Clocks that are set back across midnight show the end of a day again, after the next day has started.
  return to > wallAt ? { from, to } : { from: to, to: start(2) };
}

/**
 * The first moment at which the clocks show a time, given as if it were UTC; if they skip it, the moment of the skip.
 */
function instantOf(shown: number, clock: ZoneClock): number {
  const offsetAt = (wallAt: number): number => clock(wallAt) - wallAt;
  const first = shown - offsetAt(shown);
  // The offset may differ at the first guess. Of the two moments, the earlier one that shows this time or a later one
  // is the result.
  const second = shown - offsetAt(first);
  const earliest = Math.min(first, second);
  return clock(earliest) >= shown ? earliest : Math.max(first, second);
}

/** @throws RangeError for an unknown zone */
function clockOf(timeZone: string): ZoneClock {
  if (timeZone === "UTC") return (wallAt) => wallAt;
  const digits = "2-digit" as const;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: digits,
    day: digits,
    hour: digits,
    minute: digits,
    second: digits,
  });
  return (wallAt) => {
    const parts = format.formatToParts(wallAt);
    const part = (type: Intl.DateTimeFormatPartTypes): number =>
      Number.parseInt(parts.find((one) => one.type === type)!.value, 10);
    return (
      utcOf(part("year"), part("month") - 1, part("day")) +
      ((part("hour") * 60 + part("minute")) * 60 + part("second")) * 1_000
    );
  };
}

/** Midnight UTC. `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
function utcOf(year: number, monthIndex: number, day: number): number {
  return new Date(0).setUTCFullYear(year, monthIndex, day);
}
