import type { LedgerQuery } from "./ports.ts";

/**
 * What one credential of one organization was used for at one source, however it was chosen: a line of a vendor's invoice,
 * as we saw it.
 */
export interface ChargeSummary {
  readonly source: string;
  readonly organization_id: string;
  /** `null` unless it is stored. */
  readonly credential_id: string | null;
  /** `inline`: it came with the request. Those of one organization are one line: what they are is on no record. */
  readonly credential: "stored" | "inline" | "none";
  /** Requests that were sent, each of which a vendor may bill. */
  readonly requests: number;
  readonly charged_yes: number;
  readonly charged_no: number;
  readonly charged_unknown: number;
}

const CREDENTIAL = "CASE WHEN c.credential_id IS NULL THEN c.credential_rule ELSE 'stored' END";
const LONGEST_RUN_MS = 24 * 60 * 60 * 1_000;

/**
 * Counts what was sent in a month. Simulated runs reach no vendor and are left out.
 * @throws RangeError when the month is none
 */
export async function summarize(query: LedgerQuery, month: string): Promise<readonly ChargeSummary[]> {
  const { from, to } = monthRange(month);
  const counted = (charged: string): string =>
    `count(CASE WHEN a.charged = '${charged}' THEN 1 END) AS charged_${charged}`;
  return query(
    `SELECT c.source, r.organization_id, c.credential_id, ${CREDENTIAL} AS credential, count(*) AS requests,
       ${counted("yes")}, ${counted("no")}, ${counted("unknown")}
     FROM ledger_runs AS r JOIN ledger_calls AS c ON c.transaction_id = r.transaction_id
     JOIN ledger_attempts AS a ON a.transaction_id = c.transaction_id AND a.ordinal = c.ordinal
     WHERE r.simulated = 0 AND r.started_at >= ? AND r.started_at < ? AND a.sent_at >= ? AND a.sent_at < ?
     GROUP BY c.source, r.organization_id, c.credential_id, ${CREDENTIAL}
     ORDER BY c.source, r.organization_id, coalesce(c.credential_id, ''), ${CREDENTIAL}`,
    [from - LONGEST_RUN_MS, to + LONGEST_RUN_MS, from, to],
  );
}

/** The month in Unix ms, its end not included. @throws RangeError */
export function monthRange(month: string): { readonly from: number; readonly to: number } {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month);
  if (match === null) throw new RangeError("a month is written as 2026-03");
  const [year, number] = [Number(match[1]), Number(match[2])];
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}
