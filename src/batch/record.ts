import type { Charged } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";

/** One line of the records file: what was asked for a row of the input, and what was answered. */
export interface BatchRecord {
  /** Counts the rows of the input from 1. */
  readonly row: number;
  /** The request's `X-Request-Id`, which the ledger has as `client_request_id`. */
  readonly ref: string;
  /** ISO 8601, UTC. */
  readonly asked_at: string;
  /** Milliseconds until the whole answer had arrived. */
  readonly took_ms: number;
  readonly http_status: number;
  readonly transaction_id: string;
  /** All runs of the row, if sources that were not called at first were asked again; the last is `transaction_id`. */
  readonly transaction_ids?: readonly string[];
  /** What was sent. */
  readonly inputs: JsonObject;
  /** The columns of the input that `--keep` names. */
  readonly kept?: JsonObject;
  /** The answer of `POST /data`. */
  readonly sources?: Readonly<Record<string, SourceRecord>>;
  /** The answer of `POST /func`. */
  readonly function?: FunctionRecord;
}

export interface SourceRecord {
  readonly success: boolean;
  readonly match: boolean;
  readonly message: string;
  readonly response_time_ms: number;
  readonly output: JsonObject;
  readonly failure?: FailureRecord;
  /** By `failure`, otherwise by what the vendor bills; `null` if that is not known here. The ledger is exact. */
  readonly charged: Charged | null;
  /** The planned price if it was or may have been charged; `null` if nothing was charged, or no price is known. */
  readonly cost: { readonly amount: string; readonly currency: string } | null;
}

export interface FunctionRecord {
  readonly id: string;
  readonly success: boolean;
  readonly message: string;
  readonly response_time_ms: number;
  readonly output: JsonObject;
  readonly pipes: JsonObject;
  readonly failure?: FailureRecord;
}

/** The `failure` of an answer. A later version of the service may send more. */
export interface FailureRecord {
  readonly kind: string;
  readonly retryable: boolean;
  readonly charged: Charged;
  readonly order_id?: string;
  readonly resumable?: boolean;
}
