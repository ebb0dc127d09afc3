import type { Reservation } from "../../run/middleware/ports.ts";
import type { Attempt, Billing, PlannedAttempt, PlannedCall } from "../../run/ports.ts";
import { RESERVED_REPLY_BYTES } from "../../terms/concurrency/byte-budget.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import { type VendorConnection, LostError, type ReplyHandler } from "../sockets/vendor-connection.ts";
import { decodeGzip, type GzipProblem } from "./decode-gzip.ts";
import type { OutboundLimits } from "../outbound-limits.ts";
import { ConnectError } from "../sockets/open-socket.ts";
import type { PooledRequest, OriginPool } from "../sockets/origin-pool.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { hasTooManyPieces, ReplyIntake, ReplyMemory } from "./reply-intake.ts";
import { VendorReply, isRedirect, isSuccess } from "./vendor-reply.ts";
import { contractFault, faultOfStatus, faultOfTransport } from "./vendor-fault.ts";

/** The parts that all exchanges of a client share. */
export interface ExchangeNeeds {
  readonly clock: Clock;
  readonly limits: OutboundLimits;
}

/** How a request and its reply are handled, by the declarations of the source. */
export interface Expectation {
  readonly answers: readonly number[] | undefined;
  readonly redirectsLeft: number;
  /** Whether the reply may violate HTTP/1.1: the source declares `reply.lenient`. */
  readonly lenient: boolean;
  readonly decodedBytesMax: number;
  readonly billing: Billing;
  /** The reservation of the request in its budgets; `null` if none applies. */
  readonly reserved: Reservation | null;
  /** The memory of the request in bytes, which its call has reserved already. */
  readonly requestBytes: number;
  /** The longest wait for a connection. */
  readonly waitMaxMs: number;
}

/** The most bytes of an unneeded reply body that are read so that its connection can be reused. */
const DRAINED_BYTES_MAX = 64 * 1024;
/** The most bytes that may arrive besides the body: headers, interim replies, trailers and chunk framing. */
const FRAMING_BYTES = 256 * 1024;
const FRAMING_SHARE = 1 / 4;
const NO_BYTES = Buffer.alloc(0);
const PROBLEMS: Readonly<Record<Exclude<GzipProblem, "no_room">, string>> = {
  too_large: "it is too large",
  too_many_pieces: "it comes in too many pieces",
  broken: "it is not the gzip that it claims to be",
};

/**
 * One request to one vendor, from waiting for a connection to the last byte. It settles exactly once, at its deadline
 * at the latest, and sends nothing after that.
 */
export class VendorExchange implements ReplyHandler, PooledRequest {
  /** `null` once written: a request of which a byte may have been sent is never sent again. */
  #request: OutgoingRequest | null;
  readonly #method: string;
  #requestBytes: number;
  readonly #call: PlannedCall;
  readonly #pool: OriginPool;
  readonly #needs: ExchangeNeeds;
  readonly #expects: Expectation;
  readonly #resolve: (reply: VendorReply) => void;
  readonly #reject: (fault: Fault) => void;
  readonly #cancelDeadline: () => void;
  #cancelWait: (() => void) | null = null;
  #connection: VendorConnection | null = null;
  #planned: PlannedAttempt | null = null;
  #attempt: Attempt | null = null;
  #isReplayed = false;
  #isSettled = false;
  #status = 0;
  #fields: ReplyFields = {};
  #isGzipped = false;
  readonly #wireBytesMax: number;
  readonly #replyMemory: ReplyMemory;
  readonly #body: ReplyIntake;
  #decoded: ReplyIntake | null = null;
  #stopDecoding: (() => void) | null = null;
  /** Bytes of an unneeded body that have been read. */
  #drainedBytes = 0;
  #drainedPieces = 0;

  constructor(
    request: OutgoingRequest,
    call: PlannedCall,
    pool: OriginPool,
    needs: ExchangeNeeds,
    expects: Expectation,
    resolve: (reply: VendorReply) => void,
    reject: (fault: Fault) => void,
  ) {
    this.#request = request;
    this.#method = request.method;
    this.#requestBytes = expects.requestBytes;
    this.#call = call;
    this.#pool = pool;
    this.#needs = needs;
    this.#expects = expects;
    this.#resolve = resolve;
    this.#reject = reject;
    const bytesMax = expects.decodedBytesMax;
    this.#wireBytesMax = bytesMax * (1 + FRAMING_SHARE) + FRAMING_BYTES;
    this.#replyMemory = new ReplyMemory(call.run.memory);
    this.#body = new ReplyIntake(this.#replyMemory, bytesMax);
    const { clock } = needs;
    this.#cancelDeadline = clock.after(Math.max(0, call.deadlineAt - clock.now()), () => this.#onDeadline());
  }

