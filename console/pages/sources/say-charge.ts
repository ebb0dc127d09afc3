import type { ResultOf } from "../../api/verb-types.ts";

export type Charge = ResultOf<"source show">["charge"];
export type ListPrice = Charge["list_price"];

/** What is billed once. */
const BILLED: Readonly<Record<Charge["model"], string>> = {
  free: "request",
  per_call: "request",
  per_success: "completed request",
  per_match: "record",
};

/** `0.50 EUR per record`: the list price of what the vendor bills. */
export function sayCharge({ model, list_price: price, rows }: Charge): string {
  if (model === "free") return "nothing";
  if (price === null) return `per ${BILLED[model]}; no list price`;
  return `${rows.length > 0 ? "at most " : ""}${sayPrice(price)} per ${BILLED[model]}`;
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
  const billed = `The vendor bills every ${BILLED[bills]}`;
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
