import type { Clock } from "../../../terms/time/clock.ts";

/**
 * The wait in ms that a reply requests in `Retry-After`, as seconds or as a date. A fraction of a second is rounded up.
 * 0 if the field is absent or invalid.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, clock: Clock): number {
  const written = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(written)) return Math.ceil(Number(written)) * 1_000;
  const until = readHttpDate(written, clock.wall());
  return until === null ? 0 : Math.max(0, until - clock.wall());
}

const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const TIME = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";

/** The three date formats of HTTP, of which recipients must accept all (RFC 9110, 5.6.7). */
const FORMATS: readonly RegExp[] = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  `${DAY}, (?<day>\\d{1,2}) (?<month>[A-Za-z]{3}) (?<year>\\d{4}) ${TIME} (?:GMT|UTC)`,
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  `${DAY}[a-z]{3,6}, (?<day>\\d{1,2})-(?<month>[A-Za-z]{3})-(?<year>\\d{2}) ${TIME} (?:GMT|UTC)`,
  // asctime: Sun Nov  6 08:49:37 1994
  `${DAY} (?<month>[A-Za-z]{3}) {1,2}(?<day>\\d{1,2}) ${TIME} (?<year>\\d{4})`,
].map((format) => new RegExp(`^${format}$`, "i"));

/** The time of a date in a header field, in milliseconds since 1970; `null` for any other text. */
function readHttpDate(text: string, nowMs: number): number | null {
  const found = FORMATS.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return null;
  const month = MONTHS.toLowerCase().indexOf(found["month"]!.toLowerCase()) / 3;
  if (!Number.isInteger(month) || month < 0) return null;
  const [day, hour, minute, second] = ["day", "hour", "minute", "second"].map((name) => Number(found[name]));
  if (day! < 1 || day! > 31 || hour! > 23 || minute! > 59 || second! > 60) return null;
  return Date.UTC(yearOf(found["year"]!, nowMs), month, day, hour, minute, second);
}

/** A two-digit year that seems to be more than 50 years ahead is in the past (RFC 9110, 5.6.7). */
function yearOf(written: string, nowMs: number): number {
  if (written.length === 4) return Number(written);
  const now = new Date(nowMs).getUTCFullYear();
  const year = now - (now % 100) + Number(written);
  return year > now + 50 ? year - 100 : year;
}
