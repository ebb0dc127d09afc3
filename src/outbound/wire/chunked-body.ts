import { BadReplyError, notHttp, readFields, readLenientFields } from "./reply-head.ts";

const In = { Size: 0, Extensions: 1, SizeEnd: 2, Data: 3, DataEnd: 4, DataLineEnd: 5, Trailers: 6, Over: 7 } as const;

const [TAB, LF, CR, SPACE, SEMICOLON] = [0x09, 0x0a, 0x0d, 0x20, 0x3b];
/** Enough for 256 TiB. Without a limit, zeros could precede a size endlessly. */
export const SIZE_DIGITS_MAX = 12;
export const EXTENSIONS_BYTES_MAX = 1_024;
/** Names, with values that are tokens, quoted or empty. */
const EXTENSIONS =
  /^(?:;[!#$%&'*+\-.^_`|~\w]+(?:=(?:[!#$%&'*+\-.^_`|~\w]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t !-~\x80-\xff])*")?)?)+$/;
/** Fields that decide where a message ends are not allowed after it. */
const NOT_IN_TRAILERS = ["content-length", "transfer-encoding", "connection"];
const STRICT_END = "\r\n\r\n";
const END_OF_TRAILERS = /\r\n\r\n/g;
/** An empty line, if a line may end without CR. */
const LENIENT_END_OF_TRAILERS = /\r?\n\r?\n/g;

/**
 * Reads a chunked body (RFC 9112, 7.1), byte by byte between the data. Extensions and trailers are checked and ignored.
 */
export class ChunkedBody {
  readonly #trailerBytesMax: number;
  readonly #lenient: boolean;
  #in: (typeof In)[keyof typeof In] = In.Size;
  #digits = 0;
  /** Whether blanks have followed the digits. */
  #isSizeOver = false;
  /** How many bytes of the current chunk are still to come. */
  #bytesLeft = 0;
  /** Extensions or trailers, as far as they have arrived. */
  #text = "";
  #wasLenient = false;

  /**
   * @param lenient line ends may be LF alone, or incomplete between chunks; blanks may follow a size; trailers may have
   *   any field
   */
  constructor(trailerBytesMax: number, lenient: boolean) {
    this.#trailerBytesMax = trailerBytesMax;
    this.#lenient = lenient;
  }

  /** Whether something was accepted only because `lenient` is set. */
  get wasLenient(): boolean {
    return this.#wasLenient;
  }

  get isOver(): boolean {
    return this.#in === In.Over;
  }

  /** Reads up to the end of a piece of data or of the bytes. Returns where it stopped. @throws BadReplyError */
  read(bytes: Buffer, from: number, take: (piece: Buffer) => void): number {
    let at = from;
    while (at < bytes.length) {
      switch (this.#in) {
        case In.Size:
          at += this.#readSize(bytes[at]!);
          break;
        case In.Extensions:
          at = this.#readExtensions(bytes, at);
          break;
        case In.SizeEnd:
          at += this.#skip(bytes[at], LF);
          // The first trailer, or the empty line if there is none, starts a new line.
          this.#text = this.#bytesLeft === 0 ? "\r\n" : "";
          this.#in = this.#bytesLeft === 0 ? In.Trailers : In.Data;
          break;
        case In.Data: {
          const end = Math.min(bytes.length, at + this.#bytesLeft);
          this.#bytesLeft -= end - at;
          if (this.#bytesLeft === 0) this.#in = In.DataEnd;
          take(bytes.subarray(at, end));
          return end;
        }
        case In.DataEnd:
          at += this.#skip(bytes[at], CR);
          this.#in = In.DataLineEnd;
          break;
        case In.DataLineEnd:
          at += this.#skip(bytes[at], LF);
          this.#digits = 0;
          this.#isSizeOver = false;
          this.#in = In.Size;
          break;
        case In.Trailers:
          at = this.#readTrailers(bytes, at);
          break;
        case In.Over:
          return at;
      }
    }
    return at;
  }

  /** Returns the number of bytes consumed. */
  #skip(byte: number | undefined, expected: number): 0 | 1 {
    if (byte === expected) return 1;
    this.#requireLenient("a chunk does not end where it should");
    return 0;
  }

  #requireLenient(problem: string): void {
    if (!this.#lenient) throw notHttp(problem);
    this.#wasLenient = true;
  }

  #readSize(byte: number): 0 | 1 {
    const digit = hexadecimal(byte);
    if (digit !== -1 && !this.#isSizeOver) {
      this.#digits += 1;
      if (this.#digits > SIZE_DIGITS_MAX) throw notHttp("the size of a chunk has too many digits");
      this.#bytesLeft = this.#bytesLeft * 16 + digit;
    } else if (this.#digits === 0) {
      throw notHttp("a chunk has no size");
    } else if (byte === CR) {
      this.#in = In.SizeEnd;
    } else if (byte === SEMICOLON) {
      this.#text = ";";
      this.#in = In.Extensions;
    } else {
      if (byte !== LF && byte !== SPACE && byte !== TAB) throw notHttp("the size of a chunk cannot be read");
      this.#requireLenient("the size of a chunk cannot be read");
      this.#isSizeOver = true;
      if (byte !== LF) return 1;
      this.#in = In.SizeEnd;
      return 0;
    }
    return 1;
  }

  #readExtensions(bytes: Buffer, from: number): number {
    let end = from;
    while (end < bytes.length && bytes[end] !== CR && bytes[end] !== LF) end += 1;
    if (this.#text.length + end - from > EXTENSIONS_BYTES_MAX) throw notHttp("the extensions of a chunk are too long");
    this.#text += bytes.toString("latin1", from, end);
    if (end === bytes.length) return end;
    if (!EXTENSIONS.test(this.#text)) throw notHttp("the extensions of a chunk cannot be read");
    this.#in = In.SizeEnd;
    return end + this.#skip(bytes[end], CR);
  }

  #readTrailers(bytes: Buffer, from: number): number {
    const before = this.#text.length;
    const capacity = this.#trailerBytesMax + STRICT_END.length - before;
    this.#text += bytes.toString("latin1", from, Math.min(bytes.length, from + capacity));
    const emptyLine = this.#lenient ? LENIENT_END_OF_TRAILERS : END_OF_TRAILERS;
    emptyLine.lastIndex = Math.max(0, before - STRICT_END.length);
    const end = emptyLine.exec(this.#text);
    if (end === null) {
      if (this.#text.length >= this.#trailerBytesMax)
        throw new BadReplyError("fields_too_large", "its trailers are too large");
      return bytes.length;
    }
    const after = emptyLine.lastIndex;
    if (end[0] !== STRICT_END) this.#wasLenient = true;
    this.#checkTrailers(this.#text.slice(0, end.index + end[0].indexOf("\n") + 1));
    this.#in = In.Over;
    return from + after - before;
  }

  /** @param text begins with the end of the line before */
  #checkTrailers(text: string): void {
    try {
      const trailers = readFields(text, 2);
      if (NOT_IN_TRAILERS.some((name) => trailers[name] !== undefined))
        throw notHttp("its trailers say how to read it");
    } catch (problem) {
      if (!this.#lenient) throw problem;
      this.#wasLenient = true;
      readLenientFields(text.slice(2));
    }
  }
}

/** Returns -1 if it is not a digit. */
function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
