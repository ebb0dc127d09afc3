import type { Spent } from "../ledger/read/spent.ts";
import { amountText, type Micros } from "../terms/money.ts";
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

export const wireTotal = Type.Object({
  currency: orNull(text),
  requests: count,
  unknown: count,
  unpriced: count,
  amount: orNull(text),
  amount_at_most: orNull(text),
  amount_unknown: { ...orNull(text), description: "What the unknown charges come to in full" },
});

/** What the command line shows of a total. */
export const TOTAL_COLUMNS = ["currency", "amount", "amount_at_most"];

/** For the descriptions of verbs that show amounts. */
export const AMOUNTS =
  "AMOUNT is what is known to be charged, at the prices recorded when the requests were sent; AMOUNT AT MOST adds every unknown charge in full. Requests that are or may be charged and have no recorded price are not in the amounts: UNPRICED counts them. Currencies are never converted.";

/** Without a currency there are no amounts, which is not the same as nothing. */
export function toWireSpent({ currency, least, most, unpriced }: Spent) {
  const amounts = currency === null ? [null, null] : [amountText(least), amountText(most)];
  return { unpriced, currency, amount: amounts[0]!, amount_at_most: amounts[1]! };
}

/** A line of which a total is made. */
type Line = Spent & { readonly requests: number; readonly charged_unknown: number };

/** The sums of all lines in each currency, and last those of requests that have none. */
export function totalsOf(lines: readonly Line[]) {
  return [...Map.groupBy(lines, ({ currency }) => currency)]
    .toSorted(([one], [other]) => ((one ?? "~") < (other ?? "~") ? -1 : 1))
    .map(([currency, own]) => {
      const counted = (of: (line: Line) => number) => own.reduce((sum, line) => sum + of(line), 0);
      const added = (of: (line: Line) => Micros) => own.reduce((sum, line) => sum + of(line), 0n);
      const [least, most] = [added((line) => line.least), added((line) => line.most)];
      return {
        requests: counted(({ requests }) => requests),
        unknown: counted(({ charged_unknown: unknown }) => unknown),
        ...toWireSpent({ currency, least, most, unpriced: counted(({ unpriced }) => unpriced) }),
        amount_unknown: currency === null ? null : amountText(most - least),
      };
    });
}
