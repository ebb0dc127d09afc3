import { amountText, type Micros, times } from "../terms/money/money.ts";
import type { PlannedTarget } from "./plan.ts";
import { spacingOf } from "./rate-pacer.ts";

/** A share with the interval in which the true one lies with 95 % confidence. */
export interface EstimatedShare {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5th percentile of the standard normal distribution. */
const Z = 1.959964;

/**
 * The Wilson score interval of a share, which is also right for few observations and for shares near 0 and 1.
 * @see https://doi.org/10.1080/01621459.1927.10502953
 */
export function wilsonInterval(hits: number, of: number): EstimatedShare {
  if (of === 0) return { share: 0, low: 0, high: 1 };
  const share = hits / of;
  const squared = (Z * Z) / of;
  const centre = (share + squared / 2) / (1 + squared);
  const half = (Z / (1 + squared)) * Math.sqrt((share * (1 - share)) / of + squared / (4 * of));
  // At the ends the interval is exact, and rounding must not move it.
  return {
    share,
    low: hits === 0 ? 0 : Math.max(0, centre - half),
    high: hits === of ? 1 : Math.min(1, centre + half),
  };
}

/** Amounts by currency, sorted. */
export type Amounts = ReadonlyMap<string, Micros>;

export function amountTexts(amounts: Amounts): string[] {
  return [...amounts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => `${amountText(amount)} ${currency}`);
}

export function addAmount(amounts: Map<string, Micros>, currency: string, amount: Micros): void {
  amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
}

/** The most that so many calls of each source cost. */
export function mostCost(targets: readonly PlannedTarget[], calls: (target: PlannedTarget) => number): Amounts {
  const sums = new Map<string, Micros>();
  for (const target of targets) {
    const { price } = target;
    if (price !== null) addAmount(sums, price.currency, times(price.amount, calls(target)));
  }
  return sums;
}

/** Milliseconds that the calls take at least at the declared rates; `null` if no source declares one. */
export function leastDurationMs(
  targets: readonly PlannedTarget[],
  calls: (target: PlannedTarget) => number,
): number | null {
  const durations = targets
    .filter((target) => target.rates.length > 0)
    .map((target) => spacingOf(target) * calls(target));
  return durations.length === 0 ? null : Math.max(...durations);
}

/** The numbers of `count` rows that are spread evenly over all rows. */
export function spreadRows(count: number, rows: number): ReadonlySet<number> {
  if (count >= rows) return new Set(Array.from({ length: rows }, (_, at) => at + 1));
  return new Set(Array.from({ length: count }, (_, at) => Math.floor(((at + 0.5) * rows) / count) + 1));
}
