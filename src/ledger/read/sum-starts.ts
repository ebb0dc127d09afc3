import { amountFromSum, type Micros } from "../../terms/money/money.ts";
import type { LedgerTables } from "../ports.ts";
import { possibleStartsOf } from "../totals/spans.ts";
import { RECORDED_BY } from "./reconcile-charge.ts";
import { type SpendFilter, keyFilterOf } from "./sum-spend.ts";

/**
 * Selects requests as for `spend`, and runs that started from `startedFrom` and before `startedTo` (Unix ms), if
 * present.
 */
export interface StartFilter extends Omit<SpendFilter, "timeZone" | "linesMax"> {
  readonly startedFrom?: number;
  readonly startedTo?: number;
}

/** The requests of one start of a service, in one currency, that were or may have been charged. */
export interface StartSum {
  /** `null`: runs of versions that did not record their start. */
  readonly start: string | null;
  readonly currency: string | null;
  readonly requests: number;
  /** The sum of their prices. */
  readonly amount: Micros;
}

export interface StartSums {
  /** By the charges and prices that are valid now. */
  readonly now: readonly StartSum[];
  /** By the service's own record, without later settlements. */
  readonly recorded: readonly StartSum[];
}

interface StartSumRow {
  readonly kind: "now" | "recorded";
  readonly start: string | null;
  readonly currency: string | null;
  readonly requests: number;
  readonly amount: string;
}

/** One statement, so both sums are from one snapshot. Simulated runs are left out. */
export async function sumStarts(
  tables: LedgerTables,
  { from, to, startedFrom, startedTo, ...filter }: StartFilter,
): Promise<StartSums> {
  const { requests, textOf, isKey } = tables;
  const wanted = keyFilterOf(filter);
  const possibleStarts = possibleStartsOf({ from, to });
  const started = {
    from: Math.max(possibleStarts.from, startedFrom ?? possibleStarts.from),
    to: Math.min(possibleStarts.to, startedTo ?? possibleStarts.to),
  };
  const sums = (kind: StartSumRow["kind"], charged: string, price: string, currency: string): string =>
    `SELECT '${kind}' AS kind, s.start, ${currency} AS currency, CAST(count(*) AS bigint) AS requests,
       CAST(coalesce(sum(${price}), 0) AS text) AS amount
     FROM sent AS s WHERE ${charged} <> 'no' GROUP BY s.start, ${currency}`;
  const first = (column: string): string => `CASE WHEN s.settled IS NULL THEN s.${column} ELSE s.first_${column} END`;
  const rows = await tables.query<StartSumRow>(
    `WITH sent AS (
       SELECT ${textOf("x.start_key")} AS start, x.charged, x.price, ${textOf("x.currency_key")} AS currency,
         q.attempt AS settled, q.price AS first_price, q.currency AS first_currency,
         CASE WHEN q.decided_by = '${RECORDED_BY}' AND q.decided_at = x.sent_at THEN q.charged ELSE 'unknown' END
           AS first_charged
       FROM ${requests} AS x
       LEFT JOIN ledger_reconciliations AS q ON q.transaction_id = x.transaction_id AND q.ordinal = x.ordinal
         AND q.attempt = x.number AND q.revision = (
           SELECT min(f.revision) FROM ledger_reconciliations AS f
           WHERE f.transaction_id = x.transaction_id AND f.ordinal = x.ordinal AND f.attempt = x.number)
       WHERE x.simulated = 0 AND x.started_at >= ? AND x.started_at < ? AND x.sent_at >= ? AND x.sent_at < ?
         ${wanted.map(([key]) => `AND ${isKey(`x.${key}`)}`).join(" ")})
     ${sums("now", "s.charged", "s.price", "s.currency")}
     UNION ALL ${sums("recorded", first("charged"), first("price"), first("currency"))}`,
    [started.from, started.to, from, to, ...wanted.map(([, text]) => text)],
  );
  const of = (kind: StartSumRow["kind"]): StartSum[] =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ start, currency, requests: count, amount }) => {
        return { start, currency, requests: count, amount: amountFromSum(amount) };
      });
  return { now: of("now"), recorded: of("recorded") };
}
