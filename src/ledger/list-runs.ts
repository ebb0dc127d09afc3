import type { DatabaseSync } from "node:sqlite";
import { toCondition, type LedgerFilter } from "./ledger-filter.ts";
import type { RunRow } from "./ports.ts";

/** A run in a list: who, when, and how its calls came out. */
export interface RunLine extends RunRow {
  readonly calls: number;
  readonly failed: number;
  readonly charged_yes: number;
  readonly charged_unknown: number;
  /** Charges that nobody knows yet: what stands first in a list. */
  readonly unsettled: number;
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
  readonly id: number;
}

const BEGINNING: Place = { unknown: true, startedAt: Number.MAX_SAFE_INTEGER, id: 0 };

/** @throws RangeError for an `after` that no page has given */
export function listRuns(
  database: DatabaseSync,
  filter: LedgerFilter,
  page: { readonly limit?: number; readonly after?: string },
): RunPage {
  const limit = Math.max(1, Math.min(page.limit ?? LIMIT_DEFAULT, LIMIT_MAX));
  const place = page.after === undefined ? BEGINNING : readPlace(page.after);
  const found = place.unknown ? select(database, filter, true, place, limit + 1) : [];
  if (found.length <= limit) {
    const from = place.unknown ? { ...BEGINNING, unknown: false } : place;
    found.push(...select(database, filter, false, from, limit + 1 - found.length));
  }
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    runs: shown.map(withoutId),
    next: found.length > limit && last !== undefined ? writePlace(last) : null,
  };
}

type NumberedLine = RunLine & { readonly id: number };

function withoutId({ id: _id, ...line }: NumberedLine): RunLine {
  return line;
}

function select(
  database: DatabaseSync,
  filter: LedgerFilter,
  unknown: boolean,
  { startedAt, id }: Place,
  limit: number,
): NumberedLine[] {
  const condition = toCondition(filter);
  const counted = (what: string): string => `(SELECT count(*) FROM calls AS c WHERE c.run = page.id AND ${what})`;
  return database
    .prepare(
      `SELECT page.*, ${counted("TRUE")} AS calls, ${counted("c.success = 0")} AS failed,
         ${counted("c.charged = 'yes'")} AS charged_yes, ${counted("c.charged = 'unknown'")} AS charged_unknown,
         (SELECT count(*) FROM unsettled WHERE run = page.id) AS unsettled
       FROM (
         SELECT r.* FROM runs AS r
         WHERE ${condition.sql} AND (r.started_at, r.id) < (?, ?)
           AND r.id ${unknown ? "IN" : "NOT IN"} (SELECT run FROM unsettled)
         ORDER BY r.started_at DESC, r.id DESC LIMIT ?
       ) AS page ORDER BY page.started_at DESC, page.id DESC`,
    )
    .all(...condition.values, startedAt, id, limit) as unknown as NumberedLine[];
}

function writePlace(line: NumberedLine): string {
  return `${line.unsettled > 0 ? "u" : "s"}.${line.started_at}.${line.id}`;
}

function readPlace(after: string): Place {
  const match = /^([us])\.(-?\d{1,16})\.(\d{1,16})$/.exec(after);
  if (match === null) throw new RangeError("not a place in a list of runs");
  return { unknown: match[1] === "u", startedAt: Number(match[2]), id: Number(match[3]) };
}
