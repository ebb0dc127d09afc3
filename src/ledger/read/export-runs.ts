import { type ExportFormat, headOf, linesOf } from "./export-lines.ts";
import { type ExportRow, tableRows } from "./export-table.ts";
import { FEW_RUNS, isByRequest, narrowest } from "./find-runs.ts";
import { isUnindexed, runCondition, type LedgerFilter } from "./ledger-filter.ts";
import type { LedgerTables, RunRow } from "../ports.ts";
import { type FoundRun, readRuns } from "./read-runs.ts";

/** A page of an export begins after this run. */
export type ExportCursor = readonly [startedAt: number, transactionId: string];

/** Few enough to read quickly: a long read would keep the journal's write-ahead log from being shortened. */
const RUNS_A_PAGE = 200;

/** A page of runs, oldest first. */
export interface ExportPage {
  /** Its lines; empty for `parquet`. */
  readonly text: string;
  /** Its rows for `parquet`; empty for formats of lines. */
  readonly rows: readonly ExportRow[];
  readonly runs: number;
  /** Ids of runs that are left out because their rows are damaged. */
  readonly damaged: readonly string[];
  /** The beginning of the next page; `null` after the last one. */
  readonly next: ExportCursor | null;
}

/**
 * One page of an export: a short query that blocks other readers only briefly. A caller that writes each page before it
 * requests the next one has one page in memory.
 * @throws the database's error if an index for the search is damaged: an export is never silently shorter
 */
export async function exportPage(
  tables: LedgerTables,
  filter: LedgerFilter,
  format: ExportFormat,
  from: ExportCursor | null,
): Promise<ExportPage> {
  const cursor = from ?? BEGINNING;
  const { runs, end } = await findRuns(tables, filter, cursor);
  const whole = runs.flatMap(({ row, damaged }) => (row === null || damaged ? [] : [row]));
  const head = from === null && format !== "parquet" ? headOf(format) : "";
  return {
    text: format === "parquet" ? "" : head + whole.map((row) => linesOf(row, format)).join(""),
    rows: format === "parquet" ? whole.flatMap(tableRows) : [],
    runs: runs.length,
    damaged: runs.flatMap(({ transactionId, damaged }) => (damaged ? [transactionId] : [])),
    next: end,
  };
}

/** All pages of an export, each read after the previous one has been consumed. */
export async function* exportRuns(
  ledger: { exportPage(filter: LedgerFilter, format: ExportFormat, from: ExportCursor | null): Promise<ExportPage> },
  filter: LedgerFilter,
  format: ExportFormat,
): AsyncGenerator<ExportPage> {
  let from: ExportCursor | null = null;
  do {
    const page: ExportPage = await ledger.exportPage(filter, format, from);
    yield page;
    from = page.next;
  } while (from !== null);
}

const BEGINNING: ExportCursor = [Number.MIN_SAFE_INTEGER, ""];

interface ExportPart {
  readonly runs: readonly FoundRun[];
  /** The end of the search, if it is not the end of the ledger. */
  readonly end: ExportCursor | null;
}

type RunStart = Pick<RunRow, "started_at" | "transaction_id">;

/** Runs read for a page if most of them may not match. A bound, so that the next query does not wait long. */
const EXAMINED_MAX = 5_000;

async function findRuns(tables: LedgerTables, filter: LedgerFilter, cursor: ExportCursor): Promise<ExportPart> {
  const { query, isText } = tables;
  // Few enough to sort them for each page.
  const isFew = isByRequest(filter) && (await narrowest(tables, filter)).few < FEW_RUNS;
  const condition = runCondition(filter, isText, isFew ? "request" : "caller");
  const endOfPart = isRare(filter) && !isFew ? await cursorAfter(query, filter, cursor, EXAMINED_MAX) : null;
  const found = await query<RunStart>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE ${condition.sql} AND (r.started_at, r.transaction_id) > (?, ?)
     ${endOfPart === null ? "" : "AND (r.started_at, r.transaction_id) <= (?, ?)"}
     ORDER BY r.started_at, r.transaction_id LIMIT ?`,
    [...condition.values, ...cursor, ...(endOfPart ?? []), RUNS_A_PAGE],
  );
  const runs = await readRuns(
    query,
    found.map((run) => run.transaction_id),
  );
  return { runs, end: found.length === RUNS_A_PAGE ? cursorOf(found.at(-1)!) : endOfPart };
}

/** Whether the search has to read non-matching runs: no index has properties of calls in the order of time. */
function isRare(filter: LedgerFilter): boolean {
  const { transactionId, functionId, source, outcome, charged } = filter;
  if (transactionId !== undefined) return false;
  return isByRequest(filter) || isUnindexed(filter) || (functionId ?? source ?? outcome ?? charged) !== undefined;
}

/** The position `runs` runs after the cursor; `null` if there are fewer. */
async function cursorAfter(
  query: LedgerTables["query"],
  { from, to }: LedgerFilter,
  cursor: ExportCursor,
  runs: number,
) {
  const [end] = await query<RunStart>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE (r.started_at, r.transaction_id) > (?, ?) AND r.started_at >= ? AND r.started_at < ?
     ORDER BY r.started_at, r.transaction_id LIMIT 1 OFFSET ${runs - 1}`,
    [...cursor, from ?? Number.MIN_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER],
  );
  return end === undefined ? null : cursorOf(end);
}

function cursorOf({ started_at: at, transaction_id: id }: RunStart): ExportCursor {
  return [at, id];
}
