import type { FoundCredential, RunnableSource } from "../run/ports.ts";
import type { ChargeModel } from "../terms/charge.ts";
import { amountText, type Micros } from "../terms/money.ts";
import type { Price } from "../terms/price.ts";

/** What asking a source costs at most, for one request that the vendor bills. */
export interface PlannedCost {
  /** What the contract bills or, without one, what the source declares. */
  readonly model: ChargeModel;
  /** `nothing`: it is certain that nothing is billed. `unknown`: it is billed, and nobody has said how much. */
  readonly cost: "nothing" | "known" | "unknown";
  readonly price: Price | null;
  /** Who says so: the contract of the credential, or the list price of the source. */
  readonly from: "credential" | "source" | null;
}

/** As a request that is sent at this moment would be priced. `credential`: the one that it would be sent with. */
export function costOf(source: RunnableSource, credential: FoundCredential | null, wallAt: number): PlannedCost {
  const term = credential?.prices?.at(wallAt) ?? null;
  const model = term?.per ?? source.charge;
  if (model === "free") return { model, cost: "nothing", price: null, from: term === null ? "source" : "credential" };
  const price = term ?? source.listPrice;
  if (price === null) return { model, cost: "unknown", price: null, from: null };
  return { model, cost: "known", price, from: term === null ? "source" : "credential" };
}

/** What several cost together, by currency, in the order of the currencies' codes. */
export function sumOf(prices: readonly (Price | null)[]): { readonly amount: string; readonly currency: string }[] {
  const sums = new Map<string, Micros>();
  for (const price of prices) {
    if (price !== null) sums.set(price.currency, (sums.get(price.currency) ?? 0n) + price.amount);
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ amount: amountText(amount), currency }));
}
