/** `date-time` of JSON Schema has four digits for the year; for other years ECMAScript writes more digits or throws. */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** A time in a result: UTC in ISO 8601, or `null`. A time outside the range becomes the nearest one within. */
export function toWireTime(wallAt: number): string;
export function toWireTime(wallAt: number | null): string | null;
export function toWireTime(wallAt: number | null): string | null {
  return wallAt === null ? null : new Date(Math.min(Math.max(wallAt, FIRST), LAST)).toISOString();
}
