import type { Spent } from "../ledger/read/sum-requests.ts";
import { amountText } from "../terms/money.ts";
import { Type } from "../terms/type.ts";
import { count, orNull, text } from "./result-schemas.ts";

/** What results say about money, by currency. */

/** What each line about money has. */
export const wireSpent = {
  unpriced: count,
  currency: orNull(text),
  amount: orNull(text),
  amount_at_most: orNull(text),
};

export const wireTotal = Type.Object({ currency: text, amount: text, amount_at_most: text });

/** For the descriptions of verbs that show amounts. */
export const AMOUNTS =
  "AMOUNT is what is known to be charged, at the prices recorded when the requests were sent; AMOUNT AT MOST adds every unknown charge in full. Requests that are or may be charged and have no recorded price are not in the amounts: UNPRICED counts them. Currencies are never converted.";

/** Without a currency there are no amounts, which is not the same as nothing. */
export function toWireSpent({ currency, least, most, unpriced }: Spent) {
  const amounts = currency === null ? [null, null] : [amountText(least), amountText(most)];
  return { unpriced, currency, amount: amounts[0]!, amount_at_most: amounts[1]! };
}

/** The sums of all lines in each currency. */
export function totalsOf(lines: readonly Spent[]) {
  const totals = new Map<string, Spent>();
  for (const line of lines) {
    const { currency } = line;
    if (currency === null) continue;
    const sum = totals.get(currency) ?? { currency, least: 0n, most: 0n, unpriced: 0 };
    totals.set(currency, { currency, least: sum.least + line.least, most: sum.most + line.most, unpriced: 0 });
  }
  return [...totals.values()]
    .toSorted((one, other) => (one.currency! < other.currency! ? -1 : 1))
    .map(({ currency, least, most }) => ({ currency, amount: amountText(least), amount_at_most: amountText(most) }));
}
