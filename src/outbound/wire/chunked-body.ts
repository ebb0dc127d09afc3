import { BadReplyError } from "./bad-reply.ts";
import { readFields } from "./reply-head.ts";

const In = { Size: 0, Extensions: 1, SizeEnd: 2, Data: 3, DataEnd: 4, DataLineEnd: 5, Trailers: 6, Over: 7 } as const;

const [LF, CR, SEMICOLON] = [0x0a, 0x0d, 0x3b];
/** Enough for 256 TiB. Without a limit, zeros could precede a size endlessly. */
export const SIZE_DIGITS_MAX = 12;
export const EXTENSIONS_BYTES_MAX = 1_024;
/** Names, with values that are tokens or quoted. */
const EXTENSIONS =
  /^(?:;[!#$%&'*+\-.^_`|~\w]+(?:=(?:[!#$%&'*+\-.^_`|~\w]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t !-~\x80-\xff])*"))?)+$/;
/** Fields that decide where a message ends are not allowed after it. */
const NOT_IN_TRAILERS = ["content-length", "transfer-encoding", "connection"];
const END_OF_TRAILERS = "\r\n\r\n";

/**
 * A chunked body (RFC 9112, 7.1), read byte by byte between the data. Extensions and trailers are checked and ignored.
 */
export class ChunkedBody {
  readonly #trailerBytesMax: number;
  #in: (typeof In)[keyof typeof In] = In.Size;
  #digits = 0;
  /** How many bytes of the current chunk are still to come. */
  #left = 0;
  /** Extensions or trailers, as far as they have arrived. */
  #text = "";

  constructor(trailerBytesMax: number) {
    this.#trailerBytesMax = trailerBytesMax;
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
          this.#readSize(bytes[at]!);
          at += 1;
          break;
        case In.Extensions:
          at = this.#readExtensions(bytes, at);
          break;
        case In.SizeEnd:
          expect(bytes[at], LF);
          at += 1;
          // The first trailer, or the empty line if there is none, starts a new line.
          this.#text = this.#left === 0 ? "\r\n" : "";
          this.#in = this.#left === 0 ? In.Trailers : In.Data;
          break;
        case In.Data: {
          const end = Math.min(bytes.length, at + this.#left);
          this.#left -= end - at;
          if (this.#left === 0) this.#in = In.DataEnd;
          take(bytes.subarray(at, end));
          return end;
        }
        case In.DataEnd:
          expect(bytes[at], CR);
          at += 1;
          this.#in = In.DataLineEnd;
          break;
        case In.DataLineEnd:
          expect(bytes[at], LF);
          at += 1;
          this.#digits = 0;
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

  #readSize(byte: number): void {
    const digit = hexadecimal(byte);
    if (digit !== -1) {
      this.#digits += 1;
      if (this.#digits > SIZE_DIGITS_MAX) throw bad("the size of a chunk has too many digits");
      this.#left = this.#left * 16 + digit;
    } else if (this.#digits === 0) {
      throw bad("a chunk has no size");
    } else if (byte === CR) {
      this.#in = In.SizeEnd;
    } else if (byte === SEMICOLON) {
      this.#text = ";";
      this.#in = In.Extensions;
    } else {
      throw bad("the size of a chunk cannot be read");
    }
  }

  #readExtensions(bytes: Buffer, from: number): number {
    const cr = bytes.indexOf(CR, from);
    const end = cr === -1 ? bytes.length : cr;
    if (this.#text.length + end - from > EXTENSIONS_BYTES_MAX) throw bad("the extensions of a chunk are too long");
    this.#text += bytes.toString("latin1", from, end);
    if (cr === -1) return end;
    if (!EXTENSIONS.test(this.#text)) throw bad("the extensions of a chunk cannot be read");
    this.#in = In.SizeEnd;
    return end + 1;
  }

  #readTrailers(bytes: Buffer, from: number): number {
    const before = this.#text.length;
    const room = this.#trailerBytesMax + END_OF_TRAILERS.length - before;
    this.#text += bytes.toString("latin1", from, Math.min(bytes.length, from + room));
    const end = this.#text.indexOf(END_OF_TRAILERS, Math.max(0, before - END_OF_TRAILERS.length));
    if (end === -1) {
      if (this.#text.length >= this.#trailerBytesMax)
        throw new BadReplyError("fields_too_large", "its trailers are too large");
      return bytes.length;
    }
    const trailers = readFields(this.#text.slice(0, end + 2), 2);
    if (NOT_IN_TRAILERS.some((name) => trailers[name] !== undefined)) throw bad("its trailers say how to read it");
    this.#in = In.Over;
    return from + end + END_OF_TRAILERS.length - before;
  }
}

function expect(byte: number | undefined, wanted: number): void {
  if (byte !== wanted) throw bad("a chunk does not end where it should");
}

/** Returns -1 if it is not a digit. */
function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function bad(message: string): BadReplyError {
  return new BadReplyError("not_http", message);
}
