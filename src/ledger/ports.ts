import type { AttemptRow, CallRow, ReconciliationRow, RunRow } from "./columns.ts";

/** Receives the ledger's messages to operators. A pino logger implements it. */
export interface LedgerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * The shared database to which the journals of several machines drain. After a failure on either side a batch may be
 * sent again, whole or in part. Each row has a unique key, and a run that is already there stays unchanged, including
 * later decisions on its charges.
 */
export interface LedgerSink {
  /**
   * Resolves when the whole batch is durable, together with the mark of how far its journal has been sent. Rejects when
   * some of it may not be durable: with `LedgerRefused` if it never will be; with `LedgerBehind`, and nothing written,
   * if the database has fewer runs than were sent before.
   */
  write(batch: RunBatch, mark?: OutboxMark): Promise<void>;
}

/**
 * Runs with all their rows, in columns: statements take columns, and an object per row would cost more than all other
 * work on a batch, since a batch lives until it is durable.
 */
export interface RunBatch {
  /** Ids of the runs, in their order. */
  readonly transactionIds: readonly string[];
  readonly runs: RowsInColumns;
  readonly calls: RowsInColumns;
  readonly attempts: RowsInColumns;
  readonly reconciliations: RowsInColumns;
}

/** The rows of a table, one array per column. All arrays have the same length and order. */
export type RowsInColumns = readonly ColumnValues[];

export interface ColumnValues {
  readonly name: string;
  /** Text or JSON if true, whole numbers if false. */
  readonly isText: boolean;
  readonly values: readonly (string | number | null)[];
}

/** The position of a batch in its journal. */
export interface OutboxMark {
  /** The journal's own id. */
  readonly journal: string;
  /**
   * The journal was sent up to `after` before this batch, and up to `upTo` with it, as numbers of runs in the journal.
   */
  readonly after: number;
  readonly upTo: number;
}

/**
 * The tables of a ledger, in the journal of one machine or in a shared database. They are named `ledger_runs`,
 * `ledger_calls`, `ledger_attempts` and `ledger_reconciliations`, with the rows below as columns.
 * `ledger_run_counts`, on a shared ledger only, has the expected number of runs.
 * `ledger_lines` finds runs by their calls: `source`, `success`, `match` and `charged` of each call, with
 * `transaction_id`, `started_at`, `has_unknown`, `organization_id`, `workflow_id` and `function_id` of its run.
 * `ledger_total_spans` and `ledger_totals` have totals of requests (`totals/`), `ledger_history_spans` and
 * `ledger_history` those of the history. Triggers of the database delete the totals of a time when a run of that time
 * changes.
 */
export interface LedgerTables {
  readonly query: LedgerQuery;
  /**
   * A condition for an index: `organization_id` or `workflow_id` of a run, or one of these or `source` of a line,
   * equals a value. Pass the value for the condition's `?`.
   */
  isText(column: string): string;
  /**
   * A table of sent requests, for sums: `transaction_id`, `started_at` and `simulated` of the run, `order_id` of the
   * call, `ordinal`, `number`, `sent_at`, `charged` and `price`, and the keys to group by: `source_key`,
   * `organization_key`, `workflow_key`, `credential_key`, `rule_key`, `currency_key`, `start_key`, `function_key`,
   * `function_version_key` and `source_version_key`. `textOf` makes a key a text; a `function_key` is a text, `""` for
   * functions that do not exist.
   */
  readonly requests: string;
  /**
   * A table of calls, for figures about sources: `started_at`, `has_unknown` and `simulated` of the run, its
   * `transaction_id` twice (the other is `run_transaction_id`, see `transactionsBetween`), `success`, `match`,
   * `charges` and `took_ms` of the call, and the keys `source_key`, `credential_key`, `fault_key`
   * and `budget_key`.
   */
  readonly calls: string;
  /**
   * A table of calls, for sums of a time: `transaction_id`, `started_at` and `simulated` of the run, `success`, `match`,
   * `charges` and `took_ms` of the call, and its keys: `fault_key`, and those of `history/groupings.ts`.
   */
  readonly endedCalls: string;
  /** The same of runs: `is_lost` (the service died before the run ended), `verdicts` and `took_ms`. */
  readonly endedRuns: string;
  /** An expression: runs that started before this time may have been deleted. Null if none was. */
  readonly deletedBefore: string;
  textOf(key: string): string;
  /** A condition that a key is the key of a text. Pass the text for its `?`. */
  isKey(key: string): string;
  /** A condition that a text is the beginning of a key's text. Pass the beginning for its `?`. */
  isPrefixed(key: string): string;
  /** Start of the newest run that used a credential; null if none did. Pass the credential's id for its `?`. */
  readonly lastUse: string;
  /**
   * Whether `ledger_lines` of a source are read newest first by transaction id, which sorts by time, not by
   * `started_at`.
   */
  readonly linesByTransaction: boolean;
  /** Time of the ledger's own clock, in Unix ms. The machines that share a ledger each have another clock. */
  wallAt(): Promise<number>;
  /** Atomic, and durable when it resolves. */
  change<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result>;
  /** Like `change`, for data that a power failure may take back: it does not wait for the disk. */
  changeUnsynced<Result>(work: (query: LedgerQuery) => Promise<Result>): Promise<Result>;
  /**
   * Within `change` or `changeUnsynced`: locks a day for changes of runs that started on it, until the transaction ends. False if
   * another change is in progress.
   * @param day days since 1970, in UTC
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
 * The rows, the same in SQLite and PostgreSQL; `columns.ts` describes them. Column types mean the same in both: text,
 * bigint (milliseconds, counts, times since 1970 UTC), and smallint 0 or 1 for no and yes.
 */
export type { AttemptRow, CallRow, ReconciliationRow, RunRow };
