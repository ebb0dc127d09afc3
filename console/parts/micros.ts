/**
 * Converts decimal text to whole millionths. The service sends amounts as decimal text, and floating point numbers
 * would not compare them exactly.
 */
export function toMicros(amount: string): bigint {
  const [, sign = "", units = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,6}))?/.exec(amount) ?? [];
  const micros = BigInt(units + decimals.padEnd(6, "0"));
  return sign === "-" ? -micros : micros;
}

/** `part` in thousandths of `whole`, from 0 to 1000, to draw a bar. A part above zero is at least 1. */
export function thousandths(part: string, whole: string): number {
  const [of, all] = [toMicros(part), toMicros(whole)];
  if (of <= 0n || all <= 0n) return 0;
  const share = Number((of * 1_000n) / all);
  return Math.min(Math.max(share, 1), 1_000);
}

/** The largest of the amounts. */
export function largestOf(amounts: readonly string[]): string {
  return amounts.reduce((most, one) => (toMicros(one) > toMicros(most) ? one : most), "0");
}

/** Whole millionths as decimal text, with at least two decimals. */
export function amountOf(micros: bigint): string {
  const [sign, digits] = [micros < 0n ? "-" : "", String(micros < 0n ? -micros : micros).padStart(7, "0")];
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, "")}`;
}
