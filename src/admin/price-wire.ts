import { Type } from "../terms/schema/type.ts";
import { isDay, startOfDay } from "../terms/time/calendar.ts";
import { CURRENCIES } from "../terms/money/currency.ts";
import { AMOUNT_MAX, amountText, type Micros, readAmount } from "../terms/money/money.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { type PriceTerm, termAt } from "../terms/money/price.ts";
import { text, time, toWireTime } from "./result-schemas.ts";

/** Inputs and results of prices. */

export const wirePrice = {
  from: time,
  above: Type.Integer({ minimum: 0 }),
  amount: text,
  currency: text,
  per: text,
  time_zone: text,
};

const LARGEST = amountText(AMOUNT_MAX).replace(/\.0+$/, "");

export const amountInput = Type.String({
  // Any number of digits: the form of a number that is too large is valid, and `amountOf` reports its size.
  pattern: String.raw`^(0|[1-9]\d*)(\.\d{1,6})?$`,
  description: `The amount, such as 0.35, with at most six decimals, up to ${LARGEST}`,
  "x-says": "must be an amount such as 0.35, with at most six decimals and no sign",
});

export const currencyInput = Type.String({
  pattern: `^(${[...CURRENCIES].join("|")})$`,
  description: "A currency code of ISO 4217, such as EUR",
  "x-placeholder": "CODE",
  "x-says": "must be a currency code of ISO 4217, such as EUR",
});

export const dayInput = Type.String({
  pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`,
  description: "The day from which it holds, in the time zone of the contract",
  "x-placeholder": "DAY",
  "x-says": "must be a day, such as 2026-01-01",
});

export const aboveInput = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: "A step of a price: it holds beyond this number of billed calls in a calendar month",
  "x-placeholder": "CALLS",
});

/** @throws OperatorError for a day that does not exist */
export function requireDay(day: string): void {
  if (!isDay(day)) throw new OperatorError("invalid", `There is no day ${day}.`);
}

/** @throws OperatorError if the amount is too large */
export function amountOf(text: string): Micros {
  const amount = readAmount(text);
  if (amount === null) throw new OperatorError("invalid", `The amount is too large: it can be at most ${LARGEST}.`);
  return amount;
}

/** Whether a price begins on this day in its time zone. */
export function begins(term: PriceTerm, day: string): boolean {
  return startOfDay(day, term.timeZone) === term.fromWallAt;
}

/** The start of the price that is valid at a time; `null` if none has started. */
export function beginningAt(terms: readonly PriceTerm[], wallAt: number): number | null {
  return termAt(terms, wallAt, 0)?.fromWallAt ?? null;
}

export function toWirePrice(term: PriceTerm) {
  return {
    from: toWireTime(term.fromWallAt),
    above: term.above,
    amount: amountText(term.amount),
    currency: term.currency,
    per: term.per === null ? "as declared" : term.per.replace("per_", ""),
    time_zone: term.timeZone,
  };
}
