/**
 * What the engine needs of the world. Each interface is as small as the need; `composition` gives the real ones.
 * Times: `…At` is monotonic milliseconds (`Clock.now`), `…WallAt` milliseconds since 1970, `…Ms` a duration.
 */
import type { Http } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { ChargeModel, SentRequest } from "../terms/charge.ts";
import type { Clock } from "../terms/clock.ts";
import type { Charged, Fault, FaultCode, FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Secret } from "../terms/secret.ts";
import type { Trace } from "../terms/trace.ts";

// ---- sources -------------------------------------------------------------------------------------------------------

/** A source as the engine runs it: everything that can be known before a call is already worked out. */
export interface RunnableSource {
  readonly id: string;
  readonly declaration: SourceDeclaration;
  readonly timeoutMs: number;
  /** The names that pass the filter, through every branch of the schema. */
  readonly inputNames: readonly string[];
  /** A frozen object of the declared names, without a prototype. */
  filter(inputs: JsonObject): JsonObject;
  /** `null` if valid. A problem's path names the field and its message repeats no value. */
  inputProblem(filtered: JsonObject): FieldProblem | null;
  /** Whether this source takes a credential, and whether it can do without. */
  readonly credentialUse: "none" | "optional" | "required";
  credentialProblem(fields: JsonObject): FieldProblem | null;
  /** The fields its credential may have, in one order; `null` where it declares none by name and takes any. */
  readonly credentialNames: readonly string[] | null;
  /** Whether its calls can leave the machine: it declares `origins`. */
  readonly leavesMachine: boolean;
  readonly charge: ChargeModel;
}

export interface SourceCatalog {
  find(id: string): RunnableSource | undefined;
}

// ---- one run and its calls -----------------------------------------------------------------------------------------

/** One run, and what is the same for every source call of it. */
export interface Run {
  readonly intent: RunIntent;
  readonly caller: Caller;
  readonly arrivedAt: number;
  readonly record: RunRecord;
  /**
   * What this run holds in memory, from its request's body to the last byte of its answer. Asked before anything is kept.
   * Once the answer is made it holds the answer's bytes and no more, until whoever opened it releases it.
   */
  readonly held: Held;
  /** The caller's, if it named one. */
  readonly trace: Trace | null;
  /** False once the client has hung up or the service is ending: nothing new is sent then, what was sent goes on. */
  readonly maySend: boolean;
  /**
   * Records what is about to be sent: once this returns, the intents have been handed to the operating system, in one
   * write. When it throws, none of it may be sent. @throws Fault `source.unrecorded`
   */
  intend(intents: readonly AttemptIntent[]): void;
}

/** What is known of a source call before it begins. */
export interface CallPlan {
  readonly run: Run;
  /** The requested identifier, which may be of no source at all. */
  readonly id: string;
  /** Position among the calls of its run, from 0. */
  readonly ordinal: number;
  /** The value under `config.sources`; `true` stands as `{}`. */
  readonly entry: SourceEntry;
  readonly rawInputs: JsonObject;
  /** Absolute. */
  readonly deadlineAt: number;
  readonly startedAt: number;
}

/** One planned source call, from plan to outcome. The steps around a call and the door tell it what they find out. */
export interface PlannedCall extends CallPlan {
  /** The inputs after the filter; none before. */
  readonly inputs: JsonObject;
  readonly credential: FoundCredential | null;
  /** Every request that was handed to the operating system for this call, in order. */
  readonly attempts: readonly Attempt[];
  /** Whether its outcome is settled: an adapter that goes on after that can send nothing more. */
  readonly ended: boolean;
  /** Neither this call nor its run is over. */
  readonly maySend: boolean;
  /** Bytes counted on `run.held` for this call: while it is under way, of replies; then of its output. */
  readonly heldBytes: number;
  /** Made when it is first asked for; aborted when the call ends, however it ends. */
  readonly signal: AbortSignal;
  /** What its vendor has taken up and works on; `null` until its adapter says so. */
  readonly order: VendorOrder | null;

  takeInputs(filtered: JsonObject): void;
  takeCredential(credential: FoundCredential): void;
  /** `id` is the vendor's own word. @throws Fault `source.contract` where it can be no number of an order */
  takeOrder(id: string | null): void;
  /**
   * The door's word just before the first byte of a request. Nothing may be sent until the intent is recorded, and then it
   * is to be begun in the same turn. `free`: its vendor is known never to bill it.
   * @throws Fault `source.stopped`
   */
  planAttempt(origin: string, method: string, free: boolean, clock: Clock): PlannedAttempt;
  /** Counts bytes that are about to be kept for it. False: there is no room, or the call has ended. */
  hold(bytes: number): boolean;
  /** Counts as its own bytes that `run.held` counts already. False: the call has ended, and they are whoever's they were. */
  takeHeld(bytes: number): boolean;
  /** Counts bytes as gone. Of a call that has ended nothing: what it held has been dropped by then. */
  drop(bytes: number): void;
  /** Counts so many in the place of all that was counted. False: there is no room for them, and nothing has changed. */
  keepOnly(bytes: number): boolean;
  /** From now on it sends nothing more, and an adapter that listens to its signal hears of it. */
  end(reason?: unknown): void;
}

/** Work that a vendor has taken up, to be asked for by other requests, of this run or of a later one. */
export interface VendorOrder {
  /** The vendor's own number for it; `null` where it has none. */
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
  /** Once its intent is recorded: from now on it is one of its call's attempts. */
  begin(): Attempt;
}

/**
 * One request to a vendor. Made at the moment its intent is recorded, before its first byte; the door tells it what becomes
 * of it. What it was charged is known when its call has ended.
 */
