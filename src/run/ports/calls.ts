/**
 * A run, its source calls and their requests, from plan to outcome, and what runs them.
 * Times: `…At` is monotonic milliseconds (`Clock.now`), `…WallAt` milliseconds since 1970, `…Ms` a duration.
 */
import type { Http } from "../../sdk/http.ts";
import type { CheckSteps } from "../../terms/bounded-schemas.ts";
import type { Held } from "../../terms/byte-budget.ts";
import type { Caller } from "../../terms/caller.ts";
import type { ChargeModel, SentRequest } from "../../terms/charge.ts";
import type { Clock } from "../../terms/clock.ts";
import type { Charged } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { Price } from "../../terms/price.ts";
import type { CallBudgets, Reservation } from "../around/ports.ts";
import type { FoundCredential } from "./credentials.ts";
import type { AttemptIntent, PendingIntents, RunIntent, RunRecord } from "./ledger.ts";
import type { RunnableSource } from "./sources.ts";

/** One run, with everything that its source calls have in common. */
export interface Run {
  readonly intent: RunIntent;
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly record: RunRecord;
  /**
   * The memory that this run uses, from its request's body to the last byte of its answer. Must be asked before
   * anything is kept. Once the answer is complete it counts only the answer's bytes, until the code that opened it
   * releases it.
   */
  readonly held: Held;
  /** What the validations of its inputs, credentials and outputs may still cost. Left out where each stands alone. */
  readonly checkSteps?: CheckSteps;
  /**
   * False once the client has hung up or the service is stopping: nothing new is sent, but requests under way go on.
   */
  readonly maySend: boolean;
  /**
   * What is about to be sent. Nothing of it may be sent before it has been recorded. @throws Fault `source.unrecorded`,
   * as `record` of the result does
   */
  intend(intents: readonly AttemptIntent[]): PendingIntents;
}

/** What is known about a source call before it begins. */
export interface CallPlan {
  readonly run: Run;
  /** The requested identifier; perhaps no source has it. */
  readonly id: string;
  /** Position among the calls of its run, from 0. */
  readonly ordinal: number;
  /** The value under `config.sources`; `true` becomes `{}`. */
  readonly entry: SourceEntry;
  readonly rawInputs: JsonObject;
  /** Absolute. */
  readonly deadlineAt: number;
  readonly startedAt: number;
}

/** One planned source call, from plan to outcome. The steps around a call and the outbound client report to it. */
export interface PlannedCall extends CallPlan {
  /** The inputs after the filter; empty before. */
  readonly inputs: JsonObject;
  readonly credential: FoundCredential | null;
  /** Every request that was handed to the operating system for this call, in order. */
  readonly attempts: readonly Attempt[];
  /** Whether its outcome is settled. An adapter that continues after that can send nothing more. */
  readonly ended: boolean;
  /** True while neither this call nor its run is over. */
  readonly maySend: boolean;
  /** Bytes counted on `run.held` for this call: of replies while it is under way, of its output afterwards. */
  readonly heldBytes: number;
  /** Created when it is first read; aborted when the call ends, for whatever reason. */
  readonly signal: AbortSignal;
  /** The order that its vendor has accepted and works on; `null` until its adapter reports one. */
  readonly order: VendorOrder | null;
  /**
   * Whether its vendor may have accepted an order: the adapter has reported one, or a request that places one was sent.
   * Repeating the call could then order again.
   */
  readonly mayHaveOrdered: boolean;

