import { rawJsonObject, type RawReply } from "../sdk/http.ts";
import { NoMatch } from "../sdk/source.ts";
import { Fault } from "../terms/fault.ts";
import { ExactNumber } from "../terms/json/exact-number.ts";
import { type ReserveBytes, JSON_VALUES_MAX } from "../terms/json/json.ts";
import type { CallResult } from "./ports.ts";

/** The largest output, as JSON text in UTF-8. */
export const OUTPUT_BYTES_MAX = 10 * 1024 * 1024;
/** The deepest nesting of an output; clients and functions parse this depth without trouble. */
export const OUTPUT_DEPTH_MAX = 64;

/** The most bytes that UTF-8 needs for a UTF-16 unit. */
const BYTES_PER_UNIT_MAX = 3;
/** Texts of at least this length are counted in UTF-8, shorter ones by their length, which is quicker. */
const LONG_TEXT_UNITS = 1_024;
/** Bytes counted for each value: its quotation marks, its comma and its digits. */
const BYTES_PER_VALUE = 4;

const TOO_LARGE = "is too large";
const TOO_DEEP = "is nested too deeply";

const NOTHING_FOUND: CallResult = Object.freeze({ match: false, json: "{}" });

/**
 * Converts the value that an adapter returned into the JSON text of one object. A reply's bytes are checked and passed on
 * unchanged. Everything else is checked and serialised here, separately for each source, so that a cycle, a BigInt or a
 * throwing getter fails only this source.
 * @param reserve reserves memory for a text before the text is created
 * @throws Fault
 */
export function collectAnswer(returned: unknown, reserve: ReserveBytes): CallResult {
  if (returned === null) return NOTHING_FOUND;
  if (typeof returned !== "object") throw uncollectable(`the adapter returned ${article(typeof returned)}`);
  const raw = asRawReply(returned);
  return raw === null ? collectObject(returned, reserve) : { match: true, json: raw[rawJsonObject]() };
}

function collectObject(returned: object, reserve: ReserveBytes): CallResult {
  if (returned instanceof NoMatch) return { match: false, json: toObjectText(returned.output, reserve) };
  return { match: true, json: toObjectText(returned, reserve) };
}

function asRawReply(returned: object): RawReply | null {
  try {
    return rawJsonObject in returned ? (returned as RawReply) : null;
  } catch (cause) {
    throw uncollectable("the result cannot be read", cause);
  }
}

/**
 * The JSON text of a plain object. Values that JSON would change silently and values beyond the limits are refused
 * first.
 */
function toObjectText(value: object, reserve: ReserveBytes): string {
  let text: string | undefined;
  try {
    if (!isPlain(value)) throw uncollectable("the adapter returned no plain object");
    const left: Remaining = { values: JSON_VALUES_MAX, bytes: OUTPUT_BYTES_MAX, within: [] };
    countMembers(value, OUTPUT_DEPTH_MAX, left);
    // An estimate, which the exact size replaces when the call has ended.
    const textBytes = OUTPUT_BYTES_MAX - left.bytes + (JSON_VALUES_MAX - left.values) * BYTES_PER_VALUE;
    if (!reserve(textBytes)) throw new Fault("source.no_room_for_answer");
    text = JSON.stringify(value);
  } catch (cause) {
    throw cause instanceof Fault ? cause : uncollectable("the result cannot be written as JSON", cause);
  }
  if (text === undefined || text[0] !== "{") throw uncollectable("the adapter returned no object");
  if (text.length * BYTES_PER_UNIT_MAX > OUTPUT_BYTES_MAX && Buffer.byteLength(text) > OUTPUT_BYTES_MAX)
    throw tooLarge(TOO_LARGE);
  return text;
}

/**
 * The values and bytes that an output may still have. A part that occurs several times counts each time, because it is
 * written each time.
 */
interface Remaining {
  values: number;
  /** Bytes of texts, names and long numbers. */
  bytes: number;
  /** The containers around the current value, indexed by the depth that is left below them. */
  readonly within: object[];
}

/**
 * Refuses instances of other classes, holes in arrays and numbers that are not finite, because JSON would turn each of
 * them into an empty value that looks like the vendor's answer. Members that are `undefined` or functions count as
 * absent.
 */
function countMembers(container: object, depthLeft: number, left: Remaining): void {
  if (depthLeft === 0)
    throw new Set(left.within).size < left.within.length ? uncollectable("a cycle") : tooLarge(TOO_DEEP);
  left.within[depthLeft - 1] = container;
  const { toJSON } = container as { toJSON?: unknown };
  if (typeof toJSON === "function") countValue(toJSON.call(container), depthLeft, left);
  else if (Array.isArray(container))
    for (const part of container as readonly unknown[]) countValue(part, depthLeft, left);
  else if (isPlain(container)) countProperties(container as Readonly<Record<string, unknown>>, depthLeft, left);
  else throw uncollectable("the result holds something that is not a plain object");
}

function countProperties(object: Readonly<Record<string, unknown>>, depthLeft: number, left: Remaining): void {
  for (const name of Object.keys(object)) {
    const part = object[name];
    if (part === undefined || typeof part === "function" || typeof part === "symbol") continue;
    left.bytes -= bytesOf(name);
    countValue(part, depthLeft, left);
  }
}

function countValue(value: unknown, depthLeft: number, left: Remaining): void {
  if ((left.values -= 1) < 0) throw tooLarge("holds too many values");
  switch (typeof value) {
    case "string":
      if ((left.bytes -= bytesOf(value)) < 0) throw tooLarge(TOO_LARGE);
      return;
    case "number":
      if (!Number.isFinite(value)) throw uncollectable("the result holds a number that is not finite");
      return;
    case "object":
      if (value instanceof ExactNumber) left.bytes -= String(value).length;
      else if (value !== null) countMembers(value, depthLeft - 1, left);
      return;
    case "boolean":
      return;
    default:
      throw uncollectable(`the result holds ${article(typeof value)}`);
  }
}

function bytesOf(text: string): number {
  return text.length < LONG_TEXT_UNITS ? text.length : Buffer.byteLength(text);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A result that exceeds the limits is treated as an unusable reply of the vendor. */
function tooLarge(problem: string): Fault {
  return new Fault("source.contract", { problem: `the result ${problem}` });
}

function uncollectable(problem: string, cause?: unknown): Fault {
  return new Fault("source.collect", { problem }, cause === undefined ? {} : { cause });
}

function article(type: string): string {
  return type === "undefined" ? "nothing" : `a ${type}`;
}
