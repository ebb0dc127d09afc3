import { DAY_MS } from "../../terms/time/durations.ts";
import { selectionOf } from "../column.ts";
import { RUN_COLUMNS } from "../columns.ts";
import type { LedgerQuery, RunReportRow, RunRow } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { UNKNOWN_CALL, unsettledOf } from "../journal/verdicts.ts";
import { withAllRows } from "./read-runs.ts";

/** A request, or a call without recorded requests, of which it is unknown whether the vendor charged it. */
export interface UnknownCharge {
  readonly transaction_id: string;
  readonly organization_id: string;
  /** When the run started. */
  readonly started_at: number;
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
  /** The vendor's number of the order, if the call has one. */
  readonly order_id: string | null;
  /** The amount if it was charged, in millionths; `null`: no price is known. */
  readonly price: number | null;
  readonly currency: string | null;
}

export interface UnknownPage {
  readonly limit?: number;
  /** Cursor of the charge before the first one. */
  readonly after?: string | undefined;
  readonly filter?: UnknownFilter;
}

/** An absent field does not narrow the selection. */
export interface UnknownFilter {
  /** Requests that were sent from `from` and before `to`, in Unix ms. */
  readonly from?: number;
  readonly to?: number;
  readonly organizationId?: string;
  readonly source?: string;
  readonly credentialId?: string;
}

/** Few enough to read their rows in one statement. */
const RUNS_A_PAGE = 500;

/** Leaves out charges of simulated runs, which reach no vendor. */
export async function unknownCharges(
  query: LedgerQuery,
  { limit = 1_000, after, filter = {} }: UnknownPage = {},
): Promise<readonly UnknownCharge[]> {
  const found: UnknownCharge[] = [];
  const beginning = after === undefined ? null : readChargeCursor(after);
  const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, organizationId } = filter;
  const ofOrganization = organizationId === undefined ? [] : [toStored(organizationId)];
  // No run takes longer than a day.
  let cursor: readonly [startedAt: number, transactionId: string] = beginning?.run ?? [from - DAY_MS, ""];
  // The run of the cursor may have further charges.
  let beyond = beginning === null ? ">" : ">=";
  while (found.length < limit) {
    const runs = await query<RunRow>(
      `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r
       WHERE r.has_unknown = 1 AND r.simulated = 0 AND (r.started_at, r.transaction_id) ${beyond} (?, ?)
         AND r.started_at < ?${ofOrganization.length === 0 ? "" : " AND r.organization_id = ?"}
       ORDER BY r.started_at, r.transaction_id LIMIT ?`,
      [...cursor, to, ...ofOrganization, Math.min(RUNS_A_PAGE, limit)],
    );
    const last = runs.at(-1);
    if (last === undefined) break;
    for (const row of await withAllRows(query, runs)) {
      const charges = unknownChargesOf(row).filter((charge) => isWanted(charge, filter));
      const isFirst = beginning !== null && row.run.transaction_id === beginning.run[1];
      found.push(...(isFirst ? charges.filter((charge) => isAfter(charge, beginning)) : charges));
    }
    cursor = [last.started_at, last.transaction_id];
    beyond = ">";
  }
  return found.slice(0, limit);
}

function isWanted(charge: UnknownCharge, { from, to, source, credentialId }: UnknownFilter): boolean {
  return (
    (from === undefined || charge.sent_at >= from) &&
    (to === undefined || charge.sent_at < to) &&
    (source === undefined || charge.source === source) &&
    (credentialId === undefined || charge.credential_id === credentialId)
  );
}

/** The form of a cursor: start and id of the run, call, and attempt or 0. */
export const CHARGE_CURSOR = /^(-?\d{1,16})\.(.{1,128})\.(\d{1,9})\.(\d{1,9})$/s;

export function cursorOfCharge({ started_at, transaction_id, ordinal, attempt }: UnknownCharge): string {
  return `${started_at}.${transaction_id}.${ordinal}.${attempt ?? 0}`;
}

interface ChargeCursor {
  readonly run: readonly [startedAt: number, transactionId: string];
  readonly ordinal: number;
  readonly attempt: number;
}

function readChargeCursor(after: string): ChargeCursor {
  const match = CHARGE_CURSOR.exec(after);
  if (match === null) throw new RangeError("not a place in a list of charges");
  return { run: [Number(match[1]), match[2]!], ordinal: Number(match[3]), attempt: Number(match[4]) };
}

function isAfter({ ordinal, attempt }: UnknownCharge, cursor: ChargeCursor): boolean {
  return ordinal > cursor.ordinal || (ordinal === cursor.ordinal && (attempt ?? 0) > cursor.attempt);
}

/** The unknown charges of a run. */
export function unknownChargesOf(row: RunReportRow): UnknownCharge[] {
  return unsettledOf(row).map(({ call, attempt }) => ({
    transaction_id: row.run.transaction_id,
    organization_id: row.run.organization_id,
    started_at: row.run.started_at,
    ordinal: call.ordinal,
    source: call.source,
    fault_code: call.fault_code,
    credential_id: call.credential_id,
    credential_rule: call.credential_rule,
    attempt: attempt?.number ?? null,
    origin: attempt?.origin ?? null,
    method: attempt?.method ?? null,
    sent_at: attempt?.sent_at ?? row.run.started_at,
    order_id: call.order_id,
    price: attempt?.price ?? null,
    currency: attempt?.currency ?? null,
  }));
}

/** The number of unsettled charges. */
export interface UnknownCount {
  /** Requests, and calls without a recorded request. */
  readonly charges: number;
  /** There may be more: only the oldest thousand runs were read. */
  readonly isMore: boolean;
  /** Start of the oldest run with an unsettled charge; `null` if there is none. */
  readonly sinceWallAt: number | null;
}

const COUNTED_RUNS_MAX = 1_000;

/**
 * The figures of `unknownCharges`, from few rows: SQLite keeps the order of a cross join, so the query begins with the
 * few runs.
 */
export async function countUnknown(query: LedgerQuery): Promise<UnknownCount> {
  const [row] = await query<{ requests: number; calls: number; runs: number; since: number | null }>(
    `WITH u AS (
       SELECT r.transaction_id, r.started_at FROM ledger_runs AS r WHERE r.has_unknown = 1 AND r.simulated = 0
       ORDER BY r.started_at, r.transaction_id LIMIT ${COUNTED_RUNS_MAX + 1})
     SELECT count(*) AS runs, min(u.started_at) AS since,
       (SELECT count(*) FROM u CROSS JOIN ledger_attempts AS a
          WHERE a.transaction_id = u.transaction_id AND a.charged = 'unknown') AS requests,
       (SELECT count(*) FROM u CROSS JOIN ledger_calls AS c
          WHERE c.transaction_id = u.transaction_id AND c.charges = ${UNKNOWN_CALL}) AS calls
     FROM u`,
  );
  const { requests, calls, runs, since } = row!;
  return { charges: requests + calls, isMore: runs > COUNTED_RUNS_MAX, sinceWallAt: since };
}
