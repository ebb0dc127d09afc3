import { failureLabelOf } from "../../terms/counted-end.ts";
import { NOTHING_SENT } from "../journal/verdicts.ts";
import type { AttemptRow, LedgerTables } from "../ports.ts";
import { costOfRequests, type RunCost } from "./costs.ts";
import type { Micros } from "../../terms/money/money.ts";
import { toStored } from "../stored-text.ts";
import { type ActivityLine, NEWEST_OF_EACH, NEWEST_OF_ONE, percentilesOf } from "./sum-activity.ts";

/** The possible groups of the runs of a function: all of them, those of each version, or those of each workflow. */
export const FUNCTION_ACTIVITY_KEYS = ["function", "version", "workflow"] as const;

/** Selects runs of these functions that started from `from` and before `to` (Unix ms). */
export interface FunctionActivityFilter {
  /** By function if left out. */
  readonly by?: (typeof FUNCTION_ACTIVITY_KEYS)[number];
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
  /** The digest, if grouped by version; `null` for runs of a time before versions were recorded. */
  readonly version?: string | null;
  /** If grouped by workflow. */
  readonly workflowId?: string;
  /** The cost of the requests that its runs sent, if grouped by version, or of one function. */
  readonly cost?: RunCost;
  readonly costPerRun?: CostPerRun;
  /** `rejected`: by this service, before the function ran. `unknown`: the service died before the run ended. */
  readonly outcomes: Readonly<Record<RunEnd, number>>;
  /** Number of failed runs by fault of the function, the most frequent fault first. */
  readonly faults: readonly { readonly code: string; readonly runs: number }[];
  /** The outcome of the newest run: `answered`, `unknown`, or a fault. */
  readonly last: string;
}

/** The costs of runs that were not rejected, one by one. An unknown charge counts as charged. */
export interface CostPerRun {
  readonly runs: number;
  /** Half of the runs cost at most `median`, in each currency. */
  readonly costs: readonly { readonly currency: string; readonly median: Micros; readonly most: Micros }[];
}

const GROUPED = { function: "NULL", version: "r.function_version", workflow: "r.workflow_id" } as const;

type RunEnd = "answered" | "failed" | "rejected" | "unknown";

interface RunFigures {
  readonly transaction_id: string;
  /** The version or the workflow, if grouped by it. */
  readonly grouped: string | null;
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
  {
    functions,
    by = "function",
    newest = functions.length === 1 ? NEWEST_OF_ONE : NEWEST_OF_EACH,
    ...span
  }: FunctionActivityFilter,
): Promise<readonly FunctionActivityLine[]> {
  const lines: FunctionActivityLine[] = [];
  const isWithCost = by === "version" || (by === "function" && functions.length === 1);
  for (const functionId of functions) {
    // One more than the maximum shows whether there are more.
    const atMost = await newestRuns(tables, functionId, { ...span, by, newest: newest + 1 });
    const isComplete = atMost.length <= newest;
    const runs = atMost.slice(0, newest);
    const countedFrom = isComplete ? span.from : Math.max(span.from, runs.at(-1)!.started_at);
    const real = runs.filter(({ simulated }) => simulated === 0);
    for (const [key, own] of Map.groupBy(real, ({ grouped }) => grouped)) {
      const costs = isWithCost ? await costsOfRuns(tables, own) : {};
      const line = { ...toLine(functionId, { countedFrom, isComplete }, own), ...costs };
      if (by === "version") lines.push({ ...line, version: key });
      else if (by === "workflow") lines.push({ ...line, workflowId: key! });
      else lines.push(line);
    }
  }
  return lines;
}

/** Newest first. In the index, runs with unknown charges are separate from the others. */
async function newestRuns(
  { query }: LedgerTables,
  functionId: string,
  { by, from, to, newest }: Required<Omit<FunctionActivityFilter, "functions">>,
): Promise<readonly RunFigures[]> {
  const sql = `SELECT r.transaction_id, ${GROUPED[by]} AS grouped, r.started_at, r.simulated, r.state, r.function_fault, r.took_ms, r.verdicts FROM ledger_runs AS r
    WHERE r.function_id = ? AND r.has_unknown = ? AND r.started_at >= ? AND r.started_at < ?
    ORDER BY r.started_at DESC LIMIT ?`;
  const parts = [0, 1].map((unknown) => query<RunFigures>(sql, [toStored(functionId), unknown, from, to, newest]));
  const found = (await Promise.all(parts)).flat();
  return found.toSorted((one, other) => other.started_at - one.started_at).slice(0, newest);
}

/** Few enough for one statement on either engine. */
const RUNS_AT_ONCE = 500;

type Request = Pick<AttemptRow, "transaction_id" | "charged" | "price" | "currency">;

async function costsOfRuns(
  { query }: LedgerTables,
  runs: readonly RunFigures[],
): Promise<Required<Pick<FunctionActivityLine, "cost" | "costPerRun">>> {
  const requests: Request[] = [];
  for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) {
    const ids = runs.slice(at, at + RUNS_AT_ONCE).map(({ transaction_id: id }) => id);
    const marks = ids.map(() => "?").join(", ");
    const sql = `SELECT a.transaction_id, a.charged, a.price, a.currency FROM ledger_attempts AS a WHERE a.transaction_id IN (${marks})`;
    requests.push(...(await query<Request>(sql, ids)));
  }
  return { cost: costOfRequests(requests), costPerRun: costPerRun(runs, requests) };
}

function costPerRun(runs: readonly RunFigures[], requests: readonly Request[]): CostPerRun {
  const counted = runs.filter((run) => endOf(run) !== "rejected");
  const ofRun = Map.groupBy(requests, ({ transaction_id: id }) => id);
  const amounts = counted.flatMap(({ transaction_id: id }) => costOfRequests(ofRun.get(id) ?? []).costs);
  const costs = [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, own]) => {
    const free = Array.from({ length: counted.length - own.length }, () => 0n);
    const sorted = [...free, ...own.map(({ most }) => most)].toSorted((one, other) => (one < other ? -1 : 1));
    return { currency, median: sorted[Math.ceil(sorted.length / 2) - 1]!, most: sorted.at(-1)! };
  });
  return { runs: counted.length, costs: costs.toSorted((one, other) => (one.currency < other.currency ? -1 : 1)) };
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
