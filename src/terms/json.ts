import { isAscii, isUtf8 } from "node:buffer";
import { mayHoldLongNumber, newExactCount, withExactNumbers } from "./exact-json.ts";
import { ExactNumber } from "./exact-number.ts";
import { JsonError } from "./json-error.ts";
import { type Counts, JSON_VALUES_MAX, type JsonLimits, JsonScan, type Piece, STRETCH_BYTES } from "./json-scan.ts";
import type { Json, JsonObject } from "./json-value.ts";
import type { Stretch } from "./stretch.ts";

export { JsonError, type JsonProblem } from "./json-error.ts";
export { JSON_VALUES_MAX, type JsonLimits } from "./json-scan.ts";
export type { Json, JsonObject };

/** Parsing a hostile document up to this size costs almost nothing, so it may be checked afterwards. */
const SMALL_BYTES = 64 * 1024;
/** What is done with so much JSON may take milliseconds, so it waits for its turn of the event loop. */
export const TURN_FROM_BYTES = 32 * 1024;
/** The smallest size of a member: `"":0,`. */
const MEMBER_BYTES = 5;

/**
 * Reads one UTF-8 JSON document within limits. A large one is scanned before `JSON.parse`, so that refusing one that is
 * too deep or has too many keys costs no more than the scan. A byte order mark is dropped. A number that a double would
 * change becomes an `ExactNumber`. `hold` is asked for the value's memory before a large value is created.
 * @throws JsonError
 */
export function parseJson(bytes: Buffer, limits: JsonLimits, hold: Hold = ALWAYS): Json {
  const { keysPerObjectMax, valuesMax = JSON_VALUES_MAX } = limits;
  const smallMax = Math.min(SMALL_BYTES, keysPerObjectMax * MEMBER_BYTES, valuesMax);
  if (bytes.length <= smallMax) return parseSmall(bytes, limits, hold);
  const reading = new JsonReading(bytes, limits, hold);
  while (reading.next());
  return reading.value;
}

/**
 * Reads one document like `parseJson`, in steps, so that other work can run in between: each takes a few milliseconds,
 * except that a string of several megabytes takes about one for each megabyte.
 */
export class JsonReading {
  readonly #bytes: Buffer;
  readonly #hold: Hold;
  readonly #scan: JsonScan;
  readonly #stretchBytes: number;
  #build: JsonBuild | null = null;

  constructor(bytes: Buffer, limits: JsonLimits, hold: Hold = ALWAYS, stretchBytes: number = STRETCH_BYTES) {
    this.#bytes = bytes;
    this.#hold = hold;
    this.#stretchBytes = stretchBytes;
    this.#scan = new JsonScan(bytes, limits, startOf(bytes), stretchBytes);
  }

