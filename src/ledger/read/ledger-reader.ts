import { budgetRejections, type BudgetRejections, type BudgetSince } from "./budget-rejections.ts";
import type { ExportFormat } from "./export-lines.ts";
import { exportPage, type ExportPage, type ExportCursor } from "./export-runs.ts";
import { AFTER_DIGITS } from "../../terms/ids.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { throwDamaged } from "../journal/journal-damage.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { lastUses, type LastUse } from "./last-uses.ts";
import { type CountFilter, countRuns, type RunCounts } from "./count-runs.ts";
import { listRuns, type RunPage } from "./list-runs.ts";
import type { LedgerTables, RunReportRow, RunRow } from "../ports.ts";
import { pruneRuns, type Pruned } from "../journal/prune-runs.ts";
import { readRuns } from "./read-runs.ts";
import { reconcileCharge, type Reconciliation, type SettledCharge } from "./reconcile-charge.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { DAY_MS, HOUR_MS } from "../../terms/time/durations.ts";
import { toStored } from "../stored-text.ts";
import { summarize, type ChargeSummary, type SummaryOptions } from "./summarize.ts";
import { type SpendFilter, type SpendKey, type SpendLine, sumSpend } from "./sum-spend.ts";
import { type StartFilter, type StartSums, sumStarts } from "./sum-starts.ts";
import { makeTotals } from "../totals/make-totals.ts";
import { possibleStartsOf } from "../totals/spans.ts";
import { type ActivityFilter, type ActivityLine, sumActivity } from "./sum-activity.ts";
import {
  type FunctionActivityFilter,
  type FunctionActivityLine,
  sumFunctionActivity,
} from "./sum-function-activity.ts";
import { makeHistory } from "../history/make-history.ts";
import { type History, type HistoryFilter, sumHistory } from "../history/sum-history.ts";
import {
  countUnknown,
  unknownCharges,
  type UnknownCharge,
  type UnknownCount,
  type UnknownPage,
} from "./unknown-charges.ts";
import type { Verified } from "./verified.ts";
import { verifyRuns } from "./verify-runs.ts";

/** The ledger for operators and auditors, independent of whether the services that write it are running. */
export interface LedgerAnswers {
  /** Newest first. */
  list(filter: LedgerFilter, page?: { readonly limit?: number; readonly after?: string }): Promise<RunPage>;
  /** Counts the runs that `list` lists, by time and by the outcomes of their calls. */
  count(filter: CountFilter): Promise<RunCounts>;
  show(transactionId: string): Promise<ShownRun | null>;
  /** Runs whose id has this prefix, newest first. */
  find(beginning: string, limit: number): Promise<readonly FoundRunId[]>;
  /**
   * The use, charges and cost of each credential of each source in a month (`2026-03`), to compare with an invoice.
   */
  summary(month: string, options?: SummaryOptions): Promise<readonly ChargeSummary[]>;
  /** Spend, by one of several keys. */
  spend(by: SpendKey, filter: SpendFilter, onProgress?: OnProgress): Promise<readonly SpendLine[]>;
  /**
   * The requests sent by each start of a service, with charges `now` and as `recorded`. Reads every request, so use it
   * for one budget and period.
   */
  sumStarts(filter: StartFilter): Promise<StartSums>;
  /**
   * Makes totals for sums and the history of the last two months before a query needs them. Stops early when `isClosed` returns true.
   */
  makeTotals(isClosed?: () => boolean): Promise<void>;
  /** Unknown charges, oldest first. An operator has to settle them with the vendor. */
  unknown(page?: UnknownPage): Promise<readonly UnknownCharge[]>;
  /** Time of the last run with each of these credentials; unused ones are left out. */
  lastUses(credentialIds: readonly string[]): Promise<readonly LastUse[]>;
  /** A page of an export, from the end of the previous page. */
  exportPage(filter: LedgerFilter, format: ExportFormat, from: ExportCursor | null): Promise<ExportPage>;
  /** The number of unknown charges, counted up to a bound. */
  countUnknown(): Promise<UnknownCount>;
  /** The calls rejected by each of these budgets; budgets without rejections are left out. */
  budgetRejections(budgets: readonly BudgetSince[]): Promise<readonly BudgetRejections[]>;
  /** Outcomes and durations of the newest calls of each source. */
  activity(filter: ActivityFilter): Promise<readonly ActivityLine[]>;
  /** Outcomes and durations of the newest runs of each of these functions. */
  functionActivity(filter: FunctionActivityFilter): Promise<readonly FunctionActivityLine[]>;
  /** Outcomes, durations and amounts of calls or runs by time. */
  history(filter: HistoryFilter, onProgress?: OnProgress): Promise<History>;
  /** Settles a charge, whatever it was before. `null` when the request is ambiguous. */
  reconcile(decision: Reconciliation): Promise<SettledCharge | null>;
  /** Deletes runs that started before `startedBefore`; those with unknown charges only with `unknownToo`. */
  prune(startedBefore: number, options?: PruneOptions): Promise<Pruned>;
  /** Checks every run: whether it is as it was written, and whether any run is missing without a deletion. */
  verify(onProgress?: OnProgress): Promise<Verified>;
  /**
   * For checking that a clock is plausible before its time decides which runs are old.
   * @param agoMs excludes runs that started more recently, because the clock in question may have dated them
   */
  moment(agoMs?: number): Promise<LedgerMoment>;
}

