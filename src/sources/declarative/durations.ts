const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How a file writes a time span: `300ms`, `5s`, `5m`, `1h`, `1d`. */
export const DURATION_PATTERN = "^[1-9][0-9]{0,8}(ms|s|m|h|d)$";

/** Milliseconds of a span that is known to fit the pattern. */
export function durationMs(written: string): number {
  const [, count, unit] = /^([0-9]+)([a-z]+)$/.exec(written) ?? [];
  return Number(count) * (UNIT_MS[unit ?? ""] ?? Number.NaN);
}
