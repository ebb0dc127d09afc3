export type JsonProblem =
  | "encoding"
  | "too_deep"
  | "too_many_keys"
  | "too_many_values"
  | "syntax"
  | "not_finite"
  | "not_exact"
  | "no_room";

/** Thrown when JSON cannot be read. Contains the kind of problem and never a part of the text. */
export class JsonError extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem);
    this.name = "JsonError";
    this.problem = problem;
  }
}

/** The limits of a document. All are checked before any recursive function processes it. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly keysPerObjectMax: number;
  /** The most values of all kinds on all levels; an empty object or list counts twice. Default: `JSON_VALUES_MAX`. */
  readonly valuesMax?: number;
}

/**
 * The most values in one document. A limit on bytes does not limit memory: an empty object takes three bytes in a
 * document and some fifty in memory, and all later code has to visit each value.
 */
export const JSON_VALUES_MAX = 75_000;

/** Limits for documents of callers, operators and authors. A vendor's reply may have more members in an object. */
export const JSON_LIMITS: JsonLimits = { depthMax: 64, keysPerObjectMax: 10_000 };

/** Limit for one number. A longer one takes milliseconds to read, and has no legitimate use. */
const NUMBER_BYTES_MAX = 64 * 1024;

export interface JsonCounts {
  containers: number;
  values: number;
  members: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** The bytes that delimit tokens; all others are skipped. */
const DELIMITERS = new Uint8Array(256);
for (const character of '",:[]{}') DELIMITERS[character.charCodeAt(0)] = 1;

/**
 * Checks depth, keys, values and the length of numbers on the bytes of a document, starting at `from`. The document
 * need not be valid JSON. @throws JsonError
 */
export function scanJson(bytes: Buffer, limits: JsonLimits, from: number): JsonCounts {
  const { depthMax, keysPerObjectMax, valuesMax = JSON_VALUES_MAX } = limits;
  const counts: JsonCounts = { containers: 0, values: 0, members: 0 };
  const keys: number[] = [0];
  let depth = 0;
  let delimiterAt = from;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (DELIMITERS[byte] === 0) continue;
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1);
    } else {
      refuseEndlessNumber(bytes, delimiterAt, at);
      // Every value but the first follows a comma or an opening bracket.
      if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if ((counts.values += 1) > valuesMax) throw new JsonError("too_many_values");
      }
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (depth === depthMax) throw new JsonError("too_deep");
        counts.containers += 1;
        depth += 1;
        keys[depth] = 0;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth > 0) depth -= 1;
      } else if (byte === COLON) {
        counts.members += 1;
        if (depth > 0 && (keys[depth]! += 1) > keysPerObjectMax) throw new JsonError("too_many_keys");
      }
    }
    delimiterAt = at;
  }
  refuseEndlessNumber(bytes, delimiterAt, bytes.length);
  return counts;
}

/** Refuses a number that is too long. Between two delimiters there are only blanks, a literal or a number. */
function refuseEndlessNumber(bytes: Buffer, from: number, to: number): void {
  if (to - from <= NUMBER_BYTES_MAX) return;
  if (isDigitOrDot(bytes[to - 1]) && isDigitOrDot(bytes[to - NUMBER_BYTES_MAX])) throw new JsonError("not_exact");
}

/** Strings shorter than this are scanned in a loop. Only for longer ones, calling `indexOf` pays off. */
const NEAR_BYTES = 64;

/** The position of a string's closing quote, or the end of the bytes; `from` is inside the string. */
function endOfText(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + NEAR_BYTES);
  let at = from;
  for (; at < near; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  for (let quote = bytes.indexOf(QUOTE, at); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run -= 1;
    if ((quote - run) % 2 === 0) return quote;
  }
  return bytes.length;
}

function isDigitOrDot(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e);
}
