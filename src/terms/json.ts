import { isAscii, isUtf8 } from "node:buffer";
import { mayHoldLongNumber, withExactNumbers } from "./exact-json.ts";
import { ExactNumber } from "./exact-number.ts";
import type { Json, JsonObject } from "./json-value.ts";

export type { Json, JsonObject };

/** What a document may measure at the most. All are checked before anything recursive touches it. */
export interface JsonLimits {
  readonly depthMax: number;
  readonly keysPerObjectMax: number;
  /** Values of all kinds, on every level together, an empty object or list counting twice; `JSON_VALUES_MAX` unless said. */
  readonly valuesMax?: number;
}

/**
 * The most values one document may hold. Bytes alone bound no memory: an empty object takes three of them in a document and
 * some fifty in memory, and each has to be walked by whatever reads the document afterwards.
 */
export const JSON_VALUES_MAX = 100_000;

export type JsonProblem =
  | "encoding"
  | "too_deep"
  | "too_many_keys"
  | "too_many_values"
  | "syntax"
  | "not_finite"
  | "not_exact"
  | "no_room";

/** Thrown by `parseJson`. It carries the class of the problem and never a piece of the text. */
export class JsonError extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem);
    this.name = "JsonError";
    this.problem = problem;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** JSON numbers shorter than this and without an exponent are finite: the largest double has 309 digits. */
const FINITE_DIGITS = 300;

/** Up to this size reading a hostile document costs next to nothing, so that it may be looked at afterwards. */
const SMALL_BYTES = 64 * 1024;
/** The fewest bytes a member takes: `"":0,`. */
const MEMBER_BYTES = 5;

/**
 * Reads one UTF-8 JSON document within limits. A large one is looked through before `JSON.parse` sees it, so that one that
 * is too deep or has too many keys is refused for the price of that look. A byte order mark is dropped. A number that a double would change is an `ExactNumber`.
 * What the value will take in memory is told to `hold` before a large one is made.
 * @throws JsonError
 */
export function parseJson(bytes: Buffer, limits: JsonLimits, hold: Hold = ALWAYS): Json {
  const { keysPerObjectMax, valuesMax = JSON_VALUES_MAX } = limits;
  const smallMax = Math.min(SMALL_BYTES, keysPerObjectMax * MEMBER_BYTES, valuesMax);
  if (bytes.length <= smallMax) return parseSmall(bytes, limits, hold);
  const { mayOverflow, seen } = measure(bytes, limits);
  holdParsed(bytes, seen, hold);
  const text = decodeUtf8(bytes);
  const value = readJson(text);
  if (mayOverflow && !inspect(value, limits.depthMax).finite) throw new JsonError("not_finite");
  return exactly(text, value);
}

/**
 * The same for a document too small for too many keys or values: the value itself is looked at, which is several times quicker. It
 * shows less than the bytes do where one member has replaced another of the same name; then, and whenever something is
 * wrong, the bytes decide.
 */
function parseSmall(bytes: Buffer, limits: JsonLimits, hold: Hold): Json {
  try {
    const text = decodeUtf8(bytes);
    const value = readJson(text);
    const seen = inspect(value, limits.depthMax);
    const opened = count(text, "{") + count(text, "[");
    if (opened > limits.depthMax && opened !== seen.containers) measure(bytes, limits);
    if (!seen.finite) throw new JsonError("not_finite");
    holdParsed(bytes, seen, hold);
    return exactly(text, value);
  } catch (error) {
    measure(bytes, limits);
    throw error;
  }
}

/** Counts bytes that are about to be kept; false where there is no room for them. */
export type Hold = (bytes: number) => boolean;
const ALWAYS: Hold = () => true;

/**
 * What the parts of a parsed document take besides their text, measured of documents of nothing else: `[{},{}]`,
 * `[1,2]`, objects that have each another member. The sum is never far below what is taken, and up to three times above it.
 */
const CONTAINER_BYTES = 56;
const VALUE_BYTES = 8;
const MEMBER_BYTES_HELD = 50;

interface Counts {
  containers: number;
  values: number;
  members: number;
}

function holdParsed(bytes: Buffer, { containers, values, members }: Counts, hold: Hold): void {
  const parts = containers * CONTAINER_BYTES + values * VALUE_BYTES + members * MEMBER_BYTES_HELD;
  if (!hold(parts + bytes.length)) throw new JsonError("no_room");
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonError("syntax");
  }
}

