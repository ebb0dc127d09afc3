import { amountFromSum, type Micros } from "../../terms/money.ts";

/** What sums over requests have in common. `x` is a row of `LedgerTables.requests`. */

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

const counted = (charged: string): string =>
  `count(CASE WHEN x.charged = '${charged}' THEN 1 END) AS charged_${charged}`;

export const COUNTS = `count(*) AS requests, ${counted("yes")}, ${counted("no")}, ${counted("unknown")}`;

const summed = (condition: string): string => `CAST(coalesce(sum(CASE WHEN ${condition} THEN x.price END), 0) AS text)`;

export const SUMS = `${summed("x.charged = 'yes'")} AS least, ${summed("x.charged <> 'no'")} AS most,
  count(CASE WHEN x.charged <> 'no' AND x.price IS NULL THEN 1 END) AS unpriced`;

const LONGEST_RUN_MS = 24 * 60 * 60 * 1_000;

/** Sent to a vendor in a span of time; runs are found by an index on their start. */
export const SENT_WITHIN =
  "x.simulated = 0 AND x.started_at >= ? AND x.started_at < ? AND x.sent_at >= ? AND x.sent_at < ?";

/** The values for `SENT_WITHIN`. */
export function sentWithin(from: number, to: number): readonly number[] {
  return [from - LONGEST_RUN_MS, to + LONGEST_RUN_MS, from, to];
}