  takeBudgets(budgets: CallBudgets): void;
  /** Its turn among the calls of its source, which it leaves when it ends: from then on it sends nothing. */
  takeTurn(turn: { leave(): void }): void;
  takeInputs(filtered: JsonObject): void;
  takeCredential(credential: FoundCredential): void;
  /** `id` comes from the vendor. @throws Fault `source.contract` if it cannot be an order number */
  takeOrder(id: string | null): void;
  /** A request that places an order is being sent. */
  sendsOrder(): void;
  /**
   * Reserves the most that a request can cost, before it waits for a connection. `null` if no budget applies, or if it
   * is never billed. Rejects with a Fault if a budget has no room for it.
   */
  reserve(billing: Billing, clock: Clock): Promise<Reservation | null>;
  /**
   * Called by the outbound client just before the first byte of a request. Nothing may be sent until the intent is
   * recorded; then the attempt must begin in the same turn of the event loop.
   * @throws Fault `source.stopped`, or `source.budget_used` if its price has risen since it was reserved
   */
  planAttempt(request: PlannedRequest, clock: Clock): PlannedAttempt;
  /**
   * Counts bytes that are about to be kept for the call. False if there is no memory for them or the call has ended.
   */
  hold(bytes: number): boolean;
  /**
   * Counts bytes for this call that `run.held` counts already. False if the call has ended: their owner stays the same.
   */
  takeHeld(bytes: number): boolean;
  /** Counts bytes as released. Does nothing after the call has ended, because its memory was released then. */
  drop(bytes: number): void;
  /**
   * Replaces everything counted so far by this many bytes. False if there is no memory for them; then nothing changes.
   */
  keepOnly(bytes: number): boolean;
  /** From now on the call sends nothing more; its signal is aborted. */
  end(reason?: unknown): void;
}

/** What a source says about one request, before it is sent. */
export interface Billing {
  /** It places an order. */
  readonly isOrder?: boolean;
  /** The vendor is known never to bill it. */
  readonly free: boolean;
  readonly model: ChargeModel;
  /** The most that it can cost without a price of the credential; `null`: not known. */
  readonly listPrice: Price | null;
}

/** A request just before its first byte. */
export interface PlannedRequest {
  readonly origin: string;
  readonly method: string;
  readonly billing: Billing;
  /** Its room in the budgets that apply to it. */
  readonly reserved: Reservation | null;
  /** The span that its vendor is told of. */
  readonly spanId: string | undefined;
}

/** Work that a vendor has accepted. Its result is asked for by other requests, in this run or a later one. */
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
  /** Its room in the budgets that apply to it. It is kept before the intent is recorded. */
  readonly reserved: Reservation | null;
  /** To be called when the intent is recorded: from now on the request is one of its call's attempts. */
  begin(): Attempt;
}

/**
 * One request to a vendor. Created when its intent is recorded, before its first byte; the outbound client reports its
 * progress. What it was charged is known only when its call has ended.
 */
export interface Attempt extends SentRequest {
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly sentWallAt: number;
  readonly sentAt: number;
  readonly tookMs: number | null;
  readonly spanId: string | undefined;
  /** What it costs if it is billed: the price when it was sent. `null`: not known. */
  readonly price: Price | null;
  /** Its room in the budgets that apply to it. */
  readonly reserved: Reservation | null;

  /** The head of a reply has arrived. `isAnswer`: its status is 2xx, or one that the source handles itself. */
  answered(status: number, isAnswer: boolean): void;
  /** The whole reply has arrived, or as much of it as can be used. */
  end(): void;
  /** Nobody waits for its reply any more. */
  settle(now: number): void;
  /** The author's explicit statement of whether it is billed. */
  chargeAs(charged: Charged): void;
  /** What its reply shows it to cost by the source's list. A price of the credential is not changed by it. */
  listAs(price: Price | null): void;
}

/** Waits within a call. Rejects when the call has ended, or at once if its deadline comes first. */
export type Wait = (call: PlannedCall, ms: number) => Promise<void>;

/** Runs one planned call and returns its answer. Rejects with any error. */
export type RunSource = (source: RunnableSource, call: PlannedCall) => Promise<Answer>;

/** A step around a call. All steps are one list, composed once in `composition/around-calls.ts`, outermost first. */
export type Around = (next: RunSource) => RunSource;

/**
 * A collected result: JSON text that is known to be one object. If `json` is a Buffer, it is the vendor's own bytes,
 * which are spliced in unchanged.
 */
export interface Answer {
  readonly match: boolean;
  readonly json: string | Buffer;
}

export interface Door {
  /** The `http` of this call's adapter. Begins an attempt of the call for each request, just before its first byte. */
  httpFor(source: RunnableSource, call: PlannedCall): Http;
}

/** A simulated reply of a vendor. */
export interface PlayedReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Replies in place of the vendors. */
export interface VendorPlayer {
  /**
   * Returns the function that answers the requests of one call, in order. @throws Fault if the vendor would not answer
   */
  playFor(source: RunnableSource, call: PlannedCall): () => Promise<PlayedReply>;
}
