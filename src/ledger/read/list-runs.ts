import type { Charged } from "../../terms/fault.ts";
import { costOfRequests, type RunCost } from "./costs.ts";
import { type RunIdMatch, findPage, narrowest } from "./find-runs.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { BEGINNING, readCursor } from "./list-cursor.ts";
import type { LedgerTables, RunReportRow, RunRow } from "../ports.ts";
import { type FoundRun, readRuns } from "./read-runs.ts";
import { type CallOutcome, hasSent, hasUnknown, outcomeOf, UNKNOWN_CALL } from "../journal/verdicts.ts";

/** A run in a list, with the outcomes of its calls and the charges of its requests. */
export interface RunLine extends RunRow, RunCost {
  readonly calls: number;
  readonly failed: number;
  /** The outcomes of its first calls, at most `OUTCOMES_MAX`. */
  readonly outcomes: readonly ListedCall[];
  readonly requests: number;
  readonly charged_yes: number;
  /** The number of unknown charges. */
  readonly charged_unknown: number;
}

export interface ListedCall {
  readonly source: string;
  readonly outcome: CallOutcome;
  readonly fault_kind: string | null;
  /** Whether a request was or may have been sent. */
  readonly is_sent: boolean;
  readonly took_ms: number | null;
}

export interface RunPage {
  readonly runs: readonly RunLine[];
  /** Ids of runs that belong on the page but are left out because their rows are damaged. */
  readonly damaged: readonly string[];
  /** Pass it as `after` to get the next page, which may have runs even if this one has none. `null` at the end. */
  readonly next: string | null;
  /** Set if the page ends early, because the search read many runs: the start of the last one. */
  readonly lookedBackTo: number | null;
  /** The number of the filter's runs with an unknown charge, counted up to a bound. Only on the first page. */
  readonly toSettle: { readonly runs: number; readonly isMore: boolean } | null;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;
const READ_AT_ONCE = 200;
const TO_SETTLE_MAX = 1_000;
const OUTCOMES_MAX = 100;

/**
 * Lists runs, newest first. Runs with damaged rows are named in `damaged`.
 * @throws RangeError if `after` does not have the form of a page's `next`; the database's error if an index for the
 * search is damaged
 */
export async function listRuns(
  tables: LedgerTables,
  filter: LedgerFilter,
  page: { readonly limit?: number; readonly after?: string },
): Promise<RunPage> {
  const limit = Math.max(1, Math.min(page.limit ?? LIMIT_DEFAULT, LIMIT_MAX));
  const isFirst = page.after === undefined;
  const cursor = page.after === undefined ? BEGINNING : readCursor(page.after);
  const pageQuery = await narrowest(tables, filter);
  const unknown = await findPage(tables, pageQuery, true, cursor, isFirst ? TO_SETTLE_MAX + 1 : limit + 1);
  const settled = await findPage(tables, pageQuery, false, cursor, limit + 1);
  const found = [...unknown.found, ...settled.found].toSorted(compareAge);
  const stopped = newest(unknown.stoppedAt, settled.stoppedAt);
  const upToStop = stopped === null ? found : found.filter((match) => compareAge(match, stopped) <= 0);
  const shown = upToStop.slice(0, limit);
  const isFull = upToStop.length > limit;
  return {
    ...(await readLines(tables, shown)),
    next: (isFull ? shown.at(-1) : stopped)?.cursor ?? null,
    lookedBackTo: isFull ? null : (stopped?.startedAt ?? null),
    toSettle: isFirst
      ? {
          runs: Math.min(unknown.found.length, TO_SETTLE_MAX),
          isMore: unknown.found.length > TO_SETTLE_MAX || unknown.stoppedAt !== null,
        }
      : null,
  };
}

/** Negative if the first run is newer. */
function compareAge(one: RunIdMatch, other: RunIdMatch): number {
  if (one.startedAt !== other.startedAt) return other.startedAt - one.startedAt;
  return one.transactionId === other.transactionId ? 0 : one.transactionId > other.transactionId ? -1 : 1;
}

/** A search that stopped has not found what is older, so a page ends at the newest stop. */
function newest(one: RunIdMatch | null, other: RunIdMatch | null): RunIdMatch | null {
  if (one === null || other === null) return one ?? other;
  return compareAge(one, other) <= 0 ? one : other;
}

/** Runs that were deleted meanwhile are left out. */
async function readLines({ query }: LedgerTables, found: readonly RunIdMatch[]): Promise<Lines> {
  const read: FoundRun[] = [];
  for (let at = 0; at < found.length; at += READ_AT_ONCE) {
    const ids = found.slice(at, at + READ_AT_ONCE).map(({ transactionId }) => transactionId);
    read.push(...(await readRuns(query, ids)));
  }
  return toLines(read);
}

type Lines = Pick<RunPage, "runs" | "damaged">;

function toLines(found: readonly FoundRun[]): Lines {
  const runs: RunLine[] = [];
  const damaged: string[] = [];
  for (const one of found) {
    if (one.row === null || one.damaged) damaged.push(one.transactionId);
    else runs.push(lineOf(one.row));
  }
  return { runs, damaged };
}

function lineOf({ run, calls, attempts }: RunReportRow): RunLine {
  const charged = (one: Charged): number => attempts.filter((attempt) => attempt.charged === one).length;
  return {
    ...run,
    ...costOfRequests(attempts),
    calls: calls.length,
    failed: calls.filter((call) => call.success === 0).length,
    outcomes: calls.slice(0, OUTCOMES_MAX).map((call) => ({
      source: call.source,
      outcome: outcomeOf(call),
      fault_kind: call.fault_kind,
      is_sent: hasSent(call.charges) || hasUnknown(call.charges),
      took_ms: call.took_ms,
    })),
    requests: attempts.length,
    charged_yes: charged("yes"),
    charged_unknown: charged("unknown") + calls.filter((call) => call.charges === UNKNOWN_CALL).length,
  };
}
