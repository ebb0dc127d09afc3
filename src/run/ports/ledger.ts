/** The records of a run, and its observers. Times: see `calls.ts`. */
import type { Context } from "../../terms/caller.ts";
import type { Charged, Fault, FaultCode } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { Price } from "../../terms/money/price.ts";
import type { Trace } from "../../terms/trace.ts";
import type { Reservation } from "../middleware/ports.ts";
import type { CredentialRule } from "./credentials.ts";

export interface Ledger {
  /** @throws Fault `request.journal_unavailable`, before any vendor is called, when nothing can be recorded now */
  open(run: RunIntent): RunRecord;
}

export interface RunIntent {
  readonly transactionId: string;
  readonly kind: "data" | "func";
  readonly organizationId: string;
  readonly workflowId: string;
  readonly tokenId: string;
  readonly context: Context;
  readonly region: string;
  readonly simulated: boolean;
  readonly functionId: string | null;
  /** The digest of the function that runs; `null` if none does. */
  readonly functionVersion: string | null;
  /** The version of the deployment, derived from git; `null` if it is not known. */
  readonly build: string | null;
  /** The caller's own id for its request. It need not be unique. */
  readonly clientRequestId: string | null;
  /** The caller's trace. */
  readonly trace: Trace | null;
  readonly startedWallAt: number;
  /** The id of the start of the service that makes the run. */
  readonly startId?: string | undefined;
}

export interface RunRecord {
  /** Adds intents to the next write, which runs that send at the same time share. @throws Fault if the run is over */
  intend(...intents: readonly AttemptIntent[]): PendingIntents;
  /**
   * Hands a vendor's order number to the operating system, before anything else is sent for the call. If that fails, the
   * next request of the call cannot be recorded either, and is not sent.
   */
  recordOrder(ordinal: number, orderId: string): void;
  /**
   * Settles when the whole run is on disk, or when writing it has failed. The answer is sent in both cases.
   */
  close(report: RunReport): Promise<void>;
}

/** Intents that are about to be written. */
export interface PendingIntents {
  /**
   * Hands these intents, and all others that are pending, to the operating system in one write, unless they have been
   * written already. Once this returns, they survive kill -9. @throws Fault if the write failed
   */
  record(): void;
}

export interface AttemptIntent {
  readonly source: string;
  readonly sourceVersion: string | null;
  readonly ordinal: number;
  readonly attempt: number;
  readonly origin: string;
  readonly method: string;
  readonly credentialId: string | null;
  readonly credentialRule: CredentialRule;
  readonly sentWallAt: number;
  /** Whether it is never billed, whatever its result. */
  readonly free: boolean;
  /** The most that it can cost; `null` if that is not known. */
  readonly price: Price | null;
}

/** One run as reported to the ledger, the log and the metrics. Never contains inputs, outputs or secrets. */
export interface RunReport extends RunIntent {
  readonly tookMs: number;
  readonly clientGone: boolean;
  /** For `/func`: the fault the function ended with, `null` when it succeeded, `undefined` for `/data`. */
  readonly functionFault?: FaultCode | null;
  readonly calls: readonly CallReport[];
}

export interface CallReport {
  readonly source: string;
  /** The digest of the source; `null` if no source has the id. */
  readonly sourceVersion: string | null;
  readonly ordinal: number;
  readonly success: boolean;
  readonly match: boolean;
  readonly fault: Fault | null;
  readonly credentialId: string | null;
  readonly credentialRule: CredentialRule;
  /** The vendor's number for the order that it accepted. */
  readonly orderId: string | null;
  /** Derived from the charges of its requests. */
  readonly charged: Charged;
  /** Milliseconds from the arrival of the run to the start of the call. */
  readonly startedAfterMs: number;
  readonly tookMs: number;
  readonly outputBytes: number;
  readonly attempts: readonly AttemptReport[];
}

export interface AttemptReport {
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly sentWallAt: number;
  readonly status: number | null;
  readonly tookMs: number | null;
  readonly charged: Charged;
  /** Its cost if it is charged; `null` if that is not known. */
  readonly price: Price | null;
  /** The id of the span in the vendor's `traceparent`, 16 hex digits. */
  readonly spanId?: string;
  /** Settled once the report is recorded. */
  readonly reserved?: Reservation | null;
}

/** The sources and inputs of a request as sent, with their values. */
export interface RunInputs {
  readonly sources: JsonObject;
  readonly inputs: JsonObject;
}

/** Writes log lines and metrics. Must not throw. */
export interface RunObserver {
  /** Called once per run, before anything runs. */
  runStarted?(run: RunIntent, asked: RunInputs): void;
  /** Called once per run, after the answer is ready. */
  runEnded(report: RunReport): void;
  /** Called after the answer was sent, if inputs of the run were probably misspelled. */
  inputsMisspelled?(transactionId: string, nearMisses: readonly MisspelledInput[]): void;
}

/** An undeclared input whose name resembles one that a source or the function declares: it is probably misspelled. */
export interface MisspelledInput {
  /** The id of the source or the function. */
  readonly id: string;
  readonly name: string;
  /** The declared name. */
  readonly meant: string;
}
