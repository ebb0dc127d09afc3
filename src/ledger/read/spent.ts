import { amountFromSum, type Micros } from "../../terms/money/money.ts";

/** What a group of requests cost, in one currency. */
export interface Spent {
  /** `null`: these requests have no price. */
  readonly currency: string | null;
  /** What is known to be charged. */
  readonly least: Micros;
  /** The same, and every unknown charge in full. */
  readonly most: Micros;
  /** Requests that are or may be charged and have no price, so they are not in the amounts. */
  readonly unpriced: number;
}

/** As the database returns it: a sum may exceed 2^53, so it comes as text. */
export interface SummedRow {
  readonly currency: string | null;
  readonly least: string;
  readonly most: string;
  readonly unpriced: number;
}

export function spentOf<Row extends SummedRow>(row: Row): Omit<Row, keyof SummedRow> & Spent {
  return { ...row, least: amountFromSum(row.least), most: amountFromSum(row.most) };
}
