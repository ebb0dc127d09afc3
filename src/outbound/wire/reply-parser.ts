import { BadReplyError } from "./bad-reply.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { HeadIntake } from "./head-intake.ts";
import { frameReply, type KeepAlive } from "./reply-framing.ts";
import { readReplyHead, type ReplyFields } from "./reply-head.ts";

/** Receives the parts of a reply. */
export interface ReplyReader {
  onHead(status: number, fields: ReplyFields): void;
  /** `piece` is only valid during the call: its memory is then reused. */
  onBody(piece: Buffer): void;
}

/** Interim replies (103 and the like) that are ignored; a vendor that sends more is broken. */
export const INTERIM_MAX = 8;

/**
 * Reads the replies of one connection, one after the other, from bytes in pieces of any size. It refuses what could be
 * read in two ways. It uses neither a socket nor a clock: the same bytes always give the same result.
 */
export class ReplyParser {
  readonly #headBytesMax: number;
  readonly #head: HeadIntake;
  readonly #take = (piece: Buffer): void => this.#reader?.onBody(piece);
  #in: "head" | "length" | "chunked" | "close" | "over" = "over";
  #method = "";
  #reader: ReplyReader | null = null;
  #interim = 0;
  #left = 0;
  #chunks: ChunkedBody | null = null;
  #keepAlive: KeepAlive | null = null;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
    this.#head = new HeadIntake(headBytesMax);
  }

  /** From now on, it reads the reply to a request with this method. */
  begin(method: string, reader: ReplyReader): void {
    this.#method = method;
    this.#reader = reader;
    this.#interim = 0;
    this.#keepAlive = null;
    this.#in = "head";
  }

  /** The reply has ended, or nobody reads it any more. */
  get isOver(): boolean {
    return this.#in === "over";
  }

  /** After the end of a reply: how long its connection stays open for another request; `null` if it does not. */
  get keepAlive(): KeepAlive | null {
    return this.#keepAlive;
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

  /** The connection has ended in an orderly way. Returns true if this also ends the reply, which has no other end. */
  end(): boolean {
    if (this.#in !== "close") return false;
    this.stop();
    return true;
  }

  /** Reports nothing more. */
  stop(): void {
    this.#in = "over";
    this.#reader = null;
    this.#chunks = null;
    this.#head.clear();
  }

  #readHead(bytes: Buffer, from: number): number {
    const taken = this.#head.read(bytes, from);
    if (taken === null) return bytes.length;
    const head = readReplyHead(taken.text);
    if (head.status >= 200) {
      const { body, length, keepAlive } = frameReply(head, this.#method);
      this.#keepAlive = keepAlive;
      this.#left = length;
      this.#chunks = body === "chunked" ? new ChunkedBody(this.#headBytesMax) : null;
      this.#in = body === "none" ? "over" : body;
      this.#reader!.onHead(head.status, head.fields);
    } else if (head.status === 101) {
      throw new BadReplyError("upgrade", "it switches to another protocol");
    } else {
      const { minorVersion, fields } = head;
      if (minorVersion === 0) throw new BadReplyError("not_http", "its version knows no interim answers");
      if (fields["content-length"] !== undefined || fields["transfer-encoding"] !== undefined)
        throw new BadReplyError("not_http", "an interim answer says that it has a body");
      this.#interim += 1;
      if (this.#interim > INTERIM_MAX) throw new BadReplyError("interim_flood", "it has too many interim answers");
    }
    return taken.end;
  }

  #readPlain(bytes: Buffer, from: number): number {
    let end = bytes.length;
    if (this.#in === "length") {
      end = Math.min(end, from + this.#left);
      this.#left -= end - from;
      if (this.#left === 0) this.#in = "over";
    }
    this.#take(bytes.subarray(from, end));
    return end;
  }

  #readChunks(bytes: Buffer, from: number): number {
    const chunks = this.#chunks!;
    const end = chunks.read(bytes, from, this.#take);
    if (chunks.isOver) this.#in = "over";
    return end;
  }
}
