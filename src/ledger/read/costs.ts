import { amountFromColumn, amountText, type Micros } from "../../terms/money.ts";
import type { Charged } from "../../terms/fault.ts";

/** What something cost: between two amounts, which are equal once every charge is known. */
export interface Cost {
  readonly least: Micros;
  readonly most: Micros;
}

/** What a request cost, by its full price. `null`: it may have been billed, and no price is known. */
export function costOf(charged: Charged, full: Micros | null): Cost | null {
  if (charged === "no") return { least: 0n, most: 0n };
  if (full === null) return null;
  return { least: charged === "yes" ? full : 0n, most: full };
}

/** A row as people and programs see it: its price as decimal text. */
export function withPriceText<Row extends { readonly price: number | null }>(row: Row) {
  return { ...row, price: priceText(row.price) };
}

export function priceText(price: number | null): string | null {
  const amount = amountFromColumn(price);
  return amount === null ? null : amountText(amount);
}
