export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIT_MS = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const;
type Unit = keyof typeof UNIT_MS;

/**
 * A pattern for a JSON Schema that matches durations in these units: a number and a unit, such as `300ms`, `5m` or
 * `90d`.
 */
export function durationPattern(...units: readonly Unit[]): string {
  return `^[1-9][0-9]{0,8}(${units.join("|")})$`;
}

/** The milliseconds of a duration that matches its pattern. */
export function durationMs(written: string): number {
  const [, count, unit] = /^([0-9]+)([a-z]+)$/.exec(written) ?? [];
  return Number(count) * UNIT_MS[unit as Unit];
}
