import type { ResolvedCredential, RunnableSource } from "../run/ports.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import { billedRequestsMax } from "../sdk/source.ts";
import { amountText, times, type Micros } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";

/** The maximum cost of a call of a source: of all its requests that the vendor can bill. */
export interface PlannedCost {
  /** The contract's charge model or, without one, the source's. */
  readonly model: ChargeModel;
  /** `nothing`: certainly not billed. `unknown`: billed, but without a price. */
  readonly cost: "nothing" | "known" | "unknown";
  readonly price: Price | null;
  /** The origin of the cost: the credential's contract, or the source's list price. */
  readonly from: "credential" | "source" | null;
}

/**
 * The cost of a call made now. `credential`: the one that the call would use. A source in TypeScript does not declare
 * how many requests it sends; it is taken to send one that is billed.
 */
export function costOf(source: RunnableSource, credential: ResolvedCredential | null, wallAt: number): PlannedCost {
  const term = credential?.prices?.at(wallAt) ?? null;
  const model = term?.per ?? source.charge;
  if (model === "free") return { model, cost: "nothing", price: null, from: term === null ? "source" : "credential" };
  const each = term ?? source.listPrice;
  if (each === null) return { model, cost: "unknown", price: null, from: null };
  const price = { ...each, amount: times(each.amount, source.declaration[billedRequestsMax] ?? 1) };
  return { model, cost: "known", price, from: term === null ? "source" : "credential" };
}

/** Sums of prices by currency, sorted by currency code. */
export function sumOf(prices: readonly (Price | null)[]): { readonly amount: string; readonly currency: string }[] {
  const sums = new Map<string, Micros>();
  for (const price of prices) {
    if (price !== null) sums.set(price.currency, (sums.get(price.currency) ?? 0n) + price.amount);
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ amount: amountText(amount), currency }));
}
