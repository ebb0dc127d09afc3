/**
 * An amount of money: a whole number of millionths of a unit of its currency. It is a `bigint`, so it cannot have a
 * fraction, and TypeScript refuses to mix it with a floating point number. Only this file converts amounts to and from
 * other forms: decimal text for people and files, a whole number for one row of the ledger.
 */
export type Micros = bigint;

const MICROS_A_UNIT = 1_000_000n;
const DECIMALS = 6;

/**
 * The largest amount of one request or one price: a thousand million units. In millionths it is below 2^53, so a row
 * can store it as a plain whole number. Sums have no such limit.
 */
export const AMOUNT_MAX: Micros = 1_000_000_000n * MICROS_A_UNIT;

/** Digits without leading zeros, then up to six decimals. */
const AMOUNT = /^(0|[1-9]\d{0,9})(\.\d{1,6})?$/;

/** Reads `0.35`. `null` if the text is not such a number, is negative, has more than six decimals, or is too large. */
export function readAmount(text: string): Micros | null {
  if (!AMOUNT.test(text)) return null;
  const [units, decimals = ""] = text.split(".");
  const micros = BigInt(units! + decimals.padEnd(DECIMALS, "0"));
  return micros > AMOUNT_MAX ? null : micros;
}

/** A number of requests as an amount, for budgets that count requests. */
export function readCount(count: number): Micros {
  return BigInt(count);
}

/** The amount of `count` times one amount. @throws RangeError if the count is not a whole number */
export function times(micros: Micros, count: number): Micros {
  return micros * BigInt(count);
}

/** A share of an amount, one of `count` equal ones, rounded to the nearest millionth. */
export function dividedBy(micros: Micros, count: number): Micros {
  const by = BigInt(count);
  return (2n * micros + by) / (2n * by);
}

/** Decimal text such as `0.35`, with at least two decimals and no more than needed. */
export function amountText(micros: Micros): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(DECIMALS + 1, "0");
  const decimals = digits.slice(-DECIMALS).replace(/0{1,4}$/, "");
  return `${micros < 0n ? "-" : ""}${digits.slice(0, -DECIMALS)}.${decimals}`;
}

/** `percent` hundredths of an amount, rounded up. */
export function percentOf(micros: Micros, percent: number): Micros {
  return (micros * BigInt(percent) + 99n) / 100n;
}

/** The share of one amount in another, in whole percent: 100 only for all of it. */
export function percentUsed(part: Micros, whole: Micros): number {
  return whole === 0n ? 100 : Number((part * 100n) / whole);
}

/** An amount for a column of the ledger or the store. */
export function amountToColumn(micros: Micros): number {
  return Number(micros);
}

/** `null` means "not known", never zero. */
export function amountFromColumn(value: number): Micros;
export function amountFromColumn(value: number | null): Micros | null;
export function amountFromColumn(value: number | null): Micros | null {
  return value === null ? null : BigInt(value);
}

/** Reads a sum, which a database returns as text because it can exceed 2^53. */
export function amountFromSum(text: string): Micros {
  return BigInt(text);
}

/** The nearest floating point number of units, only for metrics: Prometheus has no other numbers. */
export function amountForMetric(micros: Micros): number {
  return Number(amountText(micros));
}

/** The share of one amount in another, only for metrics. */
export function ratioForMetric(part: Micros, whole: Micros): number {
  return Number(part) / Number(whole);
}
