import { exportRuns, type ExportFormat, type OnDamaged } from "./export-runs.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { isDamage, sayDamaged } from "../journal/journal-damage.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { listRuns, type RunPage } from "./list-runs.ts";
import type { LedgerTables, RunReportRow } from "../ports.ts";
import { pruneRuns, type Pruned } from "../journal/prune-runs.ts";
import { readRuns } from "./read-runs.ts";
import { reconcileCharge, type Reconciliation, type Settled } from "./reconcile-charge.ts";
import { toStored } from "../stored-text.ts";
import { summarize, type ChargeSummary } from "./summarize.ts";
import { unknownCharges, type UnknownCharge } from "./unknown-charges.ts";
import type { Verified } from "./verified.ts";
import { verifyRuns } from "./verify-runs.ts";

/** The ledger as an operator or auditor reads it, beside the services that write it, while they run or not. */
export interface LedgerReader extends LedgerAnswers {
  /** Pieces of text, oldest run first, read page by page as they are taken: nothing large is ever in memory. */
  export(filter: LedgerFilter, format: ExportFormat, onDamaged?: OnDamaged): AsyncGenerator<string>;
}

/** What is asked of a ledger and answered in one piece. */
export interface LedgerAnswers {
  /** Runs with unknown charges first, then newest first. */
  list(filter: LedgerFilter, page?: { readonly limit?: number; readonly after?: string }): Promise<RunPage>;
  show(transactionId: string): Promise<ShownRun | null>;
  /** What each credential of each source was used and charged for in a month (`2026-03`, UTC), to hold against an invoice. */
  summary(month: string): Promise<readonly ChargeSummary[]>;
  /** Charges to be settled with the vendor, oldest first. */
  unknown(limit?: number): Promise<readonly UnknownCharge[]>;
  /** Settles a charge, whatever it is. `null` when it is not clear which is meant. */
  reconcile(decision: Reconciliation): Promise<Settled | null>;
  /** Deletes runs that started before a moment; those with unknown charges only when told to. */
  prune(startedBefore: number, options?: { readonly unknownToo?: boolean }): Promise<Pruned>;
  /** Looks at every run: whether it is as it was written, and whether one is gone that nobody deleted. */
  verify(): Promise<Verified>;
  /** What a clock must agree with before it may say what is old. */
  moment(): Promise<LedgerMoment>;
}

export interface ShownRun extends RunReportRow {
  /** Its rows are not what was written. */
  readonly damaged: boolean;
}

export interface LedgerMoment {
  /** What time it is where the ledger lies. */
  readonly wallAt: number;
  /** When the last run of it started, but for those that are dated in the future; `null` where there is none. */
  readonly lastRunAt: number | null;
}

/**
 * The same questions to any ledger: the journal of one machine, or the one that several share. What cannot be answered
 * because the ledger is damaged is an OperatorError that says so.
 */
export function createLedgerReader(tables: LedgerTables): LedgerReader {
  const { query } = tables;
  return {
    list: (filter, page = {}) => listRuns(tables, filter, page).catch(sayDamaged),
    show: async (transactionId) => {
      const [found] = await readRuns(query, [toStored(transactionId)]).catch(sayDamaged);
      if (found === undefined) return null;
      if (found.row !== null) return { ...found.row, damaged: found.damaged };
      throw new OperatorError("unavailable", "The record of this run is damaged, and cannot be read any more.");
    },
    export: async function* (filter, format, onDamaged) {
      try {
        yield* exportRuns(tables, filter, format, onDamaged);
      } catch (error) {
        if (isDamage(error)) sayDamaged(error);
        throw error;
      }
    },
    summary: (month) => summarize(tables, month).catch(sayDamaged),
    unknown: (limit = 1_000) => unknownCharges(query, limit).catch(sayDamaged),
    reconcile: (decision) => reconcileCharge(tables, decision).catch(sayDamaged),
    verify: () => verifyRuns(tables).catch(sayDamaged),
    moment: async () => {
      const wallAt = await tables.wallAt();
      // One that is dated later says nothing about what time it is.
      const [last] = await query<{ readonly started_at: number }>(
        "SELECT r.started_at FROM ledger_runs AS r WHERE r.started_at <= ? ORDER BY r.started_at DESC LIMIT 1",
        [wallAt],
      );
      return { wallAt, lastRunAt: last?.started_at ?? null };
    },
    prune: (startedBefore, { unknownToo = false } = {}) =>
      pruneRuns(tables, startedBefore, unknownToo).catch(sayDamaged),
  };
}
