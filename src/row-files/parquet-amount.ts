import { readAmount } from "../terms/money/money.ts";

/** An amount in the stored form of its column: a whole number of millionths. @throws RangeError if it is not an amount */
export function toStoredAmount(text: string): bigint {
  const amount = readAmount(text);
  if (amount === null) throw new RangeError("not an amount");
  return amount;
}
