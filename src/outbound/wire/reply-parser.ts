import {
  BadReplyError,
  readLenientHead,
  readReplyHead,
  type ReplyFields,
  type ReplyHead,
  frameReply,
  type KeepAlive,
  type ReplyFraming,
} from "./reply-head.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { HeadIntake, type CompleteHead } from "./head-intake.ts";

/** Receives the parts of a reply. */
export interface ReplyReader {
  onHead(status: number, fields: ReplyFields): void;
  /** `piece` is only valid during the call: its memory is then reused. */
  onBody(piece: Buffer): void;
}

/** The most interim replies (such as 103) that are ignored. With more of them, a reply is refused. */
export const INTERIM_MAX = 8;

/**
 * Reads the replies of one connection, one after the other, from bytes in pieces of any size. It refuses a reply that can
 * be read in two ways. It uses neither a socket nor a clock: the same bytes always give the same result.
 */
export class ReplyParser {
  readonly #headBytesMax: number;
  readonly #head: HeadIntake;
  readonly #take = (piece: Buffer): void => this.#reader?.onBody(piece);
  #in: "head" | "length" | "chunked" | "close" | "over" = "over";
  #method = "";
  #reader: ReplyReader | null = null;
  #interim = 0;
  #bytesLeft = 0;
  #chunks: ChunkedBody | null = null;
  #keepAlive: KeepAlive | null = null;
  #lenient = false;
  /** Whether a part of this reply was accepted only because it is read leniently. */
  #wasLenient = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
    this.#head = new HeadIntake(headBytesMax);
  }

  /**
   * Starts reading the reply to a request with this method.
   * @param lenient accepts what Node's client accepts with `insecureHTTPParser`, if the strict reading fails
   */
  begin(method: string, reader: ReplyReader, lenient = false): void {
    this.#lenient = lenient;
    this.#wasLenient = false;
    this.#method = method;
    this.#reader = reader;
    this.#interim = 0;
    this.#keepAlive = null;
    this.#in = "head";
  }

  /** Whether the reply has ended, or `stop` was called. */
  get isOver(): boolean {
    return this.#in === "over";
  }

  /** After the end of a reply: how long its connection stays open for another request; `null` if it does not. */
  get keepAlive(): KeepAlive | null {
    return this.#wasLenient ? null : this.#keepAlive;
  }

  /** Reads on. Returns how many of the bytes belong to the reply: all, unless it ends earlier. @throws BadReplyError */
  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#in !== "over") {
      if (this.#in === "head") at = this.#readHead(bytes, at);
      else if (this.#in === "chunked") at = this.#readChunks(bytes, at);
      else at = this.#readPlain(bytes, at);
    }
    return at;
  }

  /**
   * Called when the connection has ended in an orderly way. Returns true if this ends the reply, which has no other end.
   */
  end(): boolean {
    if (this.#in !== "close") return false;
    this.stop();
    return true;
  }

  /** Stops reporting to the reader. */
  stop(): void {
    this.#in = "over";
    this.#reader = null;
    this.#chunks = null;
    this.#head.clear();
  }

  #readHead(bytes: Buffer, from: number): number {
    const taken = this.#head.read(bytes, from, this.#lenient);
    if (taken === null) return bytes.length;
    const { head, framing } = this.#interpret(taken);
    if (framing !== null) {
      const { body, length, keepAlive } = framing;
      this.#keepAlive = keepAlive;
      this.#bytesLeft = length;
      this.#chunks = body === "chunked" ? new ChunkedBody(this.#headBytesMax, this.#lenient) : null;
      this.#in = body === "none" ? "over" : body;
      this.#reader!.onHead(head.status, head.fields);
    } else {
      this.#interim += 1;
      if (this.#interim > INTERIM_MAX) throw new BadReplyError("interim_flood", "it has too many interim answers");
    }
    return taken.end;
  }

  #interpret({ text, endsStrictly }: CompleteHead): InterpretedHead {
    if (!this.#lenient) return interpret(readReplyHead(text), this.#method, false);
    try {
      if (endsStrictly) return interpret(readReplyHead(text), this.#method, false);
    } catch {
      // Only the lenient reading may accept it.
    }
    this.#wasLenient = true;
    return interpret(readLenientHead(text), this.#method, true);
  }

  #readPlain(bytes: Buffer, from: number): number {
    let end = bytes.length;
    if (this.#in === "length") {
      end = Math.min(end, from + this.#bytesLeft);
      this.#bytesLeft -= end - from;
      if (this.#bytesLeft === 0) this.#in = "over";
    }
    this.#take(bytes.subarray(from, end));
    return end;
  }

  #readChunks(bytes: Buffer, from: number): number {
    const chunks = this.#chunks!;
    const end = chunks.read(bytes, from, this.#take);
    this.#wasLenient ||= chunks.wasLenient;
    if (chunks.isOver) this.#in = "over";
    return end;
  }
}

interface InterpretedHead {
  readonly head: ReplyHead;
  /** `null`: an interim answer. */
  readonly framing: ReplyFraming | null;
}

function interpret(head: ReplyHead, method: string, lenient: boolean): InterpretedHead {
  if (head.status >= 200) return { head, framing: frameReply(head, method, lenient) };
  if (head.status === 101) throw new BadReplyError("upgrade", "it switches to another protocol");
  const { minorVersion, fields } = head;
  if (minorVersion === 0 && !lenient) throw new BadReplyError("not_http", "its version knows no interim answers");
  // An empty body ends at the same byte for readers that expect a body and for those that do not. The lenient reading
  // expects none.
  const { "content-length": length = "0", "transfer-encoding": coding } = fields;
  if (lenient) frameReply(head, method, true);
  else if (length !== "0" || coding !== undefined)
    throw new BadReplyError("not_http", "an interim answer says that it has a body");
  return { head, framing: null };
}
