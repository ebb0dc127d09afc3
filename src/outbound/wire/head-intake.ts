import { BadReplyError } from "./bad-reply.ts";

const [LF, CR] = [0x0a, 0x0d];
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const FIRST_BYTES = 1_024;
const BEGINNINGS = [Buffer.from("HTTP/1.1 "), Buffer.from("HTTP/1.0 ")] as const;

/** A head without its empty line, and the position of its end in the bytes that completed it. */
export interface WholeHead {
  /** One character per byte. */
  readonly text: string;
  readonly end: number;
}

/**
 * Collects the bytes of a reply's head up to the empty line. Usually they all arrive at once, and nothing is kept.
 * Pieces are joined, and bytes that cannot become a head are refused at the first wrong byte.
 */
export class HeadIntake {
  readonly #bytesMax: number;
  #kept: Buffer | null = null;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Returns `null` if the head is not complete; it has then consumed all of the bytes. @throws BadReplyError */
  read(bytes: Buffer, from: number): WholeHead | null {
    if (this.#length === 0) {
      const end = bytes.indexOf(END_OF_HEAD, from);
      if (end !== -1) {
        if (end - from > this.#bytesMax) throw tooLarge();
        return { text: bytes.toString("latin1", from, end + 2), end: end + END_OF_HEAD.length };
      }
    }
    return this.#keep(bytes, from);
  }

  #keep(bytes: Buffer, from: number): WholeHead | null {
    const before = this.#length;
    const size = Math.min(bytes.length - from, this.#bytesMax + END_OF_HEAD.length - before);
    const kept = this.#roomFor(before + size);
    bytes.copy(kept, before, from, from + size);
    this.#length = before + size;
    const end = kept.subarray(0, this.#length).indexOf(END_OF_HEAD, Math.max(0, before - END_OF_HEAD.length));
    refuseWrong(kept, before, end === -1 ? this.#length : end);
    if (end === -1) {
      if (this.#length >= this.#bytesMax + END_OF_HEAD.length) throw tooLarge();
      return null;
    }
    this.clear();
    return { text: kept.toString("latin1", 0, end + 2), end: from + end + END_OF_HEAD.length - before };
  }

  #roomFor(length: number): Buffer {
    if (this.#kept === null || this.#kept.length < length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * length));
      this.#kept?.copy(grown, 0, 0, this.#length);
      this.#kept = grown;
    }
    return this.#kept;
  }

  /** Discards what has arrived so far. */
  clear(): void {
    this.#kept = null;
    this.#length = 0;
  }
}

/** Checks the latest bytes at once, instead of waiting until the deadline for an end that can never come. */
function refuseWrong(kept: Buffer, from: number, to: number): void {
  for (let at = from; at < to; at += 1) {
    const byte = kept[at]!;
    const isWrong =
      byte === 0 ||
      (byte === LF) !== (at > 0 && kept[at - 1] === CR) ||
      (at < BEGINNINGS[0].length && byte !== BEGINNINGS[0][at] && byte !== BEGINNINGS[1][at]);
    if (isWrong) throw new BadReplyError("not_http", "it does not begin as a reply does");
  }
}

function tooLarge(): BadReplyError {
  return new BadReplyError("fields_too_large", "its header is too large");
}
