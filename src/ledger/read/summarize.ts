import type { LedgerTables } from "../ports.ts";

/**
 * The use of an organization's credential at a source, however it was chosen: our side of a line on a vendor's invoice.
 */
export interface ChargeSummary {
  readonly source: string;
  readonly organization_id: string;
  /** `null` unless the credential is stored. */
  readonly credential_id: string | null;
  /**
   * `inline`: it came with the request. All inline credentials of an organization are one line, because the ledger does
   * not record what they are.
   */
  readonly credential: "stored" | "inline" | "none";
  /** Requests that were sent, each of which a vendor may bill. */
  readonly requests: number;
  readonly charged_yes: number;
  readonly charged_no: number;
  readonly charged_unknown: number;
}

const LONGEST_RUN_MS = 24 * 60 * 60 * 1_000;

/**
 * Counts what was sent in a month. Simulated runs reach no vendor and are left out. Requests are grouped by keys, and
 * only the few groups are given their texts.
 * @throws RangeError when the month is not valid
 */
export async function summarize(
  { query, requests, textOf }: LedgerTables,
  month: string,
): Promise<readonly ChargeSummary[]> {
  const { from, to } = monthRange(month);
  const counted = (charged: string): string =>
    `count(CASE WHEN x.charged = '${charged}' THEN 1 END) AS charged_${charged}`;
  const byKeys = `
    SELECT x.source_key, x.organization_key, x.credential_key, CASE WHEN x.credential_key IS NULL THEN x.rule_key END AS rule_key,
      count(*) AS requests, ${counted("yes")}, ${counted("no")}, ${counted("unknown")}
    FROM ${requests} AS x
    WHERE x.simulated = 0 AND x.started_at >= ? AND x.started_at < ? AND x.sent_at >= ? AND x.sent_at < ?
    GROUP BY x.source_key, x.organization_key, x.credential_key, CASE WHEN x.credential_key IS NULL THEN x.rule_key END`;
  const credential = `CASE WHEN k.credential_key IS NULL THEN ${textOf("k.rule_key")} ELSE 'stored' END`;
  return query(
    `SELECT * FROM (
       SELECT ${textOf("k.source_key")} AS source, ${textOf("k.organization_key")} AS organization_id,
         ${textOf("k.credential_key")} AS credential_id, ${credential} AS credential, k.requests, k.charged_yes,
         k.charged_no, k.charged_unknown
       FROM (${byKeys}) AS k) AS s
     ORDER BY s.source, s.organization_id, coalesce(s.credential_id, ''), s.credential`,
    [from - LONGEST_RUN_MS, to + LONGEST_RUN_MS, from, to],
  );
}

/** The month in Unix ms, without its end. @throws RangeError */
export function monthRange(month: string): { readonly from: number; readonly to: number } {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month);
  if (match === null) throw new RangeError("a month is written as 2026-03");
  const [year, number] = [Number(match[1]), Number(match[2])];
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}
