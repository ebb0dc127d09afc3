import { AFTER_DIGITS, firstIdAt, PREFIX, timeOfId } from "../../terms/ids.ts";
import { nullIfDamaged, isDamage } from "../journal/journal-damage.ts";
import type { LedgerQuery, LedgerTables } from "../ports.ts";
import { type Condition, runCondition, type LedgerFilter } from "./ledger-filter.ts";
import { toIso } from "./export-lines.ts";
import { type FoundRun, readRuns } from "./read-runs.ts";

/** Where a page of an export begins: behind this run. */
export type Place = readonly [startedAt: number, transactionId: string];

export interface CarefulPart {
  /** In order. Those whose row is null or damaged can only be named. */
  readonly runs: readonly FoundRun[];
  /** What is known of runs whose id cannot be read either. */
  readonly nameless: readonly string[];
  /** How far they were looked for; `null` at the end of the ledger. */
  readonly end: Place | null;
}

const AFTER_EVERY_ID = PREFIX.transaction + AFTER_DIGITS;

/** The run that a filter selects, if it started at the moment it is looked for; 1 or 0. */
interface Selected {
  readonly here: number;
}

/**
 * Finds the next runs where the ledger is damaged: moment by moment, from the indexes of times and of ids, and each
 * run by itself. A statement about many runs fails with the first of them that cannot be read, and one that has to sort
 * already fails before that one.
 */
export async function findCarefully(
  tables: LedgerTables,
  filter: LedgerFilter,
  place: Place,
  atLeast: number,
): Promise<CarefulPart> {
  const { query } = tables;
  const { from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER, ...untimed } = filter;
  const condition = runCondition(untimed, tables.isText);
  const [runs, nameless]: [FoundRun[], string[]] = [[], []];
  let looked = 0;
  let [at, after]: Place = place;
  while (at < to) {
    // Nothing tells how many of a moment's runs that have no id were named, so a moment is looked at once.
    if (at >= from && after !== AFTER_EVERY_ID) {
      const moment = await lookAt(query, condition, at, after);
      runs.push(...moment.runs);
      nameless.push(...moment.nameless);
      looked += moment.looked;
    }
    if (looked >= atLeast) return { runs, nameless, end: [at, AFTER_EVERY_ID] };
    const next = await momentAfter(query, Math.max(at, from - 1));
    if (next === null) break;
    [at, after] = [next, ""];
  }
  return { runs, nameless, end: null };
}

/** The next moment at which one of the indexes has a run. */
async function momentAfter(query: LedgerQuery, at: number): Promise<number | null> {
  const byTime = query<{ readonly at: number | null }>(
    "SELECT min(r.started_at) AS at FROM ledger_runs AS r WHERE r.started_at > ? AND r.started_at <= ?",
    [at, Number.MAX_SAFE_INTEGER],
  );
  const byId = query<{ readonly id: string | null }>(
    "SELECT min(r.transaction_id) AS id FROM ledger_runs AS r WHERE r.transaction_id >= ?",
    [firstIdAt("transaction", at + 1)],
  );
  const known = (await momentsOf(byTime, byId)).filter((moment) => moment > at);
  return known.length === 0 ? null : Math.min(...known);
}

/** The moment before, in the same way. */
export async function momentBefore(query: LedgerQuery, at: number): Promise<number | null> {
  const byTime = query<{ readonly at: number | null }>(
    "SELECT max(r.started_at) AS at FROM ledger_runs AS r WHERE r.started_at < ? AND r.started_at >= ?",
    [at, Number.MIN_SAFE_INTEGER],
  );
  const byId = query<{ readonly id: string | null }>(
    "SELECT max(r.transaction_id) AS id FROM ledger_runs AS r WHERE r.transaction_id < ? AND r.transaction_id >= ?",
    [at > LAST_OF_IDS ? AFTER_EVERY_ID : firstIdAt("transaction", Math.max(at, 0)), PREFIX.transaction],
  );
  const known = (await momentsOf(byTime, byId)).filter((moment) => moment < at);
  return known.length === 0 ? null : Math.max(...known);
}

