import type { SourceDeclaration } from "../sdk/source.ts";
import { isCurrency } from "../terms/money/currency.ts";
import { amountText, AMOUNT_MAX, readAmount } from "../terms/money/money.ts";
import type { Price } from "../terms/money/price.ts";

/** The fields of `charge`, or of one of its rows, that state a price. */
export interface Listed {
  readonly amount?: number;
  readonly currency?: string;
}

/** The price, or a sentence about its problem. An amount of 0 needs no currency, because nothing is billed. */
export function readListPrice({ amount, currency }: Listed): Price | string | null {
  if (currency !== undefined && !isCurrency(currency))
    return `${currency} is not a currency code of ISO 4217, such as EUR`;
  if (amount === undefined) return currency === undefined ? null : "a currency needs an amount";
  // The shortest decimal text of a number with so few digits is exactly what its author wrote.
  const micros = readAmount(String(amount));
  if (micros === null) return `an amount has at most six decimals, and is at most ${amountText(AMOUNT_MAX)}`;
  if (micros === 0n) return null;
  return currency === undefined ? "an amount needs its currency, such as EUR" : { amount: micros, currency };
}

/** The list price of a source; for a table of charges, the highest one. The declaration has been checked. */
export function listPriceOf({ charge }: SourceDeclaration): Price | null {
  if (charge === undefined || typeof charge === "string") return null;
  const { rows } = charge as { readonly rows?: readonly Listed[] };
  return highest((rows ?? [charge]).map((row) => readListPrice(row)).filter((price) => typeof price !== "string"));
}

/** The highest of the known prices, all of which have one currency. */
export function highest(prices: readonly (Price | null)[]): Price | null {
  return prices.reduce((high, one) => (one !== null && (high === null || one.amount > high.amount) ? one : high), null);
}
