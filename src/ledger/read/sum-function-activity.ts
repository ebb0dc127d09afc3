import { failureLabelOf } from "../../terms/counted-end.ts";
import { NOTHING_SENT } from "../journal/verdicts.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { type ActivityLine, NEWEST_OF_EACH, NEWEST_OF_ONE, percentilesOf } from "./sum-activity.ts";

/** Selects runs of these functions that started from `from` and before `to` (Unix ms). */
export interface FunctionActivityFilter {
  readonly functions: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Maximum number of runs per function, the newest ones, so that the cost does not grow with the ledger. */
  readonly newest?: number;
}

/** Outcomes and durations of the runs of a function. */
export interface FunctionActivityLine extends Pick<
  ActivityLine,
  "p50Ms" | "p99Ms" | "countedFrom" | "isComplete" | "lastAt"
> {
  readonly functionId: string;
  /** `rejected`: by this service, before the function ran. `unknown`: the service died before the run ended. */
  readonly outcomes: Readonly<Record<RunEnd, number>>;
  /** Number of failed runs by fault of the function, the most frequent fault first. */
  readonly faults: readonly { readonly code: string; readonly runs: number }[];
  /** The outcome of the newest run: `answered`, `unknown`, or a fault. */
  readonly last: string;
}

type RunEnd = "answered" | "failed" | "rejected" | "unknown";

interface RunFigures {
  readonly started_at: number;
  readonly simulated: 0 | 1;
  readonly state: string;
  readonly function_fault: string | null;
  readonly took_ms: number | null;
  readonly verdicts: number;
}

/** Leaves out simulated runs, and functions with no other runs. */
export async function sumFunctionActivity(
  tables: LedgerTables,
  { functions, newest = functions.length === 1 ? NEWEST_OF_ONE : NEWEST_OF_EACH, ...span }: FunctionActivityFilter,
): Promise<readonly FunctionActivityLine[]> {
  const lines: FunctionActivityLine[] = [];
  for (const functionId of functions) {
    // One more than the maximum shows whether there are more.
    const atMost = await newestRuns(tables, functionId, { ...span, newest: newest + 1 });
    const isComplete = atMost.length <= newest;
    const runs = atMost.slice(0, newest);
    const countedFrom = isComplete ? span.from : Math.max(span.from, runs.at(-1)!.started_at);
    const real = runs.filter(({ simulated }) => simulated === 0);
    if (real.length > 0) lines.push(toLine(functionId, { countedFrom, isComplete }, real));
  }
  return lines;
}

/** Newest first. In the index, runs with unknown charges are separate from the others. */
async function newestRuns(
  { query }: LedgerTables,
  functionId: string,
  { from, to, newest }: Required<Omit<FunctionActivityFilter, "functions">>,
): Promise<readonly RunFigures[]> {
  const sql = `SELECT r.started_at, r.simulated, r.state, r.function_fault, r.took_ms, r.verdicts FROM ledger_runs AS r
    WHERE r.function_id = ? AND r.has_unknown = ? AND r.started_at >= ? AND r.started_at < ?
    ORDER BY r.started_at DESC LIMIT ?`;
  const parts = [0, 1].map((unknown) => query<RunFigures>(sql, [toStored(functionId), unknown, from, to, newest]));
  const found = (await Promise.all(parts)).flat();
  return found.toSorted((one, other) => other.started_at - one.started_at).slice(0, newest);
}

/** @param runs at least one, newest first */
function toLine(
  functionId: string,
  counted: Pick<FunctionActivityLine, "countedFrom" | "isComplete">,
  runs: readonly RunFigures[],
): FunctionActivityLine {
  const outcomes = { answered: 0, failed: 0, rejected: 0, unknown: 0 };
  const faults = new Map<string, number>();
  for (const run of runs) {
    outcomes[endOf(run)] += 1;
    const { function_fault: fault } = run;
    if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  const newest = runs[0]!;
  return {
    functionId,
    outcomes,
    faults: [...faults].map(([code, count]) => ({ code, runs: count })).toSorted((a, b) => b.runs - a.runs),
    ...percentilesOf(runs.filter(isTimed)),
    ...counted,
    lastAt: newest.started_at,
    last: newest.function_fault ?? endOf(newest),
  };
}

function endOf({ state, function_fault: fault }: RunFigures): RunEnd {
  if (state === "unknown") return "unknown";
  if (fault === null) return "answered";
  return failureLabelOf(fault) === "failed" ? "failed" : "rejected";
}

/** A rejected run, or a run with only rejected calls, is as fast as a rejection and would distort durations. */
function isTimed(run: RunFigures): boolean {
  const end = endOf(run);
  return end !== "rejected" && !(end === "answered" && run.verdicts === NOTHING_SENT);
}
