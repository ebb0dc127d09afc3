import type { CallBudgets, Reservation } from "./middleware/ports.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault, type Charged } from "../terms/fault.ts";
import { RefusedVersion } from "./find-version.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import type { Price, PriceTerm } from "../terms/money/price.ts";
import { CALL_MS_MAX } from "../terms/time/times.ts";
import type {
  Attempt,
  Billing,
  CallPlan,
  ResolvedCredential,
  PlannedAttempt,
  PlannedCall,
  PlannedRequest,
  Run,
  RunnableSource,
  SourceEntry,
  VendorOrder,
} from "./ports.ts";

/** A call and its source, which is `undefined` if no source has the requested identifier. */
export interface PlannedSource {
  readonly call: PlannedCall;
  readonly source: RunnableSource | undefined;
  /** Why the version of the source that the workflow names cannot be used. */
  readonly refused?: Fault;
}

/** The longest order number that is kept. */
export const ORDER_ID_CHARS_MAX = 200;

/** How long a request may wait for the store to answer whether its budgets cover it. */
const RESERVE_MS_MAX = 1_000;

const NO_FIELDS: SourceEntry = Object.freeze({});
const NONE_RESERVED: readonly Reservation[] = Object.freeze([]);
const NO_INPUTS: JsonObject = Object.freeze({});

/** A planned call and its progress. Only its own methods change it. */
export class Call implements PlannedCall {
  readonly run: Run;
  readonly id: string;
  readonly sourceVersion: string | null;
  readonly ordinal: number;
  readonly entry: SourceEntry;
  readonly rawInputs: JsonObject;
  readonly deadlineAt: number;
  readonly startedAt: number;
  #inputs = NO_INPUTS;
  #credential: ResolvedCredential | null = null;
  #order: VendorOrder | null = null;
  #hasSentOrder = false;
  #budgets: CallBudgets | null = null;
  #permit: { leave(): void } | null = null;
  /** The reservations of requests that have not started. Most calls have one at most. */
  #reserved: readonly Reservation[] = NONE_RESERVED;
  readonly #attempts: SentAttempt[] = [];
  #planned = 0;
  #controller: AbortController | null = null;
  #ended = false;
  #reservedBytes = 0;

  constructor(plan: CallPlan) {
    this.run = plan.run;
    this.id = plan.id;
    this.sourceVersion = plan.sourceVersion;
    this.ordinal = plan.ordinal;
    this.entry = plan.entry;
    this.rawInputs = plan.rawInputs;
    this.deadlineAt = plan.deadlineAt;
    this.startedAt = plan.startedAt;
  }

  get inputs(): JsonObject {
    return this.#inputs;
  }

  get credential(): ResolvedCredential | null {
    return this.#credential;
  }

  get order(): VendorOrder | null {
    return this.#order;
  }

