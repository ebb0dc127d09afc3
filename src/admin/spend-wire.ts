import type { Spent } from "../ledger/read/spent.ts";
import { amountText, type Micros } from "../terms/money/money.ts";
import { Type } from "../terms/schema/type.ts";
import { count, orNull, text } from "./result-schemas.ts";

/** Results about money, by currency. */

/** The fields of each line about money. */
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
  amount_unknown: { ...orNull(text), description: "The sum of the unknown charges in full" },
});

/** The columns of a total on the command line. */
export const TOTAL_COLUMNS = ["currency", "amount", "amount_at_most"];

/** A sentence for the descriptions of verbs that show amounts. */
export const AMOUNTS =
  "AMOUNT is what is known to be charged, at the prices recorded when the requests were sent; AMOUNT AT MOST adds every unknown charge in full. Requests that are or may be charged and have no recorded price are not in the amounts: UNPRICED counts them. Currencies are never converted.";

/** Without a currency the amounts are unknown, which differs from zero. */
export function toWireSpent({ currency, least, most, unpriced }: Spent) {
  const amounts = currency === null ? [null, null] : [amountText(least), amountText(most)];
  return { unpriced, currency, amount: amounts[0]!, amount_at_most: amounts[1]! };
}

/** A summand of a total. */
type SpendTotalLine = Spent & { readonly requests: number; readonly charged_unknown: number };

/** The sums of all lines by currency; requests without a currency come last. */
export function totalsOf(lines: readonly SpendTotalLine[]) {
  return [...Map.groupBy(lines, ({ currency }) => currency)]
    .toSorted(([one], [other]) => ((one ?? "~") < (other ?? "~") ? -1 : 1))
    .map(([currency, own]) => {
      const counted = (of: (line: SpendTotalLine) => number) => own.reduce((sum, line) => sum + of(line), 0);
      const added = (of: (line: SpendTotalLine) => Micros) => own.reduce((sum, line) => sum + of(line), 0n);
      const [least, most] = [added((line) => line.least), added((line) => line.most)];
      return {
        requests: counted(({ requests }) => requests),
        unknown: counted(({ charged_unknown: unknown }) => unknown),
        ...toWireSpent({ currency, least, most, unpriced: counted(({ unpriced }) => unpriced) }),
        amount_unknown: currency === null ? null : amountText(most - least),
      };
    });
}
