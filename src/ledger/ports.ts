import type { AttemptRow, CallRow, ReconciliationRow, RunRow } from "./columns.ts";

/** Where the ledger says what an operator should know. A pino logger is one. */
export interface LedgerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Where the journal drains to when several machines share one database. A batch may come again, whole or in part, after
 * a failure on either side: each row has a unique key, and a run that is there already stays as it is, with whatever has
 * been settled there since.
 */
export interface LedgerSink {
  /**
   * Resolves when the whole batch is durable there, together with the mark of how far its journal has gone out. Rejects
   * when any of it may not be; with `LedgerRefused` when it never will be; with `LedgerBehind`, and nothing written, when the database knows of less than went before.
   */
  write(batch: readonly RunReportRow[], mark?: OutboxMark): Promise<void>;
}

/** A batch's place in its journal. */
export interface OutboxMark {
  /** The journal's own id. */
  readonly journal: string;
  /**
   * What went out before this batch, and once it has gone: numbers of runs in the journal. `after` is null for a batch that
   * went out before: the mark stays where it is.
   */
  readonly after: number | null;
  readonly upTo: number;
}

/**
 * The tables of a ledger, wherever they lie: in the journal of one machine, or in the database that several share. They are
 * named `ledger_runs`, `ledger_calls`, `ledger_attempts` and `ledger_reconciliations`, with the rows below as columns;
 * `ledger_run_counts`, on a shared ledger alone, says how many runs there should be; `ledger_lines` is for finding runs by their calls: `source`, `success`, `match` and `charged` of each, with
 * `transaction_id`, `started_at`, `has_unknown`, `organization_id` and `workflow_id` of its run.
 */
export interface LedgerTables {
  readonly query: LedgerQuery;
  /**
   * The condition that `organization_id` or `workflow_id` of a run, or one of these or `source` of a line, is
   * a value, in words that an index answers. The value is to be given for its `?`.
   */
  isText(column: string): string;
  /**
   * A table of the requests that were sent, for sums: `started_at` and `simulated` of the run, `sent_at`, `charged`, and by
   * what sums are made: `source_key`, `organization_key`, `credential_key`, `rule_key`, of which `textOf` makes texts.
   */
  readonly requests: string;
  textOf(key: string): string;
  /** `ledger_lines` of a source come newest first by their transaction ids, which sort by time, and not by `started_at`. */
  readonly linesByTransaction: boolean;
  /** What time it is where the ledger lies, milliseconds since 1970: several machines share one, and each has its own clock. */
  wallAt(): Promise<number>;
  /** All of it or nothing, and durable when it resolves. */
  change<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result>;
}

/** A statement in the SQL that SQLite and PostgreSQL have in common, with `?` for each value. */
export type LedgerQuery = <Row extends object>(
  sql: string,
  values?: readonly (string | number | null)[],
) => Promise<readonly Row[]>;

/** One run with everything that belongs to it. Written in one transaction, or not at all. */
export interface RunReportRow {
  readonly run: RunRow;
  readonly calls: readonly CallRow[];
  readonly attempts: readonly AttemptRow[];
  readonly reconciliations: readonly ReconciliationRow[];
}

/*
 * The rows, as they stand in SQLite and as they go to PostgreSQL; `columns.ts` says what is in them. Column types that mean
 * the same in both: text, bigint (milliseconds, counts, times since 1970 UTC), and smallint 0 or 1 for yes and no.
 */
export type { AttemptRow, CallRow, ReconciliationRow, RunRow };