function exactly(text: string, value: Json): Json {
  if (!mayHoldLongNumber(text)) return value;
  const exact = withExactNumbers(text, value);
  if (exact === null && value !== null) throw new JsonError("not_exact");
  return exact;
}

/** The value of a text that has been read within limits before. @throws JsonError `syntax`, `not_exact` */
export function readJsonExactly(text: string): Json {
  return exactly(text, readJson(text));
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

interface Seen extends Counts {
  finite: boolean;
}

/** Looks at every part of a value. @throws JsonError `too_deep` */
function inspect(value: Json, depthMax: number): Seen {
  const seen: Seen = { containers: 0, values: 0, members: 0, finite: true };
  lookAt(value, depthMax, seen);
  return seen;
}

function lookAt(value: Json, depthLeft: number, seen: Seen): void {
  seen.values += 1;
  if (typeof value === "object") {
    if (value !== null && !(value instanceof ExactNumber)) lookInto(value, depthLeft, seen);
  } else if (typeof value === "number" && !Number.isFinite(value)) {
    seen.finite = false;
  }
}

function lookInto(container: JsonObject | readonly Json[], depthLeft: number, seen: Seen): void {
  if (depthLeft === 0) throw new JsonError("too_deep");
  seen.containers += 1;
  if (isJsonObject(container)) {
    // What has been parsed has no inherited names to skip.
    for (const name in container) {
      seen.members += 1;
      lookAt(container[name]!, depthLeft - 1, seen);
    }
  } else {
    for (const part of container) lookAt(part, depthLeft - 1, seen);
  }
}

/** The text of UTF-8 bytes without a byte order mark. */
export function decodeUtf8(bytes: Buffer): string {
  // ASCII is the common case, and reading it as latin1 is several times quicker than decoding UTF-8.
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes)) throw new JsonError("encoding");
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString("utf8", start);
}

/** Bytes at which something begins or ends; all others are passed over. The two forms of `e` may begin an exponent. */
const TELLING = new Uint8Array(256);
for (const character of '",:[]{}eE') TELLING[character.charCodeAt(0)] = 1;

interface Measured {
  /** Some number might not be finite and has to be looked at. */
  readonly mayOverflow: boolean;
  readonly seen: Counts;
}

/** Checks depth, keys and values over the raw bytes. */
function measure(bytes: Buffer, limits: JsonLimits): Measured {
  const end = bytes.length;
  // How many keys each open object has so far; arrays keep 0. Only as deep as allowed.
  const keys: number[] = [];
  let depth = 0;
  // A value follows a comma, or is the first in its container and follows that one's opening.
  let valuesLeft = limits.valuesMax ?? JSON_VALUES_MAX;
  const seen: Counts = { containers: 0, values: 0, members: 0 };
  let mayOverflow = false;
  let tokenStart = 0;
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at]!;
    if (TELLING[byte] === 0) continue;
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1);
      tokenStart = at;
    } else if (byte === COMMA) {
      if ((valuesLeft -= 1) < 0) throw new JsonError("too_many_values");
      seen.values += 1;
      if (at - tokenStart > FINITE_DIGITS) mayOverflow = true;
      tokenStart = at;
    } else if (byte === COLON) {
      if (depth > 0 && (keys[depth - 1]! += 1) > limits.keysPerObjectMax) throw new JsonError("too_many_keys");
      seen.members += 1;
      tokenStart = at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === limits.depthMax) throw new JsonError("too_deep");
      if ((valuesLeft -= 1) < 0) throw new JsonError("too_many_values");
      seen.containers += 1;
      seen.values += 1;
      keys[depth] = 0;
      depth += 1;
      tokenStart = at;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (at - tokenStart > FINITE_DIGITS) mayOverflow = true;
      if (depth > 0) depth -= 1;
      tokenStart = at;
    } else if (isDigitOrDot(bytes[at - 1])) {
      mayOverflow = true;
    }
  }
  return { mayOverflow: mayOverflow || end - tokenStart > FINITE_DIGITS, seen };
}

/** Most texts end soon. For the others a search is worth its call. */
const NEAR_BYTES = 64;

/** Where the closing quote of a text stands, or the end of the bytes. */
function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.length;
  for (let at = from; at < end;) {
    for (const near = Math.min(end, at + NEAR_BYTES); at < near; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return end;
    let run = quote;
    while (run > at && bytes[run - 1] === BACKSLASH) run -= 1;
    if ((quote - run) % 2 === 0) return quote;
    at = quote + 1;
  }
  return end;
}

function isDigitOrDot(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
