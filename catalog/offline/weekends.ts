export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Corrections of weekends in Unicode's locale data. An entry is added only if it is certain. */
const CORRECTIONS: Readonly<Record<string, readonly Weekday[]>> = {
  BD: ["friday", "saturday"],
  BN: ["friday", "sunday"],
};

export interface Weekend {
  readonly days: readonly Weekday[];
  readonly source: "unicode_cldr" | "own_table";
}

/** The members of `Intl.Locale` for weekends, which not all runtimes have and which the language's types lack. */
interface WithWeekInfo {
  getWeekInfo?(): { readonly weekend: readonly number[] };
  readonly weekInfo?: { readonly weekend: readonly number[] };
}

/** The weekend of a country today, from the locale data of the runtime. */
export function weekendOf(country: string): Weekend {
  const corrected = Object.hasOwn(CORRECTIONS, country) ? CORRECTIONS[country] : undefined;
  if (corrected !== undefined) return { days: corrected, source: "own_table" };
  const locale = new Intl.Locale(`und-${country}`) as WithWeekInfo;
  const numbers = (locale.getWeekInfo?.() ?? locale.weekInfo)?.weekend ?? [6, 7];
  return { days: numbers.map((day) => WEEKDAYS[day - 1]!), source: "unicode_cldr" };
}

const DAY_MS = 86_400_000;

/** Days from 1970-01-01 to a date. Only dates are used, never instants, so time zones have no effect. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

export function dateOfDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7]!;
}
