import type { AttemptRow, CallRow, ReconciliationRow, RunRow } from "./columns.ts";

/** Where the ledger logs what an operator should know. A pino logger implements it. */
export interface LedgerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Where the journal drains to when several machines share one database. After a failure on either side a batch may be
 * sent again, whole or in part: each row has a unique key, and a run that is already there stays unchanged, including
 * later decisions on its charges.
 */
export interface LedgerSink {
  /**
   * Resolves when the whole batch is durable, together with the mark that says how far its journal has been sent.
   * Rejects when some of it may not be: with `LedgerRefused` if it never will be; with `LedgerBehind`, and nothing
   * written, if the database has fewer runs than were sent before.
   */
  write(batch: RunBatch, mark?: OutboxMark): Promise<void>;
}

/**
 * Runs with all their rows, column by column: statements take columns, and a batch of many rows lives until it is
 * durable, so an object for each would cost more than all else that is done for it.
 */
export interface RunBatch {
  /** Of the runs, in their order. */
  readonly transactionIds: readonly string[];
  readonly runs: RowsInColumns;
  readonly calls: RowsInColumns;
  readonly attempts: RowsInColumns;
  readonly reconciliations: RowsInColumns;
}

/** Rows of a table. Every column has a value of each, in the same order. */
export type RowsInColumns = readonly ColumnValues[];

export interface ColumnValues {
  readonly name: string;
  /** Text or JSON. Otherwise its values are whole numbers. */
  readonly isText: boolean;
  readonly values: readonly (string | number | null)[];
}

/** A batch's place in its journal. */
export interface OutboxMark {
  /** The journal's own id. */
  readonly journal: string;
  /** How far the journal was sent before this batch, and with it, as numbers of runs in the journal. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * The tables of a ledger: in the journal of one machine, or in the database that several share. They are named
 * `ledger_runs`, `ledger_calls`, `ledger_attempts` and `ledger_reconciliations`, with the rows below as columns.
 * `ledger_run_counts`, on a shared ledger only, has the number of runs that should exist. `ledger_lines` is for finding
 * runs by their calls: `source`, `success`, `match` and `charged` of each call, with `transaction_id`, `started_at`,
 * `has_unknown`, `organization_id`, `workflow_id` and `function_id` of its run. `ledger_total_spans` and `ledger_totals` have totals of
 * requests (`totals/`); whatever changes a run deletes those of its time, by triggers of the database.
 */
export interface LedgerTables {
  readonly query: LedgerQuery;
  /**
   * A condition that an index can answer: `organization_id` or `workflow_id` of a run, or one of these or `source` of a
   * line, has a given value. The value has to be passed for its `?`.
   */
  isText(column: string): string;
  /**
   * A table of the requests that were sent, for sums: `transaction_id`, `started_at` and `simulated` of the run,
   * `order_id` of the call, `ordinal`, `number`, `sent_at`, `charged` and `price`, and the keys to group by:
   * `source_key`, `organization_key`, `workflow_key`, `credential_key`, `rule_key`, `currency_key` and `start_key`,
   * made into texts by `textOf`.
   */
  readonly requests: string;
  /**
   * A table of calls, for figures about sources: `started_at`, `has_unknown` and `simulated` of the run, its
   * `transaction_id` twice (the other is `run_transaction_id`, see `transactionsBetween`), `success`, `match`,
   * `charges` and `took_ms` of the call, and the keys `source_key`, `credential_key`, `fault_key`
   * and `budget_key`.
   */
  readonly calls: string;
  textOf(key: string): string;
  /** A condition that a key is that of a text, which has to be passed for its `?`. */
  isKey(key: string): string;
  /** When the newest run started that took a credential, whose id has to be passed for its `?`; null if none has. */
  readonly lastUse: string;
  /**
   * `ledger_lines` of a source are read newest first by transaction ids, which sort by time, and not by `started_at`.
   */
  readonly linesByTransaction: boolean;
  /** The time where the ledger is stored, in Unix ms: several machines may share it, and each has its own clock. */
  wallAt(): Promise<number>;
  /** Atomic, and durable when it resolves. */
  change<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result>;
  /** The same for what a power failure may take back: it does not wait for the disk. */
  note<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result>;
  /**
   * Within either: whether no other change of runs that started on a day is under way. Then none is made before this
   * one ends. The day is counted from 1970, in UTC.
   */
  lockDay(query: LedgerQuery, day: number): Promise<boolean>;
}

/** Runs a statement in the SQL that SQLite and PostgreSQL have in common, with `?` for each value. */
export type LedgerQuery = <Row extends object>(
  sql: string,
  values?: readonly (string | number | null)[],
) => Promise<readonly Row[]>;

/** One run with all its rows. Written in one transaction, or not at all. */
export interface RunReportRow {
  readonly run: RunRow;
  readonly calls: readonly CallRow[];
  readonly attempts: readonly AttemptRow[];
  readonly reconciliations: readonly ReconciliationRow[];
}

/*
 * The rows, as they are in SQLite and as they go to PostgreSQL; `columns.ts` says what is in them. Column types mean
 * the same in both: text, bigint (milliseconds, counts, times since 1970 UTC), and smallint 0 or 1 for no and yes.
 */
export type { AttemptRow, CallRow, ReconciliationRow, RunRow };
