/* Times in a time zone, which is named as by IANA. */

/** The zone of the browser. */
export const LOCAL_ZONE: string = new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The zone of this name, or UTC for an unknown one. */
export function knownZone(name: string | null): string {
  if (name === null || name === "") return "UTC";
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A format of times in a zone. Making one is slow, so each is made once. */
export function timeFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat("en-GB", { ...options, timeZone: name });
  formats.set(key, format);
  return format;
}

const CLOCK = { hour: "2-digit", minute: "2-digit" } as const;

/** In the form 07:58. */
export function clockText(ms: number, name: string): string {
  return timeFormat(name, CLOCK).format(ms);
}

/** In the form 28 Nov. */
export function dayText(ms: number, name: string): string {
  return timeFormat(name, { day: "numeric", month: "short" }).format(ms);
}

/** In the form 28 Nov, 07:58. */
export function dayClockText(ms: number, name: string): string {
  return `${dayText(ms, name)}, ${clockText(ms, name)}`;
}

const PARTS = {
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
  hourCycle: "h23",
} as const;

/** The difference of local time to UTC at a time, in milliseconds. */
export function offsetAt(ms: number, name: string): number {
  if (name === "UTC") return 0;
  const of: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of timeFormat(name, PARTS).formatToParts(ms)) of[type] = Number(value);
  const local = Date.UTC(of.year!, of.month! - 1, of.day!, of.hour!, of.minute!, of.second!);
  return local - Math.floor(ms / 1_000) * 1_000;
}

/** The time at which clocks of the zone show `local`, which is given as if it were UTC. */
export function fromLocal(local: number, name: string): number {
  const first = local - offsetAt(local, name);
  return local - offsetAt(first, name);
}

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The start of the day of a time, `days` later. Days of a change of the clocks are shorter or longer. */
export function dayStart(ms: number, name: string, days = 0): number {
  const local = ms + offsetAt(ms, name);
  return fromLocal((Math.floor(local / DAY_MS) + days) * DAY_MS, name);
}
