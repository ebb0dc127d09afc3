import type { ResultOf } from "../../api/verb-types.ts";

export type Charge = ResultOf<"source show">["charge"];
type ListPrice = Charge["list_price"];

/** The unit that the vendor bills. */
const BILLED: Readonly<Record<Charge["model"], string>> = {
  free: "request",
  per_call: "request",
  per_success: "completed request",
  per_match: "record",
};

/** The list price with its unit, such as `0.50 EUR per record`. */
export function chargeText({ model, list_price: price, rows }: Charge): string {
  if (model === "free") return "nothing";
  if (price === null) return `per ${BILLED[model]}; no list price`;
  return `${rows.length > 0 ? "at most " : ""}${listPriceText(price)} per ${BILLED[model]}`;
}

export function listPriceText(price: ListPrice): string {
  if (price === null) return "unknown";
  return price.currency === null ? "nothing" : `${price.amount} ${price.currency}`;
}

/** The plan for one source, as `workflow plan` returns it. */
export type Planned = ResultOf<"workflow plan">["sources"][number];

/** The maximum cost of one call as far as it is known: short for the button, and as a sentence. */
export function costText({ cost, bills, at_most: most, currency, price_from: from }: Planned): {
  readonly short: string | null;
  readonly says: string;
} {
  if (cost === "nothing") return { short: null, says: "Nothing will be billed." };
  const billed = `The vendor bills every ${BILLED[bills]}`;
  if (cost === "unknown")
    return {
      short: "unknown price",
      says: `${billed}. The amount is unknown: neither the credential nor the source has a price.`,
    };
  const amount = `at most ${most} ${currency}`;
  return {
    short: amount,
    says: `${billed}: ${amount} per request, by ${from === "credential" ? "the price of the credential" : "the source's list price"}.`,
  };
}
