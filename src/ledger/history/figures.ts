import { amountFromSum, type Micros } from "../../terms/money/money.ts";

/** The figures of some calls or runs. They are sums, so those of two sets without a common member can be added. */
export interface Figures {
  /** Number of calls or runs by ending: `match`, `no_match`, `unknown` (the outcome was lost), or a fault's code. */
  readonly ends: Map<string, number>;
  /** A histogram of durations (`durations.ts`), without calls that failed before a request was sent. */
  readonly buckets: number[];
  /** Sum of the durations in the histogram. */
  sumMs: number;
  /** By currency: the sum of known charges, and of known and unknown ones. */
  readonly amounts: Map<string, { readonly least: Micros; readonly most: Micros }>;
  /** Requests without a price that are or may be charged. They are not in the amounts. */
  unpriced: number;
}

export function noFigures(): Figures {
  return { ends: new Map(), buckets: [], sumMs: 0, amounts: new Map(), unpriced: 0 };
}

export function addEnds(to: Figures, end: string, count: number): void {
  to.ends.set(end, (to.ends.get(end) ?? 0) + count);
}

export function addDurations(to: Figures, bucket: number, count: number): void {
  while (to.buckets.length <= bucket) to.buckets.push(0);
  to.buckets[bucket]! += count;
}

export function addAmounts(to: Figures, currency: string, least: Micros, most: Micros): void {
  const before = to.amounts.get(currency);
  to.amounts.set(currency, { least: (before?.least ?? 0n) + least, most: (before?.most ?? 0n) + most });
}

export function addFigures(to: Figures, from: Figures): void {
  for (const [end, count] of from.ends) addEnds(to, end, count);
  for (const [bucket, count] of from.buckets.entries()) if (count > 0) addDurations(to, bucket, count);
  to.sumMs += from.sumMs;
  for (const [currency, { least, most }] of from.amounts) addAmounts(to, currency, least, most);
  to.unpriced += from.unpriced;
}

/** The number of calls or runs. */
export function countOf({ ends }: Figures): number {
  return [...ends.values()].reduce((sum, one) => sum + one, 0);
}

/** As stored: endings, sum of durations, histogram, amounts as texts since they may exceed 2^53, unpriced requests. */
type Packed = readonly [
  ends: readonly (readonly [string, number])[],
  sumMs: number,
  buckets: readonly number[],
  amounts: readonly (readonly [string, string, string])[],
  unpriced: number,
];

/** Equal figures have the same text. */
export function toText({ ends, sumMs, buckets, amounts, unpriced }: Figures): string {
  const sorted = <Value>(map: ReadonlyMap<string, Value>): (readonly [string, Value])[] =>
    [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const packed: Packed = [
    sorted(ends),
    sumMs,
    buckets,
    sorted(amounts).map(([currency, { least, most }]) => [currency, String(least), String(most)] as const),
    unpriced,
  ];
  return JSON.stringify(packed);
}

/** Adds stored figures. */
export function addText(to: Figures, text: string): void {
  const [ends, sumMs, buckets, amounts, unpriced] = JSON.parse(text) as Packed;
  for (const [end, count] of ends) addEnds(to, end, count);
  for (let bucket = 0; bucket < buckets.length; bucket += 1)
    if (buckets[bucket]! > 0) addDurations(to, bucket, buckets[bucket]!);
  to.sumMs += sumMs;
  for (const [currency, least, most] of amounts) addAmounts(to, currency, amountFromSum(least), amountFromSum(most));
  to.unpriced += unpriced;
}