export interface PruneOptions {
  readonly unknownToo?: boolean;
  readonly onProgress?: OnProgress;
}

export type FoundRunId = Pick<RunRow, "transaction_id" | "organization_id">;

export interface ShownRun extends RunReportRow {
  /** Its rows are not as they were written. */
  readonly damaged: boolean;
}

export interface LedgerMoment {
  /** The time where the ledger is stored. */
  readonly wallAt: number;
  /** Start of the last run that started at least `agoMs` before that time; `null` if there is none. */
  readonly lastRunAt: number | null;
  /** Start of the first run after that one; `null` if there is none. */
  readonly nextRunAt: number | null;
}

/** This month and the one before. */
const TOTALS_MS = 62 * DAY_MS;

/**
 * Answers the same queries on any ledger: the journal of one machine, or a shared ledger. A query that the ledger's
 * damage makes impossible rejects with an OperatorError that reports the damage.
 */
export function createLedgerReader(tables: LedgerTables): LedgerAnswers {
  const { query } = tables;
  return {
    list: (filter, page = {}) => listRuns(tables, filter, page).catch(throwDamaged),
    count: (filter) => countRuns(tables, filter).catch(throwDamaged),
    show: async (transactionId) => {
      const [found] = await readRuns(query, [toStored(transactionId)]).catch(throwDamaged);
      if (found === undefined) return null;
      if (found.row !== null) return { ...found.row, damaged: found.damaged };
      throw new OperatorError("unavailable", "The record of this run is damaged, and cannot be read any more.");
    },
    find: (beginning, limit) =>
      query<FoundRunId>(
        `SELECT r.transaction_id, r.organization_id FROM ledger_runs AS r
         WHERE r.transaction_id >= ? AND r.transaction_id < ? ORDER BY r.transaction_id DESC LIMIT ?`,
        [toStored(beginning), toStored(beginning) + AFTER_DIGITS, limit],
      ).catch(throwDamaged),
    exportPage: (...asked) => exportPage(tables, ...asked).catch(throwDamaged),
    summary: (month, options) => summarize(tables, month, options).catch(throwDamaged),
    spend: (by, filter, onProgress) => sumSpend(tables, by, filter, onProgress).catch(throwDamaged),
    sumStarts: (filter) => sumStarts(tables, filter).catch(throwDamaged),
    makeTotals: async (isClosed) => {
      const wallAt = await tables.wallAt();
      const within = possibleStartsOf({ from: wallAt - TOTALS_MS, to: wallAt });
      const options = isClosed && { isClosed };
      await makeTotals(tables, within, options).catch(throwDamaged);
      for (const longestMs of [HOUR_MS, DAY_MS])
        await makeHistory(tables, within, { ...options, longestMs }).catch(throwDamaged);
    },
    unknown: (page) => unknownCharges(query, page).catch(throwDamaged),
    lastUses: (credentialIds) => lastUses(tables, credentialIds).catch(throwDamaged),
    countUnknown: () => countUnknown(query).catch(throwDamaged),
    budgetRejections: (budgets) => budgetRejections(tables, budgets).catch(throwDamaged),
    activity: (filter) => sumActivity(tables, filter).catch(throwDamaged),
    functionActivity: (filter) => sumFunctionActivity(tables, filter).catch(throwDamaged),
    history: (filter, onProgress) => sumHistory(tables, filter, onProgress).catch(throwDamaged),
    reconcile: (decision) => reconcileCharge(tables, decision).catch(throwDamaged),
    verify: (onProgress) => verifyRuns(tables, onProgress).catch(throwDamaged),
    moment: async (agoMs = 0) => {
      const wallAt = await tables.wallAt();
      const startOf = async (condition: string, values: readonly number[]): Promise<number | null> => {
        const sql = `SELECT r.started_at FROM ledger_runs AS r WHERE ${condition} LIMIT 1`;
        const [run] = await query<{ readonly started_at: number }>(sql, values);
        return run?.started_at ?? null;
      };
      const lastRunAt = await startOf("r.started_at <= ? ORDER BY r.started_at DESC", [wallAt - agoMs]);
      // A run dated in the future shows nothing about the current time.
      const nextRunAt =
        lastRunAt === null
          ? null
          : await startOf("r.started_at > ? AND r.started_at <= ? ORDER BY r.started_at", [lastRunAt, wallAt]);
      return { wallAt, lastRunAt, nextRunAt };
    },
    prune: (startedBefore, { unknownToo = false, onProgress } = {}) =>
      pruneRuns(tables, startedBefore, unknownToo, onProgress).catch(throwDamaged),
  };
}
