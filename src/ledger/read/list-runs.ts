import type { Charged } from "../../terms/fault.ts";
import { costOfRequests, type RunCost } from "./costs.ts";
import { type RunIdMatch, findPage, narrowest } from "./find-runs.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { BEGINNING, readCursor } from "./list-cursor.ts";
import type { LedgerTables, RunReportRow, RunRow } from "../ports.ts";
import { type FoundRun, readRuns } from "./read-runs.ts";
import { UNKNOWN_CALL } from "../journal/verdicts.ts";

/** A run in a list, with the outcomes of its calls and the charges of its requests. */
export interface RunLine extends RunRow, RunCost {
  readonly calls: number;
  readonly failed: number;
  readonly requests: number;
  readonly charged_yes: number;
  /** The number of unknown charges. Runs with unknown charges come first in a list. */
  readonly charged_unknown: number;
}

export interface RunPage {
  readonly runs: readonly RunLine[];
  /** Ids of runs that belong on the page but are left out because their rows are damaged. */
  readonly damaged: readonly string[];
  /** Pass it as `after` to get the next page, which may have runs even if this one has none. `null` at the end. */
  readonly next: string | null;
  /** Set if the page ends early, because the search read many runs: the start of the last one. */
  readonly lookedBackTo: number | null;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;
const READ_AT_ONCE = 200;

/**
 * Lists runs. Runs with damaged rows are named in `damaged`.
 * @throws RangeError if `after` does not have the form of a page's `next`; the database's error if an index for the
 * search is damaged
 */
export async function listRuns(
  tables: LedgerTables,
  filter: LedgerFilter,
  page: { readonly limit?: number; readonly after?: string },
): Promise<RunPage> {
  const limit = Math.max(1, Math.min(page.limit ?? LIMIT_DEFAULT, LIMIT_MAX));
  const cursor = page.after === undefined ? BEGINNING : readCursor(page.after);
  const pageQuery = await narrowest(tables, filter);
  const found: RunIdMatch[] = [];
  let stopped: RunIdMatch | null = null;
  if (cursor.unknown) {
    const first = await findPage(tables, pageQuery, true, cursor, limit + 1);
    found.push(...first.found);
    stopped = first.stoppedAt;
  }
  if (stopped === null && found.length <= limit) {
    const from = cursor.unknown ? { ...BEGINNING, unknown: false } : cursor;
    const second = await findPage(tables, pageQuery, false, from, limit + 1 - found.length);
    found.push(...second.found);
    stopped = second.stoppedAt;
  }
  const shown = found.slice(0, limit);
  const isFull = found.length > limit;
  return {
    ...(await readLines(tables, shown)),
    next: (isFull ? shown.at(-1) : stopped)?.cursor ?? null,
    lookedBackTo: isFull ? null : (stopped?.startedAt ?? null),
  };
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
    requests: attempts.length,
    charged_yes: charged("yes"),
    charged_unknown: charged("unknown") + calls.filter((call) => call.charges === UNKNOWN_CALL).length,
  };
}
