/**
 * A run, its source calls and their requests, from plan to outcome, and what runs them.
 * Times: `…At` is monotonic milliseconds (`Clock.now`), `…WallAt` milliseconds since 1970, `…Ms` a duration.
 */
import type { Http } from "../../sdk/http.ts";
import type { CheckSteps } from "../../terms/schema/author-schemas.ts";
import type { MemoryReservation } from "../../terms/concurrency/byte-budget.ts";
import type { Caller } from "../../terms/caller.ts";
import type { ChargeModel, SentRequest } from "../../terms/money/charge.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { Charged } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { Price } from "../../terms/money/price.ts";
import type { CallBudgets, Reservation } from "../middleware/ports.ts";
import type { ResolvedCredential } from "./credentials.ts";
import type { AttemptIntent, PendingIntents, RunIntent, RunRecord } from "./ledger.ts";
import type { RunnableSource } from "./sources.ts";

/** One run, with everything that its source calls have in common. */
export interface Run {
  readonly intent: RunIntent;
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly record: RunRecord;
  /**
   * The memory that this run uses, from the body of its request to the last byte of its answer. Memory must be reserved
   * before anything is kept. Once the answer is complete, only its bytes stay reserved, until the code that opened the
   * reservation releases it.
   */
  readonly memory: MemoryReservation;
  /** The steps that validations of the run may still take together. Absent if each validation has a limit of its own. */
  readonly checkSteps?: CheckSteps;
  /**
   * False once the client has hung up or the service is stopping: nothing new is sent, but requests in progress continue.
   */
  readonly maySend: boolean;
  /**
   * Announces requests that are about to be sent. None of them may be sent before `record` of the result has returned.
   * @throws Fault `source.unrecorded`, as `record` does
   */
  intend(intents: readonly AttemptIntent[]): PendingIntents;
}

/** The facts about a source call that are known before it starts. */
export interface CallPlan {
  readonly run: Run;
  /** The requested identifier; perhaps no source has it. */
  readonly id: string;
  /** The digest of the source; `null` if no source has the identifier. */
  readonly sourceVersion: string | null;
  /** Position among the calls of its run, from 0. */
  readonly ordinal: number;
  /** The value under `config.sources`; `true` becomes `{}`. */
  readonly entry: SourceEntry;
  readonly rawInputs: JsonObject;
  readonly deadlineAt: number;
  readonly startedAt: number;
}

/** One planned source call, from plan to outcome. The middleware of calls and the outbound client report to it. */
export interface PlannedCall extends CallPlan {
  /** The inputs after the filter; empty before. */
  readonly inputs: JsonObject;
  readonly credential: ResolvedCredential | null;
  /** Every request that was handed to the operating system for this call, in order. */
  readonly attempts: readonly Attempt[];
  /** Whether its outcome is settled. An adapter that continues after that can send nothing more. */
  readonly ended: boolean;
  /** True while neither this call nor its run is over. */
  readonly maySend: boolean;
  /**
   * Bytes reserved on `run.memory` for this call: for requests and replies while it is in progress, for its output
   * afterwards.
   */
  readonly reservedBytes: number;
  /** Created when it is first read; aborted when the call ends, for any reason. */
  readonly signal: AbortSignal;
  /** The order that its vendor has accepted and works on; `null` until its adapter reports one. */
  readonly order: VendorOrder | null;
  /**
   * Whether its vendor may have accepted an order: the adapter has reported one, or a request that places one was sent.
   * Repeating the call could then order again.
   */
  readonly mayHaveOrdered: boolean;

  takeBudgets(budgets: CallBudgets): void;
  /** Gives the call its permission by the limits of its source. The call returns it when it ends. */
  takePermit(permit: { leave(): void }): void;
  takeInputs(filtered: JsonObject): void;
  takeCredential(credential: ResolvedCredential): void;
  /** `id` comes from the vendor. @throws Fault `source.contract` if it cannot be an order number */
  takeOrder(id: string | null): void;
  /** Records that a request which places an order is being sent. */
  sendsOrder(): void;
  /**
   * Reserves the most that a request can cost, before it waits for a connection. `null` if no budget applies, or if the
   * request is never billed. @throws Fault, or rejects with it, if a budget does not cover the request
   */
  reserve(billing: Billing, clock: Clock): Promise<Reservation | null>;
  /**
   * Called by the outbound client just before the first byte of a request. Nothing may be sent until the intent is
   * recorded; then the attempt must begin in the same tick of the event loop.
   * @throws Fault `source.stopped`, or `source.budget_used` if its price has risen since it was reserved
   */
  planAttempt(request: PlannedRequest, clock: Clock): PlannedAttempt;
  /**
   * Reserves memory for bytes that are about to be kept. Returns false if there is none, or if the call has ended.
   */
  reserveBytes(bytes: number): boolean;
  /**
   * Takes over bytes that are reserved on `run.memory` already. Returns false if the call has ended: then they stay with their
   * owner.
   */
  adoptBytes(bytes: number): boolean;
  /** Releases memory, in bytes. Does nothing after the call has ended, because its memory was released then. */
  releaseBytes(bytes: number): void;
  /**
   * Replaces all memory reserved so far by this many bytes. Returns false if there is no memory for them; then nothing
   * changes.
   */
  shrinkTo(bytes: number): boolean;
  /** Ends the call: it sends nothing more, and its signal is aborted. */
  end(reason?: unknown): void;
}

