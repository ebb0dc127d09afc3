import { monthContaining, startOfDay, type TimeSpan } from "../../terms/time/calendar.ts";
import type { LedgerTables } from "../ports.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { sumRequests } from "../totals/sum-requests.ts";
import { type Spent, spentOf, type SummedRow } from "./spent.ts";

/**
 * The use of an organization's credential at a source, however the credential was chosen: our side of a line on a
 * vendor's invoice.
 */
export interface ChargeCounts {
  readonly source: string;
  readonly organization_id: string;
  /** `null` unless the credential is stored. */
  readonly credential_id: string | null;
  /**
   * `inline`: it came with the request. All inline credentials of an organization are one line, because the ledger does
   * not identify them.
   */
  readonly credential: "stored" | "inline" | "none";
  /** Sent requests, each of which a vendor may bill. */
  readonly requests: number;
  readonly charged_yes: number;
  readonly charged_no: number;
  readonly charged_unknown: number;
}

/** The same, for requests with prices in one currency. */
export interface ChargeSummary extends ChargeCounts, Spent {}

export interface SummaryOptions {
  /** Time zone of the month; UTC by default. */
  readonly timeZone?: string;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Counts and sums up the requests of a month. Simulated runs reach no vendor and are left out. Requests are grouped by
 * keys, and only the few groups get texts.
 * @throws RangeError when the month is not valid
 */
export async function summarize(
  tables: LedgerTables,
  month: string,
  { timeZone = "UTC", onProgress }: SummaryOptions = {},
): Promise<readonly ChargeSummary[]> {
  const { textOf } = tables;
  const credential = `CASE WHEN k.credential_key IS NULL THEN ${textOf("k.rule_key")} ELSE 'stored' END`;
  const rows = await sumRequests<SummedRow & ChargeCounts>(
    tables,
    {
      keys: ["source_key", "organization_key", "credential_key", "rule_key", "currency_key"],
      sent: monthRange(month, timeZone),
    },
    {
      select: (groups) =>
        `SELECT ${textOf("k.source_key")} AS source, ${textOf("k.organization_key")} AS organization_id,
           ${textOf("k.credential_key")} AS credential_id, ${credential} AS credential,
           ${textOf("k.currency_key")} AS currency, k.requests, k.charged_yes, k.charged_no, k.charged_unknown,
           k.unpriced, k.least, k.most
         FROM (${groups}) AS k`,
      orderBy: "s.source, s.organization_id, coalesce(s.credential_id, ''), s.credential, coalesce(s.currency, '')",
    },
    onProgress,
  );
  return rows.map(spentOf);
}

/** A month of a time zone in Unix ms, with the end excluded. @throws RangeError */
export function monthRange(month: string, timeZone: string): TimeSpan {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new RangeError("a month is written as 2026-03");
  return monthContaining(startOfDay(`${month}-01`, timeZone), timeZone);
}
