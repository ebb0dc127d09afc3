import { amountFromSum, type Micros } from "../../terms/money/money.ts";

/** The cost of a group of requests, in one currency. */
export interface Spent {
  /** `null`: these requests have no price. */
  readonly currency: string | null;
  /** Sum of known charges. */
  readonly least: Micros;
  /** Sum of known and unknown charges. */
  readonly most: Micros;
  /** Requests without a price that are or may be charged. They are not in the amounts. */
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
