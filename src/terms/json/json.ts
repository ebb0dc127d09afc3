import { isAscii, isUtf8 } from "node:buffer";
import { mayContainLongNumber, withExactNumbers } from "./exact-json.ts";
import { ExactNumber, type Json, type JsonObject } from "./exact-number.ts";
import { type JsonCounts, JsonError, JSON_VALUES_MAX, type JsonLimits, scanJson } from "./json-scan.ts";

export type { Json, JsonObject } from "./exact-number.ts";
export { JsonError, JSON_LIMITS, JSON_VALUES_MAX, type JsonLimits, type JsonProblem } from "./json-scan.ts";

/**
 * A document up to this size costs almost nothing to parse, even a hostile one, so its limits are checked afterwards.
 */
const SMALL_BYTES = 64 * 1024;
/** The size of the smallest member: `"":0,`. */
const MEMBER_BYTES = 5;

/**
 * Reads one UTF-8 JSON document within limits. A large one is scanned before `JSON.parse`, so that refusing a document
 * that is too deep or has too many keys costs no more than the scan. A byte order mark is dropped. A number that a
 * double would change becomes an `ExactNumber`. `reserve` reserves the value's memory before a large value is created.
 * @throws JsonError
 */
export function parseJson(bytes: Buffer, limits: JsonLimits, reserve: ReserveBytes = ALWAYS): Json {
  const { keysPerObjectMax, valuesMax = JSON_VALUES_MAX } = limits;
  const smallMax = Math.min(SMALL_BYTES, keysPerObjectMax * MEMBER_BYTES, valuesMax);
  if (bytes.length <= smallMax) return parseSmall(bytes, limits, reserve);
  const from = startOf(bytes);
  reserveParsed(bytes, scanJson(bytes, limits, from), reserve);
  const text = decodeUtf8(bytes);
  const value = readJson(text);
  if (!inspect(value, Infinity).finite) throw new JsonError("not_finite");
  return exactly(text, value);
}

/**
 * Reads a document that is too small to have too many keys or values. It inspects the value instead of the bytes, which
 * is several times faster. If a member has replaced another of the same name, the value shows less than the bytes;
 * then, and for any problem, the bytes are scanned.
 */
function parseSmall(bytes: Buffer, limits: JsonLimits, reserve: ReserveBytes): Json {
  try {
    const text = decodeUtf8(bytes);
    const value = readJson(text);
    const seen = inspect(value, limits.depthMax);
    const opened = count(text, "{") + count(text, "[");
    if (opened > limits.depthMax && opened !== seen.containers) lookThrough(bytes, limits);
    if (!seen.finite) throw new JsonError("not_finite");
    reserveParsed(bytes, seen, reserve);
    return exactly(text, value);
  } catch (error) {
    lookThrough(bytes, limits);
    throw error;
  }
}

/** Reserves memory for bytes that are about to be stored; false if there is none. */
export type ReserveBytes = (bytes: number) => boolean;
const ALWAYS: ReserveBytes = () => true;

/**
 * The memory that parts of a parsed document take besides their text, measured on documents of only one kind:
 * `[{},{}]`, `[1,2]`, objects with one distinct member each. The sum is never far below the real use, and up to three
 * times above it.
 */
const CONTAINER_BYTES = 56;
const VALUE_BYTES = 8;
const MEMBER_BYTES_HELD = 50;

function reserveParsed(bytes: Buffer, { containers, values, members }: JsonCounts, reserve: ReserveBytes): void {
  const parts = containers * CONTAINER_BYTES + values * VALUE_BYTES + members * MEMBER_BYTES_HELD;
  if (!reserve(parts + bytes.length)) throw new JsonError("no_room");
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new JsonError("syntax");
  }
}

function exactly(text: string, value: Json): Json {
  if (!mayContainLongNumber(text)) return value;
  const exact = withExactNumbers(text, value);
  if (exact === null && value !== null) throw new JsonError("not_exact");
  return exact;
}

/** The value of a text that has already been read within limits. @throws JsonError `syntax`, `not_exact` */
export function readJsonExactly(text: string): Json {
  return exactly(text, readJson(text));
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

interface InspectedCounts extends JsonCounts {
  finite: boolean;
}

/** Inspects every part of a value. @throws JsonError `too_deep` */
function inspect(value: Json, depthMax: number): InspectedCounts {
  const seen: InspectedCounts = { containers: 0, values: 0, members: 0, finite: true };
  lookAt(value, depthMax, seen);
  return seen;
}

function lookAt(value: Json, depthLeft: number, seen: InspectedCounts): void {
  seen.values += 1;
  if (typeof value === "object") {
    if (value !== null && !(value instanceof ExactNumber)) lookInto(value, depthLeft, seen);
  } else if (typeof value === "number" && !Number.isFinite(value)) {
    seen.finite = false;
  }
}

function lookInto(container: JsonObject | readonly Json[], depthLeft: number, seen: InspectedCounts): void {
  if (depthLeft === 0) throw new JsonError("too_deep");
  seen.containers += 1;
  if (isJsonObject(container)) {
    // Parsed objects have no enumerable inherited names.
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
  // ASCII is the common case, and reading it as Latin 1 is several times faster than decoding UTF-8.
  if (isAscii(bytes)) return bytes.toString("latin1");
  if (!isUtf8(bytes)) throw new JsonError("encoding");
  return bytes.toString("utf8", startOf(bytes));
}

/** The position after a byte order mark; 0 if there is none. */
function startOf(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Checks depth, keys and values on the raw bytes. @throws JsonError */
function lookThrough(bytes: Buffer, limits: JsonLimits): void {
  scanJson(bytes, limits, startOf(bytes));
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** A text that is the same for equal values, whatever the order of their members. */
export function canonicalJson(value: Json | undefined): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/**
 * Freezes a value deeply and in place, so that it can be shared. An already frozen part is assumed to be deeply frozen.
 */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freezeDeep<unknown>(part);
  }
  return value;
}
