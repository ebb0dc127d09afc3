import type { Price } from "../terms/price.ts";
import type { FoundCredential, RunnableSource } from "./ports.ts";

/**
 * The most that one request costs if it is sent now: the price of its credential or, if that has none, the list price
 * of its source. `null`: no price is known. It is read from memory and never waits.
 */
export function priceOfCall(
  { listPrice }: Pick<RunnableSource, "listPrice">,
  credential: Pick<FoundCredential, "prices"> | null,
  wallAt: number,
): Price | null {
  return credential?.prices?.at(wallAt) ?? listPrice;
}
