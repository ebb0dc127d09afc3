/** A time as results show it: UTC in ISO 8601, or `null`. */
export function toWireTime(wallAt: number): string;
export function toWireTime(wallAt: number | null): string | null;
export function toWireTime(wallAt: number | null): string | null {
  return wallAt === null ? null : new Date(wallAt).toISOString();
}
