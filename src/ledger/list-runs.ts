import { toCondition, type LedgerFilter } from "./ledger-filter.ts";
import type { LedgerQuery, RunRow } from "./ports.ts";

/** A run in a list: who, when, how its calls came out, and what was charged for its requests. */
export interface RunLine extends RunRow {
  readonly calls: number;
  readonly failed: number;
  readonly requests: number;
  readonly charged_yes: number;
  /** Charges that nobody knows yet: what stands first in a list. */
  readonly charged_unknown: number;
}

export interface RunPage {
  readonly runs: readonly RunLine[];
  /** Give it as `after` to go on; `null` at the end. */
  readonly next: string | null;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;

interface Place {
  readonly unknown: boolean;
  readonly startedAt: number;
  readonly transactionId: string;
}

const BEGINNING: Place = { unknown: true, startedAt: Number.MAX_SAFE_INTEGER, transactionId: "" };

/** @throws RangeError for an `after` that no page has given */
export async function listRuns(
  query: LedgerQuery,
  filter: LedgerFilter,
  page: { readonly limit?: number; readonly after?: string },
): Promise<RunPage> {
  const limit = Math.max(1, Math.min(page.limit ?? LIMIT_DEFAULT, LIMIT_MAX));
  const place = page.after === undefined ? BEGINNING : readPlace(page.after);
  const found = place.unknown ? [...(await select(query, filter, true, place, limit + 1))] : [];
  if (found.length <= limit) {
    const from = place.unknown ? { ...BEGINNING, unknown: false } : place;
    found.push(...(await select(query, filter, false, from, limit + 1 - found.length)));
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    runs: shown,
    next: found.length > limit && last !== undefined ? writePlace(last) : null,
  };
}

function select(
  query: LedgerQuery,
  filter: LedgerFilter,
  unknown: boolean,
  { startedAt, transactionId }: Place,
  limit: number,
): Promise<readonly RunLine[]> {
  const condition = toCondition(filter);
  const counted = (table: string, what = "TRUE"): string =>
    `(SELECT count(*) FROM ${table} AS x WHERE x.transaction_id = page.transaction_id AND ${what})`;
  return query(
    `SELECT page.*, ${counted("ledger_calls")} AS calls, ${counted("ledger_calls", "x.success = 0")} AS failed,
       ${counted("ledger_attempts")} AS requests, ${counted("ledger_attempts", "x.charged = 'yes'")} AS charged_yes,
       ${counted("ledger_unsettled")} AS charged_unknown
     FROM (
       SELECT r.* FROM ledger_runs AS r
       WHERE ${condition.sql} AND (r.started_at, r.transaction_id) < (?, ?)
         AND r.has_unknown = ${unknown ? 1 : 0}
       ORDER BY r.started_at DESC, r.transaction_id DESC LIMIT ?
     ) AS page ORDER BY page.started_at DESC, page.transaction_id DESC`,
    [...condition.values, startedAt, transactionId, limit],
  );
}

function writePlace(line: RunLine): string {
  return `${line.has_unknown === 1 ? "u" : "s"}.${line.started_at}.${line.transaction_id}`;
}

/** What `next` looks like. */
export const PLACE = /^([us])\.(-?\d{1,16})\.(.{1,128})$/s;

function readPlace(after: string): Place {
  const match = PLACE.exec(after);
  if (match === null) throw new RangeError("not a place in a list of runs");
  return { unknown: match[1] === "u", startedAt: Number(match[2]), transactionId: match[3]! };
}
