const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
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
