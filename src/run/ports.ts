/**
 * What the engine needs from the rest of the service. Each interface is as small as the need; `composition` provides
 * the implementations.
 * Times: `…At` is monotonic milliseconds (`Clock.now`), `…WallAt` milliseconds since 1970, `…Ms` a duration.
 */
import type { CallBudgets, Reservation } from "./around/ports.ts";
import type { Http } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { ChargeModel, SentRequest } from "../terms/charge.ts";
import type { Clock } from "../terms/clock.ts";
import type { Charged, Fault, FaultCode, FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Price, PriceTerm } from "../terms/price.ts";
import type { Secret } from "../terms/secret.ts";
import type { Trace } from "../terms/trace.ts";

// ---- sources -------------------------------------------------------------------------------------------------------

/** A source as the engine runs it: everything that can be known before a call has been computed already. */
export interface RunnableSource {
  readonly id: string;
  readonly declaration: SourceDeclaration;
  readonly timeoutMs: number;
  /** The names that pass the filter, from every branch of the schema. */
  readonly inputNames: readonly string[];
  /** A frozen object of the declared names, without a prototype. */
  filter(inputs: JsonObject): JsonObject;
  /** `null` if valid. A problem's path names the field and its message repeats no value. */
  inputProblem(filtered: JsonObject): FieldProblem | null;
  /** Whether this source takes a credential, and whether it needs one. */
  readonly credentialUse: "none" | "optional" | "required";
  credentialProblem(fields: JsonObject): FieldProblem | null;
  /** The fields that its credential may have, in a fixed order; `null` if it names none and accepts any. */
  readonly credentialNames: readonly string[] | null;
  /** Whether its calls can leave the machine: it declares `origins`. */
  readonly leavesMachine: boolean;
  readonly charge: ChargeModel;
  /**
   * What a billed request costs if its credential has no price of its own: of a table of charges, the highest amount.
   * `null`: not known.
   */
  readonly listPrice: Price | null;
}

export interface SourceCatalog {
  find(id: string): RunnableSource | undefined;
}

// ---- one run and its calls -----------------------------------------------------------------------------------------

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
  /** The caller's trace, if it sent one. */
  readonly trace: Trace | null;
  /**
   * False once the client has hung up or the service is stopping: nothing new is sent, but requests under way go on.
   */
  readonly maySend: boolean;
  /**
   * Records what is about to be sent: when this returns, the intents have been handed to the operating system in one
   * write. If it throws, none of the requests may be sent. @throws Fault `source.unrecorded`
   */
  intend(intents: readonly AttemptIntent[]): void;
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

  takeBudgets(budgets: CallBudgets): void;
  takeInputs(filtered: JsonObject): void;
  takeCredential(credential: FoundCredential): void;
  /** `id` comes from the vendor. @throws Fault `source.contract` if it cannot be an order number */
  takeOrder(id: string | null): void;
  /**
   * Reserves the most that a request can cost, before it waits for a connection. `null` if no budget applies, or if it
   * is never billed. @throws Fault, or rejects with it, if a budget has no room for it
   */
  reserve(billing: Billing, clock: Clock): Reservation | null | Promise<Reservation>;
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

/** What a source says about the cost of one request, before it is sent. */
export interface Billing {
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

// ---- credentials ---------------------------------------------------------------------------------------------------

export type CredentialRule = "inline" | "named" | "auto" | "default" | "none";

export interface FoundCredential {
  /** `null` for an inline credential and for no credential. */
  readonly credentialId: string | null;
  readonly rule: CredentialRule;
  /** Deeply frozen, because other runs get the same object. */
  readonly fields: Secret<JsonObject>;
  /**
   * Identifies a credential without revealing it: breakers, rate limits and token caches use it as key. It begins with
   * the organization's id and a slash, so that no two organizations share one. `null`: nothing may be kept for it.
   */
  readonly scope: string | null;
  /** What its contract costs; `null` for a credential without prices, whose calls cost what the source lists. */
  readonly prices: CredentialPrices | null;
}

/** The prices of one credential, in memory: asking never waits. */
export interface CredentialPrices {
  /** The one that holds for a request that is sent now; `null` if none has begun. */
  at(wallAt: number): PriceTerm | null;
}

export interface CredentialRequest {
  readonly organizationId: string;
  readonly source: string;
  readonly context: Context;
  /** The deployment's. A stored credential that is chosen is refused outside its regions. */
  readonly region: string;
  /** The fields of the inline credential that the source declares; `undefined` if no inline credential was sent. */
  readonly inline: JsonObject | undefined;
  readonly credentialId: string | undefined;
  readonly autoSelect: boolean;
}

export interface CredentialFinder {
  /**
   * Searches in the order of decision 0012; `null` if no rule applies. Returns a plain value if it is in memory, so
   * that the common case needs no turn of the event loop.
   * @throws Fault `source.credential_missing` if a named credential cannot be used: no other one is used instead
   */
  find(request: CredentialRequest): FoundCredential | null | Promise<FoundCredential | null>;
}

// ---- outbound ------------------------------------------------------------------------------------------------------

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

// ---- ledger --------------------------------------------------------------------------------------------------------

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
  readonly startedWallAt: number;
}