export interface Attempt extends SentRequest {
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly sentWallAt: number;
  readonly sentAt: number;
  readonly tookMs: number | null;

  /** The head of a reply has come. `isAnswer`: it is 2xx, or a status that the source reads. */
  answered(status: number, isAnswer: boolean): void;
  /** All of its reply has come, or as much as anybody could use. */
  end(): void;
  /** Nobody waits for its reply any more. */
  settle(now: number): void;
  /** The author's own word on what it costs. */
  chargeAs(charged: Charged): void;
}

// ---- credentials ---------------------------------------------------------------------------------------------------

export type CredentialRule = "inline" | "named" | "auto" | "default" | "none";

export interface FoundCredential {
  /** `null` for an inline credential and for none. */
  readonly credentialId: string | null;
  readonly rule: CredentialRule;
  /** Frozen through and through: other runs are handed the same object. */
  readonly fields: Secret<JsonObject>;
  /**
   * Tells credentials apart without showing them: breaker, rate and token caches are keyed by it. It begins with the
   * organization's id and a slash, so that two of them never share one. `null`: nothing may be kept by it.
   */
  readonly scope: string | null;
}

export interface CredentialRequest {
  readonly organizationId: string;
  readonly source: string;
  readonly context: Context;
  /** The fields that were sent and that the source declares; `undefined` when none at all was sent. */
  readonly inline: JsonObject | undefined;
  readonly credentialId: string | undefined;
  readonly autoSelect: boolean;
}

export interface CredentialFinder {
  /**
   * By the order of decision 0012. `null` when no rule applies. A value when it is in memory, so that the common case
   * costs no turn of the event loop.
   * @throws Fault `source.credential_missing` when a named credential cannot be used: it never falls through
   */
  find(request: CredentialRequest): FoundCredential | null | Promise<FoundCredential | null>;
}

// ---- outbound ------------------------------------------------------------------------------------------------------

export interface Door {
  /** What the adapter of this call uses as `http`. The door begins an attempt of the call for each request, just before its first byte. */
  httpFor(source: RunnableSource, call: PlannedCall): Http;
}

/** A vendor's answer that nobody sent. */
export interface PlayedReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Who answers in a vendor's place. */
export interface VendorPlayer {
  /** What answers the requests of one call, one after the other. @throws Fault where the vendor would not answer */
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
  /** Hands intents to the operating system: they survive kill -9 once this returns. @throws Fault when it cannot */
  intend(...intents: readonly AttemptIntent[]): void;
  /**
   * Hands to the operating system under which number a vendor works on an order of a call, before anything else is sent
   * for it. Where that cannot be, the next request of the call cannot be recorded either, and is not sent.
   */
  noteOrder(ordinal: number, orderId: string): void;
  /** Settles when the whole run is on disk, or when that has turned out impossible (the answer goes out all the same). */
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
  /** Whatever becomes of it, it costs nothing. */
  readonly free: boolean;
}

// ---- what is seen --------------------------------------------------------------------------------------------------

/** One run as the ledger, the log and the metrics get it: never inputs, outputs or secrets. */
export interface RunReport extends RunIntent {
  readonly tookMs: number;
  readonly clientGone: boolean;
  /** For the log alone. */
  readonly traceId?: string;
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
  /** The vendor's number for what it has taken up. */
  readonly orderId: string | null;
  /** Made of what its requests were charged. */
  readonly charged: Charged;
  /** From the arrival of the run. */
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
}

/** Log line and metrics. Must not throw. */
export interface RunObserver {
  /** Called once a run, after the answer is ready. */
  runEnded(report: RunReport): void;
  /** Called after the answer is out, if inputs of the run were probably misspelled. */
  inputsMisspelled?(transactionId: string, nearMisses: readonly NearMiss[]): void;
}

/** An input that a source or the function may have been meant to get under another name, since it declares none like it. */
export interface NearMiss {
  /** Of the source or the function. */
  readonly id: string;
  readonly name: string;
  /** The name that it declares. */
  readonly meant: string;
}

// ---- the engine's inside -------------------------------------------------------------------------------------------

/** Waits within a call. Rejects when the call has ended, and at once where its deadline comes first. */
export type Wait = (call: PlannedCall, ms: number) => Promise<void>;

/** Runs one planned call to its answer. Rejects with whatever went wrong. */
export type RunSource = (source: RunnableSource, call: PlannedCall) => Promise<Answer>;

/** Something that happens around a call. The whole stack is one list, composed once in `composition/around-calls.ts`, outermost first. */
export type Around = (next: RunSource) => RunSource;

/** A collected result: JSON text that is known to be one object. `bytes` are a vendor's own, spliced unchanged. */
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
  /** Names that it declares for its inputs; none where it declares nothing. It is given whatever is sent. */
  readonly inputNames: readonly string[];
  /**
   * Runs it in an isolate of its own, where its contract is checked before and after. Resolves with the JSON text of the
   * object that it returned, or `null` for nothing. @throws Fault `function.*`
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

/** What a function reaches the service by. Only JSON text crosses. */
export interface FunctionHost {
  /** Never rejects. */
  runSource(source: string, inputsJson: string): Promise<FunctionReply>;
  /** Records a named step's result, already JSON. */
  pipe(name: string, json: string): void;
  /** Counts what is kept for the run until it is answered. False: there is no room for it, and it must not be kept. */
  holds(bytes: number): boolean;
  /** `debug`: words that may hold inputs, which a production log does not show. */
  log(level: "debug" | "info" | "warn", message: string): void;
}

export interface FunctionReply {
  /** Of a `SourceOutcome`. */
  readonly json: string;
  /** To be called once it is not kept any longer: the function has it, or wants it no more. */
  taken(): void;
}
