import type { TSchema } from "typebox";
import { listOf as columnsOf, type Columns } from "../ledger/column.ts";
import type { RunCost } from "../ledger/read/costs.ts";
import { amountText } from "../terms/money/money.ts";
import { Type } from "../terms/schema/type.ts";
import { count, orNull, rowsOf, text, time } from "./result-schemas.ts";

/** The schema of a run's row: texts and integers unchanged, times in ISO 8601. */
export function wireRow(table: Columns, instead: Readonly<Record<string, TSchema>> = {}) {
  const fields = columnsOf(table).map(({ name, column: { valueType } }): [string, TSchema] => {
    if (instead[name] !== undefined) return [name, instead[name]];
    if (valueType.isMoment) return [name, time];
    const value = valueType.type === "whole" ? Type.Integer() : text;
    return [name, valueType.otherwise === null ? orNull(value) : value];
  });
  return Type.Object(Object.fromEntries(fields));
}

/** A run's cost by currency: the certain amount, and the maximum. */
export const wireRunCost = {
  costs: rowsOf({ currency: text, amount: text, amount_at_most: text }),
  /** Requests that were or may have been charged and have no price; no sum includes them. */
  unpriced: count,
};

export function toWireRunCost({ costs, unpriced }: RunCost) {
  const lines = costs.map(({ currency, least, most }) => ({
    currency,
    amount: amountText(least),
    amount_at_most: amountText(most),
  }));
  return { costs: lines, unpriced };
}

/** The cost in a short text for each currency, for a line of a list. */
export function toCostTexts({ costs }: RunCost): string[] {
  return costs.map(({ currency, least, most }) => {
    const range = least === most ? amountText(least) : `${amountText(least)} to ${amountText(most)}`;
    return `${range} ${currency}`;
  });
}
