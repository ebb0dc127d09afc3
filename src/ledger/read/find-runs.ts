import { AFTER_DIGITS, firstIdAt, PREFIX } from "../../terms/ids.ts";
import {
  both,
  callCondition,
  type SqlCondition,
  type FoundBy,
  hasCall,
  indexedPart,
  isUnindexed,
  type LedgerFilter,
  lineCondition,
  runCondition,
} from "./ledger-filter.ts";
import { BEGINNING, type RunCursor, cursorText } from "./list-cursor.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";

/** Few enough that reading all their calls is cheap. */
export const FEW_RUNS = 5_000;
const FEW_CALLS = 5_000;
/** If no index covers the whole filter, runs are checked one by one. Maximum per page, and per query. */
const EXAMINED_MAX = 5_000;
const EXAMINED_AT_ONCE = 500;

const AFTER_EVERY_ID = PREFIX.transaction + AFTER_DIGITS;

export interface RunIdMatch {
  readonly transactionId: string;
  readonly startedAt: number;
  readonly cursor: string;
}

interface FoundPage {
  readonly found: readonly RunIdMatch[];
  /** The last checked run, if there may be more after it although the page is not full. */
  readonly stoppedAt: RunIdMatch | null;
}

export interface PageQuery {
  readonly filter: LedgerFilter;
  /** The number of runs to check, counted up to `FEW_RUNS`. */
  readonly few: number;
  /** Whether they are the runs of the function, of the caller's own ids, or of the organization or workflow. */
  readonly by: FoundBy;
}

/**
 * The index with the fewest runs: that of the caller's own ids, if the filter has any; else that of the function if its
 * runs are few; else that of the organization or workflow, if its runs are few. Outcome and charge are not counted
 * here, because that would read an index of all runs of a busy function twice.
 */
export async function narrowest(tables: LedgerTables, filter: LedgerFilter): Promise<PageQuery> {
  const { functionId } = filter;
  if (isByRequest(filter) && filter.transactionId === undefined)
    return { filter, few: await countRuns(tables, ofRequest(filter), "request"), by: "request" };
  if (functionId !== undefined && filter.transactionId === undefined) {
    const few = await countRuns(tables, partOf(filter, "from", "to", "functionId"), "function");
    if (few < FEW_RUNS) return { filter, few, by: "function" };
  }
  const few = await countRunsOfCallers(tables, filter);
  const by = functionId !== undefined && few === FEW_RUNS ? "function" : "caller";
  return { filter: withoutOrganization(filter), few, by };
}

/**
 * Whether the filter has the caller's own ids. Few runs share such ids, unless a caller repeats them in every request.
 */
export function isByRequest({ clientRequestId, traceId }: LedgerFilter): boolean {
  return clientRequestId !== undefined || traceId !== undefined;
}

function ofRequest(filter: LedgerFilter): LedgerFilter {
  return partOf(filter, "from", "to", "clientRequestId", "traceId");
}

function partOf(filter: LedgerFilter, ...names: readonly (keyof LedgerFilter)[]): LedgerFilter {
  return Object.fromEntries(names.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]]])));
}

/**
 * A workflow belongs to one organization, which was compared before. No index of a workflow's runs has the organization
 * too.
 */
function withoutOrganization(filter: LedgerFilter): LedgerFilter {
  const { organizationId: _, ...rest } = filter;
  return filter.workflowId === undefined ? filter : rest;
}

/**
 * Finds runs with unknown charges, or those without, newest first, from an index alone. Every index has the two kinds
 * one after the other.
 */
export async function findPage(
  tables: LedgerTables,
  { filter, few, by }: PageQuery,
  unknown: boolean,
  cursor: RunCursor,
  limit: number,
): Promise<FoundPage> {
  const { isText, linesByTransaction } = tables;
  if (few === 0) return NOTHING_FOUND;
  // With a source, runs are found by its calls, unless the rest of the filter leaves only a few runs. Otherwise runs
  // are read in the order of time: those of the function, organization or workflow if the filter has one.
  const isMany = filter.transactionId === undefined && few === FEW_RUNS;
  if (by === "request" && isMany) {
    const ofIds = runCondition(ofRequest(filter), isText, by);
    return scanIndex(tables, ofIds, runCondition(filter, isText, by), unknown, cursor, limit);
  }
  if (isUnindexed(filter)) {
    const fits = runCondition(filter, isText, by);
    return scanIndex(tables, runCondition(indexedPart(filter), isText, by), fits, unknown, cursor, limit);
  }
  const bySource = filter.source !== undefined && isMany;
  const ofFunction = filter.functionId !== undefined && isMany;
  // On a shared ledger with many such calls, runs with unknown charges are fewer, because operators settle them.
  const calls = bySource && (linesByTransaction || ofFunction) ? await countCalls(tables, filter) : FEW_CALLS;
  if (calls === 0) return NOTHING_FOUND;
  // A function uses the same sources in every run. So either most of its runs have such a call, or such calls are few.
  const byCalls =
    bySource && (ofFunction ? calls < FEW_CALLS : !(unknown && linesByTransaction && calls === FEW_CALLS));
  if (bySource && ofFunction && !byCalls) {
    const { source: _, ...ofRun } = filter;
    return scanIndex(tables, runCondition(ofRun, isText, by), hasCall(filter, isText), unknown, cursor, limit);
  }
  return byCalls
    ? readByCalls(tables, filter, unknown, cursor, limit)
    : readInOrder(tables, runCondition(filter, isText, by), unknown, cursor, limit);
}

