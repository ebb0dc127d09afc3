import type { HolidaysTypes } from "date-holidays";

import { breathe } from "./breathe.ts";
import { corrected, MISSING_HOLIDAYS, type ListedHoliday } from "./holiday-corrections.ts";
import { loadOnce } from "./load-once.ts";
import { dayNumber } from "./weekends.ts";

/** Reading the rules takes about 0.1 s on first use, in steps between which other requests continue. */
const loadLibrary = loadOnce(async () => {
  const { data } = await import("date-holidays/data");
  await breathe();
  const { default: Holidays } = await import("date-holidays");
  await breathe();
  return { Holidays, dataDate: data.version };
});

export interface Place {
  readonly country: string;
  readonly state?: string;
  readonly region?: string;
}

export interface Holiday {
  readonly name: string;
  readonly type: "public" | "bank";
  readonly substitute: boolean;
  /** `hh:mm` local time, for a holiday that begins during the day. */
  readonly from: string | null;
}

export interface HolidayCalendar {
  readonly dataDate: string;
  /** Public and bank holidays of one day, given as a day number. */
  on(day: number): Promise<readonly Holiday[]>;
}

export type PlaceProblem = "unknown_country" | "unknown_subdivision";

/** Finds a country and, if given, its subdivision, written as `BY`, `DE-BY` or `DE-BY-A` in any case. */
export async function findPlace(country: string, subdivision: string | undefined): Promise<Place | PlaceProblem> {
  const { Holidays } = await loadLibrary();
  const all = new Holidays();
  if (!Object.hasOwn(all.getCountries(), country)) return "unknown_country";
  if (subdivision === undefined) return { country };
  const parts = subdivision.toUpperCase().split("-");
  if (parts.length > 1 && parts[0] === country) parts.shift();
  const [stateWord, regionWord, ...more] = parts;
  const state = keyLike(all.getStates(country), stateWord);
  if (state === undefined || more.length > 0) return "unknown_subdivision";
  if (regionWord === undefined) return { country, state };
  const region = keyLike(all.getRegions(country, state), regionWord);
  return region === undefined ? "unknown_subdivision" : { country, state, region };
}

function keyLike(names: Readonly<Record<string, string>> | undefined, word: string | undefined): string | undefined {
  return Object.keys(names ?? {}).find((key) => key.toUpperCase() === word);
}

type DaysOfYear = ReadonlyMap<number, readonly Holiday[]>;

/**
 * A cache of computed years. Lunar calendars cost up to 70 ms per year (Hong Kong), and a caller could ask for many of
 * them. The values never change, so the cache needs no expiry; it is emptied before it grows large.
 */
const YEARS_KEPT = 300;
const yearsWorkedOut = new Map<string, DaysOfYear>();

/**
 * The holidays of one place. A year is computed when one of its days is first asked for, with a pause before it for
 * other requests.
 */
export async function openCalendar(place: Place): Promise<HolidayCalendar> {
  const { Holidays, dataDate } = await loadLibrary();
  const years = new Map<number, DaysOfYear>();

  async function daysOf(year: number): Promise<DaysOfYear> {
    const known = years.get(year);
    if (known !== undefined) return known;
    const key = [place.country, place.state, place.region, year].join("|");
    let days = yearsWorkedOut.get(key);
    if (days === undefined) {
      await breathe();
      const library = new Holidays(place, { types: ["bank", "public"] });
      const missing = MISSING_HOLIDAYS[place.country];
      if (missing !== undefined) library.setHoliday(missing.rule, { name: { en: missing.name }, type: "public" });
      const listed = toListed(library.getHolidays(year, "en"));
      days = byDay(corrected(place.country, year, listed));
      if (yearsWorkedOut.size >= YEARS_KEPT) yearsWorkedOut.clear();
      yearsWorkedOut.set(key, days);
    }
    years.set(year, days);
    return days;
  }

  return {
    dataDate,
    async on(day) {
      const date = new Date(day * 86_400_000);
      const year = date.getUTCFullYear();
      const today = (await daysOf(year)).get(day) ?? [];
      // A holiday of several days that begins in December may continue in January.
      const isEarlyJanuary = date.getUTCMonth() === 0 && date.getUTCDate() < 10;
      return isEarlyJanuary ? [...((await daysOf(year - 1)).get(day) ?? []), ...today] : today;
    },
  };
}

const HOUR_MS = 3_600_000;

/**
 * The library starts a lunar holiday at the sunset before it. Its `date` is nevertheless the first day of the holiday,
 * and its duration in whole days is right. One hour is added to compensate for daylight saving, but not more: a holiday
 * of three days and three quarters begins on the afternoon before its first day.
 */
function toListed(holidays: readonly HolidaysTypes.Holiday[]): readonly ListedHoliday[] {
  return holidays.flatMap(({ date, start, end, name, type, substitute, rule }) => {
    if (type !== "public" && type !== "bank") return [];
    const time = date.slice(11, 16);
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    return {
      name,
      type,
      rule,
      substitute: substitute === true,
      from: time === "00:00" ? null : time,
      firstDay: dayNumber(date.slice(0, 10)),
      days: Math.max(1, Math.floor((hours + 1) / 24)),
    };
  });
}

function byDay(holidays: readonly ListedHoliday[]): DaysOfYear {
  const found = new Map<number, Holiday[]>();
  for (const { name, type, substitute, from, firstDay, days } of holidays) {
    for (let day = firstDay; day < firstDay + days; day += 1) {
      const holiday = { name, type, substitute, from: day === firstDay ? from : null };
      found.set(day, [...(found.get(day) ?? []), holiday]);
    }
  }
  return found;
}
