import type { Reservation } from "../../run/around/ports.ts";
import type { Attempt, Billing, PlannedAttempt, PlannedCall } from "../../run/ports.ts";
import { RESERVED_REPLY_BYTES } from "../../terms/byte-budget.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault, faultOfDeadline } from "../../terms/fault.ts";
import { type Connection, LostError, type ReplyHandler } from "../sockets/connection.ts";
import { decodeGzip, type GzipProblem } from "./decode-gzip.ts";
import type { OutboundLimits } from "../limits.ts";
import { ConnectError } from "../sockets/open-socket.ts";
import type { Exchangeable, OriginPool } from "../sockets/origin-pool.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { isCutTooSmall, ReplyIntake, RoomAhead } from "./reply-intake.ts";
import { VendorReply } from "./reply.ts";
import { isRedirect, isSuccess } from "./reply-status.ts";
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
export class Exchange implements ReplyHandler, Exchangeable {
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
  #connection: Connection | null = null;
  #planned: PlannedAttempt | null = null;
  #attempt: Attempt | null = null;
  #replayed = false;
  #settled = false;
  #status = 0;
  #fields: ReplyFields = {};
  #zipped = false;
  readonly #wireBytesMax: number;
  readonly #room: RoomAhead;
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
    this.#room = new RoomAhead(call.run.held);
    this.#body = new ReplyIntake(this.#room, bytesMax);
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
    else if (!this.#room.reserve(RESERVED_REPLY_BYTES)) this.#refuse(new Fault("source.no_room"));
    else return true;
    return false;
  }

  stop(): void {
    this.#refuse(new Fault("source.stopped"));
  }