/** How a request is billed, by the declarations of its source. */
export interface Billing {
  /** Whether it places an order. */
  readonly isOrder?: boolean;
  /** Whether the vendor is known never to bill it. */
  readonly free: boolean;
  readonly model: ChargeModel;
  /** The most that it can cost if its credential has no price; `null` if that is not known. */
  readonly listPrice: Price | null;
}

/** A request just before its first byte. */
export interface PlannedRequest {
  readonly origin: string;
  readonly method: string;
  readonly billing: Billing;
  /** Its reservation in its budgets; `null` if none applies. */
  readonly reserved: Reservation | null;
  /** The id of the span in `traceparent`, if the vendor gets one. */
  readonly spanId: string | undefined;
}

/** Work that a vendor has accepted. Other requests fetch its result, in this run or a later one. */
export interface VendorOrder {
  /** The vendor's own order number; `null` if it has none. */
  readonly id: string | null;
}

export interface SourceEntry {
  readonly credentials?: JsonObject;
  readonly cred_id?: string;
  readonly [name: string]: unknown;
}

/** A request that is about to be sent. */
export interface PlannedAttempt {
  readonly run: Run;
  readonly intent: AttemptIntent;
  /** Its reservation in its budgets, which is made durable before the intent is recorded; `null` if no budget applies. */
  readonly reserved: Reservation | null;
  /** Called when the intent is recorded. From then on the request is one of the attempts of its call. */
  begin(): Attempt;
}

/**
 * One request to a vendor. Created when its intent is recorded, before its first byte; the outbound client reports its
 * progress. Its charge is known only when its call has ended.
 */
export interface Attempt extends SentRequest {
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly sentWallAt: number;
  readonly sentAt: number;
  readonly tookMs: number | null;
  readonly spanId: string | undefined;
  /** Its cost if it is billed, by the price when it was sent; `null` if that is not known. */
  readonly price: Price | null;
  /** Its reservation in its budgets; `null` if none applies. */
  readonly reserved: Reservation | null;

  /**
   * Called when the head of a reply has arrived.
   * @param isAnswer its status is 2xx, or one that the source handles itself
   */
  answered(status: number, isAnswer: boolean): void;
  /** Called when the whole reply has arrived, or as much of it as can be used. */
  end(): void;
  /** Called when its reply is no longer awaited. */
  settle(now: number): void;
  /** Sets whether it is billed, by an explicit statement of the author. */
  chargeAs(charged: Charged): void;
  /** Sets the list price that its reply shows. A price of the credential takes precedence. */
  listAs(price: Price | null): void;
}

/** Waits within a call. Rejects when the call has ended, or at once if its deadline comes first. */
export type Wait = (call: PlannedCall, ms: number) => Promise<void>;

/** Runs one planned call and resolves to its result. Rejects with any error. */
export type RunSource = (source: RunnableSource, call: PlannedCall) => Promise<CallResult>;

/** One middleware of calls. All of them are one list, composed once in `composition/call-middleware.ts`, outermost first. */
export type CallMiddleware = (next: RunSource) => RunSource;

/**
 * A collected result: JSON text that is known to be one object. If `json` is a Buffer, it is the vendor's own bytes,
 * which are spliced in unchanged.
 */
export interface CallResult {
  readonly match: boolean;
  readonly json: string | Buffer;
}

export interface VendorClient {
  /** The `http` of this call's adapter. Begins an attempt of the call for each request, just before its first byte. */
  httpFor(source: RunnableSource, call: PlannedCall): Http;
}

/** A simulated reply of a vendor. */
export interface SimulatedReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Replies in place of the vendors. */
export interface SimulatedVendors {
  /**
   * Returns the function that answers the requests of one call, in order. @throws Fault if the vendor would not answer
   */
  simulateCall(source: RunnableSource, call: PlannedCall): () => Promise<SimulatedReply>;
}