  get lenient(): boolean {
    return this.#expects.lenient;
  }

  // ---- waiting for a connection -----------------------------------------------------------------------------------

  get owner(): string {
    return this.#call.run.caller.organizationId;
  }

  claim(): boolean {
    this.#cancelWait?.();
    this.#cancelWait = null;
    if (!this.#call.maySend) this.stop();
    else if (!this.#replyMemory.reserveAhead(RESERVED_REPLY_BYTES)) this.#refuse(new Fault("source.no_room"));
    else return true;
    return false;
  }

  stop(): void {
    this.#refuse(new Fault("source.stopped"));
  }

  onQueued(): void {
    this.#cancelWait = this.#needs.clock.after(this.#expects.waitMaxMs, () => {
      this.#pool.withdraw(this);
      this.onQueueFull();
    });
  }

  onQueueFull(): void {
    this.#refuse(new Fault("source.queue_full"));
  }

  sendOn(connection: VendorConnection): void {
    this.#connection = connection;
    connection.send(this.#request!, this);
  }

  // ---- events of its connection -----------------------------------------------------------------------------------

  onReady(): PlannedAttempt {
    const { clock } = this.#needs;
    // In a busy process, an event of a connection can run before the timer of a deadline that has passed.
    if (clock.now() >= this.#call.deadlineAt) throw faultOfDeadline(this.#call);
    const { method, spanId } = this.#request!;
    const { billing, reserved } = this.#expects;
    const request = { origin: this.#pool.origin, method, billing, reserved, spanId };
    this.#planned = this.#call.planAttempt(request, clock);
    return this.#planned;
  }

  onSend(): void {
    this.#attempt = this.#planned!.begin();
    this.#request = null;
  }

  /** A request that may be redirected is kept until its reply. */
  onWritten(): void {
    if (this.#expects.redirectsLeft === 0) this.#releaseRequest();
  }

  /** All bytes count, including framing such as chunk extensions. */
  onRead(wireBytes: number): void {
    if (wireBytes <= this.#wireBytesMax) return;
    if (this.#isSettled) this.#release(false);
    else this.#abort(contractFault(PROBLEMS.too_large));
  }

  onHead(status: number, fields: ReplyFields): void {
    this.#status = status;
    this.#fields = fields;
    const attempt = this.#attempt!;
    attempt.answered(status, this.#isAnswer());
    if (this.#isFollowedRedirect()) {
      // A redirect that is followed is never charged, and the next request needs its share of the budgets.
      this.#expects.reserved?.release();
      this.#deliver(null);
    } else if (!attempt.isAnswer) {
      attempt.end();
      this.#fail(faultOfStatus(status));
    } else {
      const problem = this.#headerProblem();
      if (problem !== null) this.#abort(contractFault(problem));
    }
    // The rest of the reply is not needed, and the connection would keep the unsent rest of the request.
    if (this.#isSettled && this.#connection?.hasMuchUnsent === true) this.#release(false);
  }

  onBody(piece: Buffer): void {
    if (this.#isSettled) {
      this.#drainedBytes += piece.length;
      this.#drainedPieces += 1;
      if (this.#drainedBytes > DRAINED_BYTES_MAX || hasTooManyPieces(this.#drainedPieces, this.#drainedBytes))
        this.#release(false);
      return;
    }
    const problem = this.#body.add(piece);
    if (problem !== null) this.#abort(this.#faultOfIntake(problem));
  }

  onEnd(): void {
    if (!this.#isSettled) {
      this.#attempt!.end();
      // A reply without a body may have a `Content-Encoding` too.
      if (this.#isGzipped && this.#body.length > 0) this.#unzip();
      else this.#deliver(this.#body);
    }
    this.#release(true);
  }

  onError(error: Error): void {
    const connection = this.#connection;
    // The exchange has left the connection already.
    if (connection === null) return;
    if (this.#isReplayable(error)) {
      this.#isReplayed = true;
      this.sendOn(connection);
      return;
    }
    if (!this.#isSettled) this.#failByConnection(this.#faultOf(error));
    this.#release(false);
  }

  // ---- conclusions -------------------------------------------------------------------------------------------------

  #isAnswer(): boolean {
    return isSuccess(this.#status) || this.#expects.answers?.includes(this.#status) === true;
  }

  #isFollowedRedirect(): boolean {
    return this.#expects.redirectsLeft > 0 && isRedirect(this.#status) && !this.#isAnswer();
  }

  /** The problem of a body that its header fields show, or `null`. */
  #headerProblem(): string | null {
    const { "content-encoding": encoding, "content-length": length } = this.#fields;
    if (encoding !== undefined && encoding !== "") {
      const name = typeof encoding === "string" ? encoding.toLowerCase() : "";
      if (name === "gzip" || name === "x-gzip") this.#isGzipped = true;
      else if (name !== "identity") return "it is encoded in a way that was not asked for";
    }
    return length !== undefined && Number(length) > this.#body.bytesMax && this.#method !== "HEAD"
      ? "it is too large"
      : null;
  }

  /**
   * Whether the request may be sent on a new connection: once, if an open connection turned out to be closed and nothing
   * was written. A failure to connect is not retried.
   */
  #isReplayable(error: Error): boolean {
    return (
      this.#attempt === null &&
      !this.#isSettled &&
      !this.#isReplayed &&
      this.#call.maySend &&
      !this.#connection!.isDiscarded &&
      error instanceof LostError
    );
  }

  #faultOf(error: Error): Fault {
    if (error instanceof Fault) return error;
    if (this.#attempt !== null) return faultOfTransport(error);
    if (this.#connection!.isDiscarded) return new Fault("source.stopped");
    if (error instanceof ConnectError)
      return new Fault("source.unreachable", { problem: error.message }, { cause: error.cause });
    if (error instanceof LostError) return new Fault("source.unreachable", {}, { cause: error });
    return new Fault("source.adapter_raised", {}, { cause: error });
  }

  #unzip(): void {
    const decoded = new ReplyIntake(this.#replyMemory, this.#expects.decodedBytesMax);
    this.#decoded = decoded;
    this.#stopDecoding = decodeGzip(this.#body.take(), decoded, (problem) => {
      if (problem === null) this.#deliver(decoded);
      else this.#endWithoutBody(this.#faultOfIntake(problem));
    });
  }

  #faultOfIntake(problem: GzipProblem): Fault {
    return problem === "no_room" ? new Fault("source.no_room_for_answer") : contractFault(PROBLEMS[problem]);
  }

  #onDeadline(): void {
    if (!this.#isSettled) this.#fail(faultOfDeadline(this.#call));
    this.#cancelWait?.();
    this.#pool.withdraw(this);
    this.#release(false);
  }

  /** Ends the exchange and closes its connection, on which more may still arrive. */
  #abort(fault: Fault): void {
    this.#endWithoutBody(fault);
    this.#release(false);
  }

  /**
   * Ends the exchange because of its connection. After invalid HTTP only the body is unusable; otherwise the request
   * fails.
   */
  #failByConnection(fault: Fault): void {
    if (fault.code === "source.contract") this.#endWithoutBody(fault);
    else this.#fail(fault);
  }

  /**
   * Ends the exchange without a usable body; its status is still valid. A success fails, because its body is missing. Any
   * other status that the source handles is delivered without a body.
   */
  #endWithoutBody(fault: Fault): void {
    if (this.#status === 0) return this.#fail(fault);
    if (!isSuccess(this.#status)) return this.#deliver(null);
    this.#attempt!.end();
    this.#fail(fault);
  }

  #refuse(fault: Fault): void {
    this.#cancelWait?.();
    this.#cancelDeadline();
    this.#fail(fault);
  }

  #deliver(reply: ReplyIntake | null): void {
    this.#attempt!.end();
    const bytes = reply?.take() ?? NO_BYTES;
    const reserve = (count: number) => this.#call.reserveBytes(count);
    this.#settle(reply);
    this.#resolve(new VendorReply(this.#status, this.#fields, bytes, this.#needs.limits, this.#attempt, reserve));
  }

  #fail(fault: Fault): void {
    this.#settle(null);
    this.#reject(fault);
  }

  /** Releases all memory except that of the delivered reply, which the call takes over. */
  #settle(delivered: ReplyIntake | null): void {
    this.#isSettled = true;
    // With a connection, `#release` cancels the timer.
    if (this.#connection === null) this.#cancelDeadline();
    this.#stopDecoding?.();
    this.#releaseRequest();
    this.#replyMemory.releaseUnused();
    if (delivered !== null && !this.#call.adoptBytes(delivered.length)) delivered.release();
    if (this.#body !== delivered) this.#body.release();
    if (this.#decoded !== delivered) this.#decoded?.release();
    this.#attempt?.settle(this.#needs.clock.now());
  }

  #releaseRequest(): void {
    this.#request = null;
    this.#call.releaseBytes(this.#requestBytes);
    this.#requestBytes = 0;
  }

  #release(reusable: boolean): void {
    // The deadline still applies while a body is being decoded.
    if (this.#isSettled) this.#cancelDeadline();
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) this.#pool.release(connection, reusable);
  }
}