/** The last moment that an id can have been made in. */
const LAST_OF_IDS = 2 ** 48 - 1;

/** What the index of times and the one of ids say. Without either nobody knows what comes next. */
async function momentsOf(
  byTime: Promise<readonly { readonly at: number | null }[]>,
  byId: Promise<readonly { readonly id: string | null }[]>,
): Promise<readonly number[]> {
  const [times, ids] = await Promise.all([byTime.catch(asDamage), byId.catch(asDamage)]);
  if (times instanceof Error && ids instanceof Error) throw times;
  const id = ids instanceof Error ? null : (ids[0]?.id ?? null);
  const moments = [times instanceof Error ? null : (times[0]?.at ?? null), id && timeOfId("transaction", id)];
  return moments.filter((moment) => typeof moment === "number");
}

export interface Moment extends Pick<CarefulPart, "runs" | "nameless"> {
  /** How many runs were looked at, whether the filter selects them or not. */
  readonly looked: number;
}

export async function lookAt(query: LedgerQuery, condition: Condition, at: number, after: string): Promise<Moment> {
  const byTime = await idsWhere(query, "r.started_at = ?", [at]);
  const byId = await idsWhere(query, "r.transaction_id >= ? AND r.transaction_id < ?", [
    firstIdAt("transaction", at),
    firstIdAt("transaction", at + 1),
  ]);
  const ids = [...new Set([...(byTime ?? []), ...(byId ?? [])])].filter((id) => id > after).toSorted();
  const runs: FoundRun[] = [];
  for (const transactionId of ids) {
    const selected = await query<Selected>(
      `SELECT CASE WHEN r.started_at = ? THEN 1 ELSE 0 END AS here FROM ledger_runs AS r WHERE ${condition.sql} AND r.transaction_id = ?`,
      [at, ...condition.values, transactionId],
    ).catch(nullIfDamaged);
    // Whether it is one of those asked for cannot be told.
    if (selected === null) runs.push({ transactionId, row: null, damaged: true });
    // A run that started at another moment than its id says is found at that one, if times can be read.
    else if (selected[0]?.here === 1 || (byTime === null && selected.length > 0))
      runs.push(...(await readRuns(query, [transactionId])));
  }
  const nameless = byTime === null ? await countNameless(query, at, byId ?? []) : 0;
  const says = `one that started at ${toIso(at)}`;
  return { runs, nameless: Array.from({ length: nameless }, () => says), looked: ids.length + nameless };
}

/** How many runs of that moment the index of times has, and the one of ids does not. */
async function countNameless(query: LedgerQuery, at: number, ids: readonly string[]): Promise<number> {
  const counted = await query<{ readonly runs: number }>(
    "SELECT count(*) AS runs FROM ledger_runs AS r WHERE r.started_at = ?",
    [at],
  ).catch(nullIfDamaged);
  return Math.max(0, (counted?.[0]?.runs ?? 0) - ids.length);
}

/** Runs whose start is not a time, so that no place comes after them: their ids. */
export async function findWithoutStart(tables: LedgerTables, filter: LedgerFilter): Promise<readonly string[]> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, ...untimed } = filter;
  const { sql, values } = runCondition(untimed, tables.isText);
  const found = await idsWhere(tables.query, "r.started_at > ?", [Number.MAX_SAFE_INTEGER]);
  const within = (found ?? []).filter(
    (id) => id >= firstIdAt("transaction", from) && id < firstIdAt("transaction", to),
  );
  const selected = within.map((id) => idsWhere(tables.query, `${sql} AND r.transaction_id = ?`, [...values, id]));
  const are = await Promise.all(selected);
  return within.filter((_, at) => are[at] === null || are[at]!.length > 0);
}

async function idsWhere(query: LedgerQuery, sql: string, values: readonly (string | number)[]) {
  const rows = await query<{ readonly id: string }>(
    `SELECT r.transaction_id AS id FROM ledger_runs AS r WHERE ${sql}`,
    values,
  ).catch(nullIfDamaged);
  return rows?.map(({ id }) => id) ?? null;
}

function asDamage(error: unknown): Error {
  if (isDamage(error)) return error as Error;
  throw error;
}