  wait(): void {
    this.#cancelWait = this.#needs.clock.after(this.#expects.waitMaxMs, () => {
      this.#pool.withdraw(this);
      this.turnAway();
    });
  }

  turnAway(): void {
    this.#refuse(new Fault("source.queue_full"));
  }

  sendBy(connection: Connection): void {
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
    if (this.#expects.redirectsLeft === 0) this.#dropRequest();
  }

  /** All bytes count, including framing such as chunk extensions. */
  onRead(wireBytes: number): void {
    if (wireBytes <= this.#wireBytesMax) return;
    if (this.#settled) this.#release(false);
    else this.#abort(contractFault(PROBLEMS.too_large));
  }

  onHead(status: number, fields: ReplyFields): void {
    this.#status = status;
    this.#fields = fields;
    const attempt = this.#attempt!;
    attempt.answered(status, this.#isAnswer());
    if (this.#isToFollow()) {
      // A redirect that is followed is never charged, and the next request needs its share of the budgets.
      this.#expects.reserved?.release();
      this.#deliver(null);
    } else if (!attempt.isAnswer) {
      attempt.end();
      this.#fail(faultOfStatus(status));
    } else {
      const problem = this.#problemAhead();
      if (problem !== null) this.#abort(contractFault(problem));
    }
    // The rest of the reply is not needed, and the connection would keep the unsent rest of the request.
    if (this.#settled && this.#connection?.isSendingMuch === true) this.#release(false);
  }

  onBody(piece: Buffer): void {
    if (this.#settled) {
      this.#drainedBytes += piece.length;
      this.#drainedPieces += 1;
      if (this.#drainedBytes > DRAINED_BYTES_MAX || isCutTooSmall(this.#drainedPieces, this.#drainedBytes))
        this.#release(false);
      return;
    }
    const problem = this.#body.add(piece);
    if (problem !== null) this.#abort(this.#faultOfIntake(problem));
  }

  onEnd(): void {
    if (!this.#settled) {
      this.#attempt!.end();
      // A reply without a body may have a `Content-Encoding` too.
      if (this.#zipped && this.#body.length > 0) this.#unzip();
      else this.#deliver(this.#body);
    }
    this.#release(true);
  }

  onError(error: Error): void {
    const connection = this.#connection;
    // The exchange has left the connection already.
    if (connection === null) return;
    if (this.#isReplayable(error)) {
      this.#replayed = true;
      this.sendBy(connection);
      return;
    }
    if (!this.#settled) this.#failBy(this.#faultOf(error));
    this.#release(false);
  }

  // ---- conclusions -------------------------------------------------------------------------------------------------

  #isAnswer(): boolean {
    return isSuccess(this.#status) || this.#expects.answers?.includes(this.#status) === true;
  }

  #isToFollow(): boolean {
    return this.#expects.redirectsLeft > 0 && isRedirect(this.#status) && !this.#isAnswer();
  }

  /** The problem of a body that its header fields show, or `null`. */
  #problemAhead(): string | null {
    const { "content-encoding": encoding, "content-length": length } = this.#fields;
    if (encoding !== undefined && encoding !== "") {
      const name = typeof encoding === "string" ? encoding.toLowerCase() : "";
      if (name === "gzip" || name === "x-gzip") this.#zipped = true;
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
      !this.#settled &&
      !this.#replayed &&
      this.#call.maySend &&
      !this.#connection!.discarded &&
      error instanceof LostError
    );
  }

  #faultOf(error: Error): Fault {
    if (error instanceof Fault) return error;
    if (this.#attempt !== null) return faultOfTransport(error);
    if (this.#connection!.discarded) return new Fault("source.stopped");
    if (error instanceof ConnectError)
      return new Fault("source.unreachable", { problem: error.message }, { cause: error.cause });
    if (error instanceof LostError) return new Fault("source.unreachable", {}, { cause: error });
    return new Fault("source.adapter_raised", {}, { cause: error });
  }

  #unzip(): void {
    const decoded = new ReplyIntake(this.#room, this.#expects.decodedBytesMax);
    this.#decoded = decoded;
    this.#stopDecoding = decodeGzip(this.#body.take(), decoded, (problem) => {
      if (problem === null) this.#deliver(decoded);
      else this.#giveUp(this.#faultOfIntake(problem));
    });
  }

  #faultOfIntake(problem: GzipProblem): Fault {
    return problem === "no_room" ? new Fault("source.no_room_for_answer") : contractFault(PROBLEMS[problem]);
  }

  #onDeadline(): void {
    if (!this.#settled) this.#fail(faultOfDeadline(this.#call));
    this.#cancelWait?.();
    this.#pool.withdraw(this);
    this.#release(false);
  }

  /** Ends the exchange and closes its connection, on which more may still arrive. */
  #abort(fault: Fault): void {
    this.#giveUp(fault);
    this.#release(false);
  }

  /**
   * Ends the exchange because of its connection. After invalid HTTP only the body is unusable; otherwise the request
   * fails.
   */
  #failBy(fault: Fault): void {
    if (fault.code === "source.contract") this.#giveUp(fault);
    else this.#fail(fault);
  }

  /**
   * Ends the exchange without a usable body; its status is still valid. A success fails, because its body is missing. Any
   * other status that the source handles is delivered without a body.
   */
  #giveUp(fault: Fault): void {
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
    const hold = (heldBytes: number) => this.#call.hold(heldBytes);
    this.#settle(reply);
    this.#resolve(new VendorReply(this.#status, this.#fields, bytes, this.#needs.limits, this.#attempt, hold));
  }

  #fail(fault: Fault): void {
    this.#settle(null);
    this.#reject(fault);
  }

  /** Releases all memory except that of the delivered reply, which the call takes over. */
  #settle(delivered: ReplyIntake | null): void {
    this.#settled = true;
    // With a connection, `#release` cancels the timer.
    if (this.#connection === null) this.#cancelDeadline();
    this.#stopDecoding?.();
    this.#dropRequest();
    this.#room.giveBack();
    if (delivered !== null && !this.#call.takeHeld(delivered.length)) delivered.drop();
    if (this.#body !== delivered) this.#body.drop();
    if (this.#decoded !== delivered) this.#decoded?.drop();
    this.#attempt?.settle(this.#needs.clock.now());
  }

  #dropRequest(): void {
    this.#request = null;
    this.#call.drop(this.#requestBytes);
    this.#requestBytes = 0;
  }

  #release(reusable: boolean): void {
    // The deadline still applies while a body is being decoded.
    if (this.#settled) this.#cancelDeadline();
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) this.#pool.leave(connection, reusable);
  }
}
