import { type Micros, times } from "../terms/money/money.ts";
import { addAmount, amountTexts, type EstimatedShare, wilsonInterval } from "./estimate.ts";
import type { PlannedTarget } from "./plan.ts";
import type { BatchTally } from "./tally.ts";

/** What the rows of a sample say about all rows, with intervals of 95 % confidence. */
export interface Projection {
  readonly rows_chosen: number;
  readonly rows_answered: number;
  readonly rows: number;
  readonly targets: readonly { readonly source: string; readonly match_rate: EstimatedShare }[];
  /** By currency, at the planned prices, for all rows. */
  readonly cost: readonly string[];
  readonly cost_low: readonly string[];
  readonly cost_high: readonly string[];
}

/**
 * @param sample the rows of the sample that were answered
 * @param chosen how many rows the sample has
 */
export function projectSample(
  sample: BatchTally,
  chosen: number,
  targets: readonly PlannedTarget[],
  rows: number,
): Projection {
  const sums = [new Map<string, Micros>(), new Map<string, Micros>(), new Map<string, Micros>()] as const;
  for (const { id, price } of targets) {
    if (price === null) continue;
    const { share, low, high } = wilsonInterval(sample.of(id).charged, sample.rows);
    for (const [at, each] of [share, low, high].entries())
      addAmount(sums[at]!, price.currency, times(price.amount, Math.round(each * rows)));
  }
  return {
    rows_chosen: chosen,
    rows_answered: sample.rows,
    rows,
    targets: targets.map(({ id }) => {
      const { matched, unmatched, failed, open } = sample.of(id);
      // Sources that were not called say nothing about matches.
      return { source: id, match_rate: wilsonInterval(matched, matched + unmatched + failed - open) };
    }),
    cost: amountTexts(sums[0]),
    cost_low: amountTexts(sums[1]),
    cost_high: amountTexts(sums[2]),
  };
}
