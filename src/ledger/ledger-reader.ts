import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Charged } from "../terms/fault.ts";
import { exportRuns, type ExportFormat } from "./export-runs.ts";
import { JOURNAL_FILE } from "./journal-database.ts";
import type { LedgerFilter } from "./ledger-filter.ts";
import { listRuns, type RunPage } from "./list-runs.ts";
import { SCHEMA_VERSION, versionOf } from "./migrations.ts";
import type { RunReportRow } from "./ports.ts";
import { pruneRuns, type Pruned } from "./prune-runs.ts";
import { RunReader } from "./read-runs.ts";
import { reconcileCharge, type Reconciliation } from "./reconcile-charge.ts";
import { toStored } from "./stored-text.ts";
import { summarize, type ChargeSummary } from "./summarize.ts";
import { unknownCharges, type UnknownCharge } from "./unknown-charges.ts";

/** The ledger as an operator or auditor reads it, in a process of its own or beside the service, while that runs or not. */
export interface LedgerReader extends LedgerAnswers {
  /** Pieces of text, oldest run first, read page by page as they are taken: nothing large is ever in memory. */
  export(filter: LedgerFilter, format: ExportFormat): Generator<string>;
  close(): void;
}

/** What is asked of a ledger and answered in one piece. */
export interface LedgerAnswers {
  /** Runs with unknown charges first, then newest first. */
  list(filter: LedgerFilter, page?: { readonly limit?: number; readonly after?: string }): RunPage;
  show(transactionId: string): RunReportRow | null;
  /** What each source and credential was used and charged for in a month (`2026-03`, UTC), to hold against an invoice. */
  summary(month: string): readonly ChargeSummary[];
  /** Charges to be settled with the vendor, oldest first. */
  unknown(limit?: number): readonly UnknownCharge[];
  /** Settles an unknown charge. `null` when there is none to settle there. */
  reconcile(decision: Reconciliation): { readonly attempts: number; readonly charged: Charged } | null;
  /** Deletes runs that started before a moment; those with unknown charges only when told to. */
  prune(startedBefore: number, options?: { readonly unknownToo?: boolean }): Pruned;
}

const WAIT_MS = 5_000;

/** @throws when there is no ledger in the directory, or it is another version's */
export function openLedgerReader(options: { readonly dir: string }): LedgerReader {
  const path = join(options.dir, JOURNAL_FILE);
  if (!existsSync(path)) throw new Error(`there is no ledger in ${options.dir}`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: WAIT_MS });
  try {
    if (versionOf(database) !== SCHEMA_VERSION) throw new Error("the ledger was written by another version");
    return readerOf(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
}

function readerOf(database: DatabaseSync, path: string): LedgerReader {
  const runs = new RunReader(database);
  const writing = <Result>(change: (writable: DatabaseSync) => Result): Result => {
    const writable = new DatabaseSync(path, { timeout: WAIT_MS });
    try {
      writable.exec("PRAGMA synchronous = FULL");
      return change(writable);
    } finally {
      writable.close();
    }
  };
  return {
    list: (filter, page = {}) => listRuns(database, filter, page),
    show: (transactionId) => runs.read("WHERE r.transaction_id = ?", toStored(transactionId))[0]?.row ?? null,
    export: (filter, format) => exportRuns(runs, filter, format),
    summary: (month) => summarize(database, month),
    unknown: (limit = 1_000) => unknownCharges(database, limit),
    reconcile: (decision) => writing((writable) => reconcileCharge(writable, decision)),
    prune: (startedBefore, { unknownToo = false } = {}) =>
      writing((writable) => pruneRuns(writable, startedBefore, unknownToo)),
    close: () => database.close(),
  };
}