const NOTHING_FOUND: FoundPage = { found: [], stoppedAt: null };

interface FoundRow {
  readonly started_at: number;
  readonly transaction_id: string;
}

function toFound({ started_at: startedAt, transaction_id: transactionId }: FoundRow): RunIdMatch {
  return { transactionId, startedAt, cursor: cursorText({ startedAt, transactionId }) };
}

function earlierThan(alias: string): string {
  return `${alias}.started_at <= ? AND (${alias}.started_at < ? OR ${alias}.transaction_id < ?)`;
}

/** Reads runs in the order of time. */
async function readInOrder(
  { query }: LedgerTables,
  { sql, values }: SqlCondition,
  unknown: boolean,
  { startedAt, transactionId }: RunCursor,
  limit: number,
): Promise<FoundPage> {
  const rows = await query<FoundRow>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE ${sql} AND r.has_unknown = ${unknown ? 1 : 0} AND ${earlierThan("r")}
     ORDER BY r.started_at DESC, r.transaction_id DESC LIMIT ?`,
    [...values, startedAt, startedAt, transactionId, limit],
  );
  return { found: rows.map(toFound), stoppedAt: null };
}

/** Reads the calls of a source, of which a run may have several. */
async function readByCalls(
  { query, isText, linesByTransaction }: LedgerTables,
  filter: LedgerFilter,
  unknown: boolean,
  cursor: RunCursor,
  limit: number,
): Promise<FoundPage> {
  const { from: notBefore = -Infinity, to: before = Infinity, ...untimed } = filter;
  const [condition, earlier, order] = linesByTransaction
    ? [
        both(lineCondition(untimed, isText), transactionsBetween(filter)),
        "l.transaction_id < ?",
        "l.transaction_id DESC",
      ]
    : [lineCondition(filter, isText), earlierThan("l"), "l.started_at DESC, l.transaction_id DESC"];
  const sql = `SELECT l.started_at, l.transaction_id FROM ledger_lines AS l
     WHERE ${condition.sql} AND l.has_unknown = ${unknown ? 1 : 0} AND ${earlier} ORDER BY ${order} LIMIT ?`;
  const found = new Map<string, RunIdMatch>();
  let { startedAt, transactionId } = cursor;
  for (;;) {
    const needed = limit - found.size;
    const after = !linesByTransaction
      ? [startedAt, startedAt, transactionId]
      : [startedAt === BEGINNING.startedAt ? AFTER_EVERY_ID : transactionId];
    const rows = await query<FoundRow>(sql, [...condition.values, ...after, needed]);
    // A run with two calls of the source appears twice in succession.
    for (const row of rows)
      if (row.started_at >= notBefore && row.started_at < before) found.set(row.transaction_id, toFound(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < needed || found.size === limit)
      return { found: [...found.values()], stoppedAt: null };
    ({ started_at: startedAt, transaction_id: transactionId } = last);
  }
}

/**
 * Checks runs of an index, newest first, for matches. The number is bounded, because there may be no match at all: for
 * example, a busy function may never use a busy source.
 */
async function scanIndex(
  { query }: LedgerTables,
  ofIndex: SqlCondition,
  fits: SqlCondition,
  unknown: boolean,
  cursor: RunCursor,
  limit: number,
): Promise<FoundPage> {
  const condition = both(ofIndex, {
    sql: `r.has_unknown = ${unknown ? 1 : 0} AND ${earlierThan("r")}`,
    values: [],
  });
  const sql = `SELECT r.started_at, r.transaction_id, CASE WHEN ${fits.sql} THEN 1 ELSE 0 END AS fits FROM ledger_runs AS r
     WHERE ${condition.sql} ORDER BY r.started_at DESC, r.transaction_id DESC LIMIT ${EXAMINED_AT_ONCE}`;
  const found: RunIdMatch[] = [];
  let { startedAt, transactionId } = cursor;
  for (let lookedAt = 0; ;) {
    const values = [...fits.values, ...condition.values, startedAt, startedAt, transactionId];
    const rows = await query<FoundRow & { readonly fits: 0 | 1 }>(sql, values);
    for (const row of rows) if (row.fits === 1 && found.length < limit) found.push(toFound(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXAMINED_AT_ONCE || found.length === limit)
      return { found, stoppedAt: null };
    lookedAt += rows.length;
    if (lookedAt >= EXAMINED_MAX) return { found, stoppedAt: toFound(last) };
    ({ started_at: startedAt, transaction_id: transactionId } = last);
  }
}

/**
 * A condition on the ids of runs of this time range, for both tables of the join, so that index scans by id start at
 * the right position. The time itself is compared later, on the few rows found, because a planner would treat the two
 * conditions as independent. They differ only for runs whose start was lost.
 */
export function transactionsBetween({ from, to }: LedgerFilter): SqlCondition {
  const bounds: [sql: string, id: string][] = [];
  for (const id of ["l.transaction_id", "l.run_transaction_id"]) {
    if (from !== undefined) bounds.push([`${id} >= ?`, firstIdAt("transaction", from)]);
    if (to !== undefined) bounds.push([`${id} < ?`, firstIdAt("transaction", to)]);
  }
  return { sql: ["TRUE", ...bounds.map(([sql]) => sql)].join(" AND "), values: bounds.map(([, id]) => id) };
}

/**
 * The number of runs of the workflow or, without one, of the organization in the time range, counted up to `FEW_RUNS`.
 * Unless the filter has a function, only runs with a call of this outcome and charge count.
 */
async function countRunsOfCallers(tables: LedgerTables, filter: LedgerFilter): Promise<number> {
  const { query, isText } = tables;
  const { organizationId, workflowId, functionId } = filter;
  if (organizationId === undefined && workflowId === undefined) return FEW_RUNS;
  if (organizationId !== undefined && workflowId !== undefined) {
    const { sql, values } = runCondition({ workflowId }, isText);
    const [one] = await query<{ readonly organization_id: string }>(
      `SELECT r.organization_id FROM ledger_runs AS r WHERE ${sql} AND r.has_unknown IN (0, 1)
       ORDER BY r.has_unknown, r.started_at LIMIT 1`,
      values,
    );
    // The workflow belongs to another organization, so there are no such runs.
    if (one?.organization_id !== toStored(organizationId)) return 0;
  }
  // With neither a source nor a function, runs are read in the order of time in any case.
  if (filter.source === undefined && functionId === undefined) return FEW_RUNS;
  const caller = workflowId === undefined ? "organizationId" : "workflowId";
  const verdicts = functionId === undefined ? (["outcome", "charged"] as const) : [];
  return countRuns(tables, partOf(filter, "from", "to", caller, ...verdicts), "caller");
}

/** Counted up to `FEW_RUNS`. */
async function countRuns({ query, isText }: LedgerTables, filter: LedgerFilter, by: FoundBy): Promise<number> {
  const { sql, values } = runCondition(filter, isText, by);
  const [counted] = await query<{ readonly runs: number }>(
    `SELECT count(*) AS runs FROM (
       SELECT 1 FROM ledger_runs AS r WHERE ${sql} AND r.has_unknown IN (0, 1)
       ORDER BY r.has_unknown, r.started_at LIMIT ${FEW_RUNS}) AS counted`,
    values,
  );
  return counted!.runs;
}

/**
 * The number of calls with the filter's outcome, counted up to `FEW_CALLS`, so that there is no search for a rare or
 * missing outcome.
 */
async function countCalls({ query, isText, linesByTransaction }: LedgerTables, filter: LedgerFilter): Promise<number> {
  const { sql, values } = callCondition(filter, isText);
  // The journal's index on the calls of a source has all columns of `ledger_lines`.
  const calls = linesByTransaction
    ? `ledger_calls AS l WHERE ${sql} ORDER BY l.source, l.success, l.match, l.charges`
    : `ledger_lines AS l WHERE ${sql}`;
  const [counted] = await query<{ readonly calls: number }>(
    `SELECT count(*) AS calls FROM (SELECT 1 FROM ${calls} LIMIT ${FEW_CALLS}) AS counted`,
    values,
  );
  return counted!.calls;
}