  /** Performs the next step; false when the value is complete. @throws JsonError */
  next(): boolean {
    if (this.#build !== null) return this.#build.next();
    if (!this.#scan.next()) {
      holdParsed(this.#bytes, this.#scan.seen, this.#hold);
      this.#build = new JsonBuild(this.#bytes, this.#scan, this.#stretchBytes);
    }
    return true;
  }

  get value(): Json {
    return this.#build!.value;
  }
}

/** Builds the value of a scanned document. */
class JsonBuild {
  readonly #bytes: Buffer;
  readonly #plan: readonly Piece[];
  readonly #isAscii: boolean;
  readonly #mayOverflow: boolean;
  readonly #stretchBytes: number;
  readonly #exact = newExactCount();
  readonly #document: Json[] = [];
  readonly #open: Container[] = [this.#document];
  #done = 0;
  /** Reported only if the syntax of the whole document is valid: a syntax error takes precedence. */
  #problem: "not_finite" | "not_exact" | null = null;

  /** @throws JsonError */
  constructor(bytes: Buffer, { plan, mayOverflow, isBroken }: JsonScan, stretchBytes: number) {
    this.#bytes = bytes;
    this.#stretchBytes = stretchBytes;
    this.#plan = plan;
    this.#isAscii = isAscii(bytes);
    this.#mayOverflow = mayOverflow;
    if (!this.#isAscii && !isUtf8(bytes)) throw new JsonError("encoding");
    if (isBroken) throw new JsonError("syntax");
  }

  get value(): Json {
    return this.#document[0]!;
  }

  /** Builds the next step; false when everything is built. @throws JsonError */
  next(): boolean {
    for (let bytesLeft = this.#stretchBytes; bytesLeft > 0 && this.#done < this.#plan.length; this.#done += 1) {
      const piece = this.#plan[this.#done]!;
      this.#add(piece);
      bytesLeft -= piece.kind === "close" ? 1 : piece.to - piece.from + 1;
    }
    if (this.#done < this.#plan.length) return true;
    if (this.#document.length !== 1) throw new JsonError("syntax");
    if (this.#problem !== null) throw new JsonError(this.#problem);
    return false;
  }

  #add(piece: Piece): void {
    if (piece.kind === "close") return void this.#open.pop();
    const into = this.#open.at(-1)!;
    if (piece.kind === "open") {
      const made: Container = piece.isObject ? {} : [];
      if (Array.isArray(into)) {
        this.#requireBlank(piece);
        into.push(made as Json);
      } else setMember(into, this.#readName(piece), made as Json);
      this.#open.push(made);
      return;
    }
    if (piece.kind === "blank") return this.#requireBlank(piece);
    const text = Array.isArray(into) ? this.#text("[", piece, "]") : this.#text("{", piece, "}");
    const count = append(into, this.#checked(text, readJson(text)) as Container);
    if (count === 0 && piece.kind === "some_entries") throw new JsonError("syntax");
  }

  #requireBlank(place: Place): void {
    if ((readJson(this.#text("[", place, "]")) as readonly Json[]).length > 0) throw new JsonError("syntax");
  }

  /** The name of a member, which is complete up to its colon. */
  #readName(place: Place): string {
    const [name, ...others] = Object.keys(readJson(this.#text("{", place, "0}")) as JsonObject);
    if (name === undefined || others.length > 0) throw new JsonError("syntax");
    return name;
  }

  #checked(text: string, value: Json): Json {
    if (this.#mayOverflow && !inspect(value, Infinity).finite) this.#problem = "not_finite";
    if (!mayHoldLongNumber(text)) return value;
    const exact = withExactNumbers(text, value, this.#exact);
    if (exact === null) this.#problem ??= "not_exact";
    return exact ?? value;
  }

  /** Concatenated as bytes: a string joined from others takes several times as long to search. */
  #text(before: string, { from, to }: Place, after: string): string {
    const bytes = Buffer.allocUnsafe(before.length + to - from + after.length);
    bytes.write(before, 0, "latin1");
    this.#bytes.copy(bytes, before.length, from, to);
    bytes.write(after, bytes.length - after.length, "latin1");
    return bytes.toString(this.#isAscii ? "latin1" : "utf8");
  }
}

interface Place {
  readonly from: number;
  readonly to: number;
}

type Container = Json[] | Record<string, Json>;

/** Returns the number of entries. */
function append(into: Container, entries: Container): number {
  if (Array.isArray(into)) {
    for (const entry of entries as readonly Json[]) into.push(entry);
    return (entries as readonly Json[]).length;
  }
  const names = Object.keys(entries);
  for (const name of names) setMember(into, name, (entries as JsonObject)[name]!);
  return names.length;
}

function setMember(object: Record<string, Json>, name: string, value: Json): void {
  // Assigning to this one name would set the prototype instead of a member.
  if (name === "__proto__") Object.defineProperty(object, name, { value, ...PLAIN });
  else object[name] = value;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

/**
 * The same for a document that is too small to have too many keys or values: the value itself is inspected, which is
 * several times faster. It shows less than the bytes if one member has replaced another of the same name; in that case,
 * and whenever something is wrong, the bytes are scanned.
 */
function parseSmall(bytes: Buffer, limits: JsonLimits, hold: Hold): Json {
  try {
    const text = decodeUtf8(bytes);
    const value = readJson(text);
    const seen = inspect(value, limits.depthMax);
    const opened = count(text, "{") + count(text, "[");
    if (opened > limits.depthMax && opened !== seen.containers) lookThrough(bytes, limits);
    if (!seen.finite) throw new JsonError("not_finite");
    holdParsed(bytes, seen, hold);
    return exactly(text, value);
  } catch (error) {
    lookThrough(bytes, limits);
    throw error;
  }
}

/** Counts bytes that are about to be kept; false if there is no memory for them. */
export type Hold = (bytes: number) => boolean;
const ALWAYS: Hold = () => true;

/**
 * The memory that parts of a parsed document take besides their text, measured on documents of only one kind:
 * `[{},{}]`, `[1,2]`, objects with one distinct member each. The sum is never far below the real use, and up to three
 * times above it.
 */
const CONTAINER_BYTES = 56;
const VALUE_BYTES = 8;
const MEMBER_BYTES_HELD = 50;

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

/** The value of a text that was read within limits before. @throws JsonError `syntax`, `not_exact` */
export function readJsonExactly(text: string): Json {
  return exactly(text, readJson(text));
}

/** The same, but lets other work run in between if the text is large. @throws JsonError */
export function readJsonInStretches(text: string, stretch: Stretch): Json | Promise<Json> {
  return text.length < TURN_FROM_BYTES ? readJsonExactly(text) : readLarge(text, stretch);
}

function readLarge(text: string, stretch: Stretch): Json | Promise<Json> {
  if (text.length > SMALL_BYTES) return parseInStretches(Buffer.from(text), WITHOUT_LIMITS, stretch);
  const waits = stretch.begin();
  return waits === undefined ? readJsonExactly(text) : waits.then(() => readJsonExactly(text));
}

/** Like `parseJson`, but if it takes long, lets other work run in between and before it returns. @throws JsonError */
export function parseInStretches(bytes: Buffer, limits: JsonLimits, stretch: Stretch): Json | Promise<Json> {
  return bytes.length < TURN_FROM_BYTES ? parseJson(bytes, limits) : parseLarge(bytes, limits, stretch);
}

async function parseLarge(bytes: Buffer, limits: JsonLimits, stretch: Stretch): Promise<Json> {
  const waits = stretch.begin();
  if (waits !== undefined) await waits;
  if (bytes.length <= SMALL_BYTES) return parseJson(bytes, limits);
  const reading = new JsonReading(bytes, limits);
  while (reading.next()) if (stretch.isLong) await stretch.end();
  if (stretch.isLong) await stretch.end();
  return reading.value;
}

const WITHOUT_LIMITS: JsonLimits = { depthMax: Infinity, keysPerObjectMax: Infinity, valuesMax: Infinity };

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

interface Seen extends Counts {
  finite: boolean;
}

/** Inspects every part of a value. @throws JsonError `too_deep` */
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
    // Parsed objects have no inherited names that would have to be skipped.
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
  return bytes.toString("utf8", startOf(bytes));
}

/** The position after a byte order mark, if there is one. */
function startOf(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Checks depth, keys and values on the raw bytes. @throws JsonError */
function lookThrough(bytes: Buffer, limits: JsonLimits): void {
  const scan = new JsonScan(bytes, limits, startOf(bytes), STRETCH_BYTES);
  while (scan.next());
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
