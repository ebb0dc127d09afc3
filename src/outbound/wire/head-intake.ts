import { BadReplyError } from "./reply-head.ts";

const [LF, CR] = [0x0a, 0x0d];
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** An empty line, if a line may end without CR. */
const LENIENT_END = /\r?\n\r?\n/;
const FIRST_BYTES = 1_024;
/** The length of `HTTP/`, after which the lenient reading accepts any version. */
const LENIENT_BEGINNING = 5;
const BEGINNINGS = [Buffer.from("HTTP/1.1 "), Buffer.from("HTTP/1.0 ")] as const;

/** A head without its empty line, and the position of its end in the bytes that completed it. */
export interface CompleteHead {
  /** One character per byte. It ends with the end of its last line. */
  readonly text: string;
  readonly end: number;
  /** Whether its empty line, and the line before, end with CR LF. */
  readonly endsStrictly: boolean;
}

/**
 * Collects the bytes of a reply's head up to the empty line. Usually they all arrive at once, and nothing is kept.
 * Otherwise pieces are joined, and bytes that cannot become a head are refused at the first wrong byte. Empty lines before
 * a head are skipped (RFC 9112, 2.2), because some vendors send one too many after the previous body.
 */
export class HeadIntake {
  readonly #bytesMax: number;
  #buffer: Buffer | null = null;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Returns `null` if the head is not complete; all bytes have then been consumed.
   * @param lenient lines may end with LF alone, and any version and character may occur
   * @throws BadReplyError
   */
  read(bytes: Buffer, start: number, lenient: boolean): CompleteHead | null {
    let from = start;
    if (this.#length === 0) {
      while (bytes[from] === CR || bytes[from] === LF) from += 1;
      if (from === bytes.length) return null;
      if (lenient) return this.#collect(bytes, from, true);
      const end = bytes.indexOf(END_OF_HEAD, from);
      if (end !== -1) {
        if (end - from > this.#bytesMax) throw tooLarge();
        return { text: bytes.toString("latin1", from, end + 2), end: end + END_OF_HEAD.length, endsStrictly: true };
      }
    }
    return this.#collect(bytes, from, lenient);
  }

  #collect(bytes: Buffer, from: number, lenient: boolean): CompleteHead | null {
    const before = this.#length;
    const size = Math.min(bytes.length - from, this.#bytesMax + END_OF_HEAD.length - before);
    const buffered = this.#bufferFor(before + size);
    bytes.copy(buffered, before, from, from + size);
    this.#length = before + size;
    const searchedFrom = Math.max(0, before - END_OF_HEAD.length);
    const arrived = buffered.subarray(0, this.#length);
    const [textEnd, end] = lenient ? lenientEnd(arrived, searchedFrom) : strictEnd(arrived, searchedFrom);
    refuseWrong(buffered, before, end === -1 ? this.#length : textEnd, lenient);
    if (end === -1) {
      if (this.#length >= this.#bytesMax + END_OF_HEAD.length) throw tooLarge();
      return null;
    }
    this.clear();
    const endsStrictly = buffered.subarray(0, end).subarray(-END_OF_HEAD.length).equals(END_OF_HEAD);
    return { text: buffered.toString("latin1", 0, textEnd), end: from + end - before, endsStrictly };
  }

  #bufferFor(length: number): Buffer {
    if (this.#buffer === null || this.#buffer.length < length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * length));
      this.#buffer?.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    return this.#buffer;
  }

  /** Discards what has arrived so far. */
  clear(): void {
    this.#buffer = null;
    this.#length = 0;
  }
}

/** Returns where the last line ends, and where the empty line ends; -1 if there is none. */
function strictEnd(arrived: Buffer, from: number): readonly [number, number] {
  const at = arrived.indexOf(END_OF_HEAD, from);
  return at === -1 ? [-1, -1] : [at + 2, at + END_OF_HEAD.length];
}

function lenientEnd(arrived: Buffer, from: number): readonly [number, number] {
  const found = LENIENT_END.exec(arrived.toString("latin1", from));
  if (found === null) return [-1, -1];
  const at = from + found.index;
  return [at + found[0].indexOf("\n") + 1, at + found[0].length];
}

/**
 * Checks new bytes at once. Otherwise a request would wait until its deadline for the end of a head that can never come.
 */
function refuseWrong(head: Buffer, from: number, to: number, lenient: boolean): void {
  const prefix = lenient ? LENIENT_BEGINNING : BEGINNINGS[0].length;
  for (let at = from; at < (lenient ? Math.min(to, prefix) : to); at += 1) {
    const byte = head[at]!;
    const isWrong =
      (!lenient && (byte === 0 || (byte === LF) !== (at > 0 && head[at - 1] === CR))) ||
      (at < prefix && byte !== BEGINNINGS[0][at] && byte !== BEGINNINGS[1][at]);
    if (isWrong) throw new BadReplyError("not_http", "it does not begin as a reply does");
  }
}

function tooLarge(): BadReplyError {
  return new BadReplyError("fields_too_large", "its header is too large");
}
