import type { Charged } from "../terms/fault.ts";

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
  /** What went out before this batch, and once it has gone: numbers of runs in the journal. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * The tables of a ledger, wherever they lie: in the journal of one machine, or in the database that several share. They are
 * named `ledger_runs`, `ledger_calls`, `ledger_attempts` and `ledger_reconciliations`, with the rows below as columns;
 * `ledger_lines` is for finding runs by their calls: `source`, `success`, `match` and `charged` of each, with
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
 * The rows, as they stand in SQLite and as they go to PostgreSQL. Column types that mean the same in both: text, bigint
 * (milliseconds, counts, times since 1970 UTC), and smallint 0 or 1 for yes and no. Texts are in stored form
 * (`stored-text.ts`): no NUL, no lone surrogate.
 */

/** Unique key: `transaction_id`. */
export interface RunRow {
  readonly transaction_id: string;
  /** `ended`, or `unknown`: the service died between an attempt and its outcome. */
  readonly state: "ended" | "unknown";
  readonly kind: "data" | "func";
  readonly organization_id: string;
  readonly workflow_id: string;
  readonly token_id: string;
  readonly context: string;
  readonly region: string;
  readonly simulated: 0 | 1;
  readonly function_id: string | null;
  readonly started_at: number;
  readonly took_ms: number | null;
  readonly client_gone: 0 | 1;
  readonly function_fault: string | null;
  /** 1 while a charge of the run is known to nobody (`unsettled.ts`): what lists begin with and deletion spares. */
  readonly has_unknown: 0 | 1;
  /** How its calls came out and were charged: see `verdicts.ts`. */
  readonly verdicts: number;
  /** How many ids of no source it asked for. They are no calls, and of their names only a few are kept. */
  readonly unknown_sources: number;
  readonly unknown_source_names: string | null;
  /** Of the whole run (`run-checksum.ts`); null for runs that were written before there was one. */
  readonly checksum: number | null;
}

/** Unique key: `transaction_id`, `ordinal`. Of a run in state `unknown`, what nobody saw is null. */
export interface CallRow {
  readonly transaction_id: string;
  readonly ordinal: number;
  readonly source: string;
  readonly success: 0 | 1 | null;
  readonly match: 0 | 1 | null;
  readonly fault_code: string | null;
  readonly fault_kind: string | null;
  readonly charged: Charged;
  /** What its requests were charged, for lists: see `verdicts.ts`. */
  readonly charges: number;
  readonly credential_id: string | null;
  readonly credential_rule: string;
  readonly started_after_ms: number | null;
  readonly took_ms: number | null;
  readonly output_bytes: number | null;
}

/** Unique key: `transaction_id`, `ordinal`, `number`. */
export interface AttemptRow {
  readonly transaction_id: string;
  readonly ordinal: number;
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly sent_at: number;
  readonly status: number | null;
  readonly took_ms: number | null;
  readonly charged: Charged;
}

/**
 * Somebody's later word on a charge; the last of a request holds. Before the first that overrules a yes or a no stands what
 * the service had recorded, by `RECORDED_BY`; one that was unknown has none. Unique key: `transaction_id`, `ordinal`, `revision`.
 */
export interface ReconciliationRow {
  readonly transaction_id: string;
  readonly ordinal: number;
  /** Counts up from 1 within the call. */
  readonly revision: number;
  readonly charged: Charged;
  readonly decided_by: string;
  readonly decided_at: number;
  readonly note: string;
  /** The attempt it is about; 0 for a call that has none. */
  readonly attempt: number;
}
