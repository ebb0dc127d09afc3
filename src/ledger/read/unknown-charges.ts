import { selectionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import type { LedgerQuery, RunReportRow, RunRow } from "../ports.ts";
import { unsettledOf } from "../journal/verdicts.ts";
import { withAllRows } from "./read-runs.ts";

/** A request, or a call without recorded requests, for which nobody knows whether the vendor charged. */
export interface UnknownCharge {
  readonly transaction_id: string;
  readonly organization_id: string;
  readonly ordinal: number;
  readonly source: string;
  readonly fault_code: string | null;
  readonly credential_id: string | null;
  readonly credential_rule: string;
  /** `null` if the call has no attempts. */
  readonly attempt: number | null;
  readonly origin: string | null;
  readonly method: string | null;
  readonly sent_at: number;
  /** What it costs if it was charged, in millionths; `null`: no price is known. */
  readonly price: number | null;
  readonly currency: string | null;
}

/** Few enough that their rows are read in one statement. */
const RUNS_A_PAGE = 500;

/** Charges of simulated runs are left out, because simulated runs reach no vendor. */
export async function unknownCharges(query: LedgerQuery, limit: number): Promise<readonly UnknownCharge[]> {
  const found: UnknownCharge[] = [];
  let place: readonly [startedAt: number, transactionId: string] = [Number.MIN_SAFE_INTEGER, ""];
  while (found.length < limit) {
    const runs = await query<RunRow>(
      `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r
       WHERE r.has_unknown = 1 AND r.simulated = 0 AND (r.started_at, r.transaction_id) > (?, ?)
       ORDER BY r.started_at, r.transaction_id LIMIT ?`,
      [...place, Math.min(RUNS_A_PAGE, limit)],
    );
    const last = runs.at(-1);
    if (last === undefined) break;
    for (const row of await withAllRows(query, runs)) found.push(...chargesOf(row));
    place = [last.started_at, last.transaction_id];
  }
  return found.slice(0, limit);
}

function chargesOf(row: RunReportRow): UnknownCharge[] {
  return unsettledOf(row).map(({ call, attempt }) => ({
    transaction_id: row.run.transaction_id,
    organization_id: row.run.organization_id,
    ordinal: call.ordinal,
    source: call.source,
    fault_code: call.fault_code,
    credential_id: call.credential_id,
    credential_rule: call.credential_rule,
    attempt: attempt?.number ?? null,
    origin: attempt?.origin ?? null,
    method: attempt?.method ?? null,
    sent_at: attempt?.sent_at ?? row.run.started_at,
    price: attempt?.price ?? null,
    currency: attempt?.currency ?? null,
  }));
}