export interface RunRecord {
  /** Hands intents to the operating system: once this returns, they survive kill -9. @throws Fault if that fails */
  intend(...intents: readonly AttemptIntent[]): void;
  /**
   * Hands the order number that a vendor gave to the operating system, before anything else is sent for the call. If
   * that fails, the next request of the call cannot be recorded either, and is not sent.
   */
  noteOrder(ordinal: number, orderId: string): void;
  /**
   * Settles when the whole run is on disk, or when that has turned out impossible (the answer is sent all the same).
   */
  close(report: RunReport): Promise<void> | void;
}

export interface AttemptIntent {
  readonly source: string;
  readonly ordinal: number;
  readonly attempt: number;
  readonly origin: string;
  readonly method: string;
  readonly credentialId: string | null;
  readonly credentialRule: CredentialRule;
  readonly sentWallAt: number;
  /** It is never billed, whatever its result. */
  readonly free: boolean;
  /** The most that it can cost; `null`: not known. */
  readonly price: Price | null;
}

// ---- what is seen --------------------------------------------------------------------------------------------------

/** One run as reported to the ledger, the log and the metrics. Never contains inputs, outputs or secrets. */
export interface RunReport extends RunIntent {
  readonly tookMs: number;
  readonly clientGone: boolean;
  /** The caller's. Only for the log and for spans. */
  readonly trace?: Trace;
  /** For `/func`: the fault the function ended with, `null` when it succeeded, `undefined` for `/data`. */
  readonly functionFault?: FaultCode | null;
  readonly calls: readonly CallReport[];
}

export interface CallReport {
  readonly source: string;
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
  /** Counted from the arrival of the run. */
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
  /** What it costs if it is charged; `null`: not known. */
  readonly price: Price | null;
  /** The span that the vendor was told of, 16 hex digits. */
  readonly spanId?: string;
  /** To be settled once the report is recorded. */
  readonly reserved?: Reservation | null;
}

/** What a run was asked, as it was sent: identifiers, names and values. */
export interface RunAsk {
  readonly sources: JsonObject;
  readonly inputs: JsonObject;
}

/** Writes log lines and metrics. Must not throw. */
export interface RunObserver {
  /** Called once per run, before anything runs. */
  runStarted?(run: RunIntent, asked: RunAsk): void;
  /** Called once per run, after the answer is ready. */
  runEnded(report: RunReport): void;
  /** Called after the answer was sent, if inputs of the run were probably misspelled. */
  inputsMisspelled?(transactionId: string, nearMisses: readonly NearMiss[]): void;
}

/** An undeclared input that was probably meant for a source or the function under another name. */
export interface NearMiss {
  /** The id of the source or the function. */
  readonly id: string;
  readonly name: string;
  /** The declared name. */
  readonly meant: string;
}

// ---- inside the engine ---------------------------------------------------------------------------------------------

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

// ---- functions -----------------------------------------------------------------------------------------------------

export interface FunctionCatalog {
  find(id: string): RunnableFunction | undefined;
}

export interface RunnableFunction {
  readonly id: string;
  readonly timeoutMs: number;
  /** The names that it declares for its inputs; empty if it declares none. It gets every input, declared or not. */
  readonly inputNames: readonly string[];
  /**
   * Runs it in a separate isolate, where its contract is checked before and after. Resolves with the JSON text of the
   * object that it returned, or with `null` if it returned nothing. @throws Fault `function.*`
   */
  run(job: FunctionJob, host: FunctionHost): Promise<string | null>;
}

export interface FunctionJob {
  /** Organizations never share an isolate. */
  readonly organizationId: string;
  readonly transactionId: string;
  readonly deadlineAt: number;
  /** JSON text of `{inputs, extra, config, context, region, transaction_id}`. */
  readonly argument: string;
}

/** A function's access to the service. Only JSON text is passed. */
export interface FunctionHost {
  /** Never rejects. */
  runSource(source: string, inputsJson: string): Promise<FunctionReply>;
  /** Records a named step's result, already JSON. */
  pipe(name: string, json: string): void;
  /**
   * Counts bytes that are kept until the run is answered. False if there is no memory for them; then they must not be
   * kept.
   */
  holds(bytes: number): boolean;
  /** `debug` messages may contain inputs; a production log does not show them. */
  log(level: "debug" | "info" | "warn", message: string): void;
}

export interface FunctionReply {
  /** JSON text of a `SourceOutcome`. */
  readonly json: string;
  /** Must be called once it is no longer kept: the function has received it, or no longer wants it. */
  taken(): void;
}
