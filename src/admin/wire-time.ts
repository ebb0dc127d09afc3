/** `date-time` of JSON Schema has four digits for the year; of later years the clock of ECMAScript writes more, or nothing. */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** A time as results show it: UTC in ISO 8601, or `null`. One before or after all that can be written so is the first or the last. */
export function toWireTime(wallAt: number): string;
export function toWireTime(wallAt: number | null): string | null;
export function toWireTime(wallAt: number | null): string | null {
  return wallAt === null ? null : new Date(Math.min(Math.max(wallAt, FIRST), LAST)).toISOString();
}
