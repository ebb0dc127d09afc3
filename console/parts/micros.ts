/**
 * Amounts of money come from the service as decimal text. Where a page has to compare two of them, it does so in whole
 * millionths, and never as a floating point number.
 */
export function toMicros(amount: string): bigint {
  const [, sign = "", units = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,6}))?/.exec(amount) ?? [];
  const micros = BigInt(units + decimals.padEnd(6, "0"));
  return sign === "-" ? -micros : micros;
}

/** How much of an amount another is, in thousandths, for a drawing: 0 to 1000. What is more than nothing is at least 1. */
export function thousandths(part: string, whole: string): number {
  const [of, all] = [toMicros(part), toMicros(whole)];
  if (of <= 0n || all <= 0n) return 0;
  const share = Number((of * 1_000n) / all);
  return Math.min(Math.max(share, 1), 1_000);
}

/** The largest of some amounts. */
export function largestOf(amounts: readonly string[]): string {
  return amounts.reduce((most, one) => (toMicros(one) > toMicros(most) ? one : most), "0");
}
