import type { ResultOf } from "../../api/verb-types.ts";

export type Charge = ResultOf<"source show">["charge"];
export type ListPrice = Charge["list_price"];

const BILLS: Readonly<Record<Charge["model"], string>> = {
  free: "nothing",
  per_call: "every request",
  per_success: "every completed request",
  per_match: "every record",
};

/** `every request, 0.50 EUR`: what the vendor bills, and its list price. */
export function sayCharge({ model, list_price: price, rows }: Charge): string {
  if (model === "free") return "nothing";
  if (price === null) return `${BILLS[model]}; no list price`;
  return `${BILLS[model]}, ${rows.length > 0 ? "at most " : ""}${sayPrice(price)}`;
}

export function sayPrice(price: ListPrice): string {
  if (price === null) return "not known";
  return price.currency === null ? "nothing" : `${price.amount} ${price.currency}`;
}

/** What a run would do about one source, as `workflow plan` shows it. */
export type Planned = ResultOf<"workflow plan">["sources"][number];

/** What one question to the vendor costs at most, as far as it is known before: for the button, and as a sentence. */
export function sayCost({ cost, bills, at_most: most, currency, price_from: from }: Planned): {
  readonly short: string | null;
  readonly says: string;
} {
  if (cost === "nothing") return { short: null, says: "Nothing will be billed." };
  const billed = `The vendor bills ${BILLS[bills]}`;
  if (cost === "unknown")
    return {
      short: "price not known",
      says: `${billed}. How much is not known: neither the credential nor the source has a price.`,
    };
  const amount = `at most ${most} ${currency}`;
  return {
    short: amount,
    says: `${billed}: ${amount} a request, by ${from === "credential" ? "the price of the credential" : "the source's list price"}.`,
  };
}
