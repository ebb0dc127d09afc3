import { amountFromColumn, amountText, type Micros } from "../../terms/money/money.ts";
import type { AttemptRow } from "../ports.ts";
import type { Charged } from "../../terms/fault.ts";

/** A cost between two amounts, which are equal once every charge is known. */
export interface CostRange {
  readonly least: Micros;
  readonly most: Micros;
}

/** The cost of a request, by its full price. `null`: it may have been billed, and no price is known. */
export function costOf(charged: Charged, full: Micros | null): CostRange | null {
  if (charged === "no") return { least: 0n, most: 0n };
  if (full === null) return null;
  return { least: charged === "yes" ? full : 0n, most: full };
}

/** A row for output, with its price as decimal text. */
export function withPriceText<Row extends { readonly price: number | null }>(row: Row) {
  return { ...row, price: priceText(row.price) };
}

export function priceText(price: number | null): string | null {
  const amount = amountFromColumn(price);
  return amount === null ? null : amountText(amount);
}

/** The cost of a run, by currency. */
export interface RunCost {
  readonly costs: readonly (CostRange & { readonly currency: string })[];
  /** Requests without a price that were or may have been charged. They are in no sum. */
  readonly unpriced: number;
}

export function costOfRequests(attempts: readonly Pick<AttemptRow, "charged" | "price" | "currency">[]): RunCost {
  const sums = new Map<string, CostRange>();
  let unpriced = 0;
  for (const { charged, price, currency } of attempts) {
    const cost = costOf(charged, amountFromColumn(price));
    if (cost === null) unpriced += 1;
    if (cost === null || currency === null) continue;
    const sum = sums.get(currency) ?? { least: 0n, most: 0n };
    sums.set(currency, { least: sum.least + cost.least, most: sum.most + cost.most });
  }
  const costs = [...sums].map(([currency, sum]) => ({ currency, ...sum }));
  return { costs: costs.toSorted((one, other) => (one.currency < other.currency ? -1 : 1)), unpriced };
}