  get mayHaveOrdered(): boolean {
    return this.#hasSentOrder || this.#order !== null;
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get maySend(): boolean {
    return !this.#ended && this.run.maySend;
  }

  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  takeInputs(filtered: JsonObject): void {
    this.#inputs = filtered;
  }

  takeCredential(credential: ResolvedCredential): void {
    this.#credential = credential;
  }

  takeBudgets(budgets: CallBudgets): void {
    this.#budgets = budgets;
  }

  takePermit(permit: { leave(): void }): void {
    if (this.#ended) permit.leave();
    else this.#permit = permit;
  }

  async reserve(billing: Billing, clock: Clock): Promise<Reservation | null> {
    if (this.#budgets === null) return null;
    const term = this.#termAt(clock.wall());
    if (isFree(billing, term)) return null;
    const reserved = await this.#budgets.reserve(
      term ?? billing.listPrice,
      Math.min(this.deadlineAt, clock.now() + RESERVE_MS_MAX),
    );
    if (this.#ended) {
      reserved.cancel();
      throw new Fault("source.stopped");
    }
    this.#reserved = this.#reserved.length === 0 ? [reserved] : [...this.#reserved, reserved];
    return reserved;
  }

  #termAt(wallAt: number): PriceTerm | null {
    return this.#credential?.prices?.at(wallAt) ?? null;
  }

  takeOrder(id: string | null): void {
    const isValid = id === null || (id.length <= ORDER_ID_CHARS_MAX && /^[\x21-\x7e]+$/.test(id));
    if (!isValid) throw new Fault("source.contract", { problem: "the order's number cannot be kept" });
    this.#order = { id };
    if (id !== null) this.run.record.recordOrder(this.ordinal, id);
  }

  sendsOrder(): void {
    this.#hasSentOrder = true;
  }

  planAttempt(request: PlannedRequest, clock: Clock): PlannedAttempt {
    if (!this.maySend) throw new Fault("source.stopped");
    const { origin, method, reserved } = request;
    const sentWallAt = clock.wall();
    const times = { sentWallAt, sentAt: clock.now() };
    const attempt = new SentAttempt(this.#planned + 1, request, times, this.#termAt(sentWallAt));
    reserved?.commit(this.run.intent.transactionId, `${this.ordinal}/${attempt.number}`, attempt.price);
    this.#planned += 1;
    return {
      run: this.run,
      reserved,
      intent: {
        source: this.id,
        sourceVersion: this.sourceVersion,
        ordinal: this.ordinal,
        attempt: attempt.number,
        origin,
        method,
        credentialId: this.#credential?.credentialId ?? null,
        credentialRule: this.#credential?.rule ?? "none",
        sentWallAt,
        free: attempt.free,
        price: attempt.price,
      },
      begin: () => {
        if (reserved !== null) this.#dropReservation(reserved);
        if (request.billing.isOrder === true) this.sendsOrder();
        this.#attempts.push(attempt);
        return attempt;
      },
    };
  }

  #dropReservation(reserved: Reservation): void {
    const left = this.#reserved;
    this.#reserved = left.length === 1 && left[0] === reserved ? NONE_RESERVED : left.filter((one) => one !== reserved);
  }

  reserveBytes(bytes: number): boolean {
    if (this.#ended || !this.run.memory.reserve(bytes)) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  adoptBytes(bytes: number): boolean {
    if (this.#ended) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  releaseBytes(bytes: number): void {
    if (this.#ended) return;
    this.run.memory.releaseBytes(bytes);
    this.#reservedBytes -= bytes;
  }

  shrinkTo(bytes: number): boolean {
    const more = bytes - this.#reservedBytes;
    // Only the difference is reserved, so an output that is the unchanged reply always fits.
    if (more > 0 && !this.run.memory.reserve(more)) return false;
    if (more < 0) this.run.memory.releaseBytes(-more);
    this.#reservedBytes = bytes;
    return true;
  }

  end(reason?: unknown): void {
    this.#ended = true;
    this.#controller?.abort(reason);
    this.#permit?.leave();
    this.#permit = null;
    for (const reserved of this.#reserved) reserved.cancel();
    this.#reserved = NONE_RESERVED;
  }
}

interface CallToPlan {
  readonly id: string;
  readonly ordinal: number;
  readonly entry: unknown;
  readonly inputs: JsonObject;
  readonly source: RunnableSource | RefusedVersion | undefined;
  readonly startedAt: number;
  /** The source's own timeout counts from here. */
  readonly from: number;
  /** A deadline for the call that the source's own timeout cannot extend. */
  readonly notPast?: number;
}

export function planSource(run: Run, plan: CallToPlan): PlannedSource {
  const { source } = plan;
  const call = planCall(run, plan);
  return source instanceof RefusedVersion ? { call, source: undefined, refused: source.fault } : { call, source };
}

export function planCall(run: Run, plan: CallToPlan): Call {
  const { source } = plan;
  const timeoutMs = source === undefined || source instanceof RefusedVersion ? CALL_MS_MAX : source.timeoutMs;
  const ownDeadline = plan.from + timeoutMs;
  return new Call({
    run,
    id: plan.id,
    sourceVersion: plan.source?.version ?? null,
    ordinal: plan.ordinal,
    entry: isJsonObject(plan.entry) ? plan.entry : NO_FIELDS,
    rawInputs: plan.inputs,
    deadlineAt: plan.notPast === undefined ? ownDeadline : Math.min(ownDeadline, plan.notPast),
    startedAt: plan.startedAt,
  });
}

/** Whether a request is never billed, whatever its result. @param term the price of its credential */
function isFree({ free, model }: Billing, term: PriceTerm | null): boolean {
  return free || (term?.per ?? model) === "free";
}

/** One request that was handed to the operating system, and its progress. */
class SentAttempt implements Attempt {
  readonly number: number;
  readonly origin: string;
  readonly method: string;
  readonly free: boolean;
  readonly sentWallAt: number;
  readonly sentAt: number;
  readonly spanId: string | undefined;
  readonly reserved: Reservation | null;
  readonly per: ChargeModel | null;
  readonly #term: PriceTerm | null;
  #listPrice: Price | null;
  #status: number | null = null;
  #isAnswer = false;
  #hasEnded = false;
  #statedCharge: Charged | null = null;
  #tookMs: number | null = null;

  /** @param term the price of its credential */
  constructor(
    number: number,
    request: PlannedRequest,
    { sentWallAt, sentAt }: Pick<Attempt, "sentWallAt" | "sentAt">,
    term: PriceTerm | null,
  ) {
    this.number = number;
    const { billing } = request;
    this.origin = request.origin;
    this.method = request.method;
    this.sentWallAt = sentWallAt;
    this.sentAt = sentAt;
    this.spanId = request.spanId;
    this.reserved = request.reserved;
    this.per = term?.per ?? null;
    this.free = isFree(billing, term);
    this.#term = term;
    this.#listPrice = billing.listPrice;
  }

  get price(): Price | null {
    return this.#term ?? this.#listPrice;
  }

  get status(): number | null {
    return this.#status;
  }

  get isAnswer(): boolean {
    return this.#isAnswer;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get statedCharge(): Charged | null {
    return this.#statedCharge;
  }

  get tookMs(): number | null {
    return this.#tookMs;
  }

  answered(status: number, isAnswer: boolean): void {
    this.#status = status;
    this.#isAnswer = isAnswer;
  }

  end(): void {
    this.#hasEnded = true;
  }

  settle(now: number): void {
    this.#tookMs = Math.round(now - this.sentAt);
  }

  chargeAs(charged: Charged): void {
    this.#statedCharge = charged;
  }

  listAs(price: Price | null): void {
    this.#listPrice = price;
  }
}
