import { rawJsonObject, type RawReply } from "../sdk/http.ts";
import { NoMatch } from "../sdk/source.ts";
import { Fault } from "../terms/fault.ts";
import type { Answer } from "./ports.ts";

/** The most one output may measure, in bytes or UTF-16 units of JSON text. */
export const OUTPUT_BYTES_MAX = 10 * 1024 * 1024;

const NOTHING_FOUND: Answer = Object.freeze({ match: false, json: "{}" });

/**
 * What an adapter returned, as JSON text that is known to be one object. A reply's bytes were checked by its one parse
 * and go on unchanged; everything else is serialised here, once and on its own, so that a cycle, a BigInt or a throwing
 * getter costs this source alone.
 * @throws Fault
 */
export function collectAnswer(returned: unknown): Answer {
  if (returned === null) return NOTHING_FOUND;
  if (typeof returned !== "object") throw uncollectable(`the adapter returned ${article(typeof returned)}`);
  const raw = asRawReply(returned);
  if (raw !== null) return { match: true, json: raw[rawJsonObject]().bytes };
  if (returned instanceof NoMatch) return { match: false, json: toObjectText(returned.output) };
  return { match: true, json: toObjectText(returned) };
}

function asRawReply(returned: object): RawReply | null {
  try {
    return rawJsonObject in returned ? (returned as RawReply) : null;
  } catch (cause) {
    throw uncollectable("the result cannot be read", cause);
  }
}

/** JSON text of a plain object; refuses what JSON would change silently: other classes, and numbers that are not finite. */
function toObjectText(value: object): string {
  let text: string | undefined;
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null)
      throw uncollectable("the adapter returned no plain object");
    text = JSON.stringify(value);
    if (text?.includes("null") === true) assertFinite(value);
  } catch (cause) {
    throw cause instanceof Fault ? cause : uncollectable("the result cannot be written as JSON", cause);
  }
  if (text === undefined || text[0] !== "{") throw uncollectable("the adapter returned no object");
  if (text.length > OUTPUT_BYTES_MAX) throw new Fault("source.collect", { problem: "the result is too large" });
  return text;
}

/** `JSON.stringify` writes NaN and Infinity as null: an invented "nothing" that must not reach a decision. */
function assertFinite(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw uncollectable("the result holds a number that is not finite");
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) assertFinite(part);
}

function uncollectable(problem: string, cause?: unknown): Fault {
  return new Fault("source.collect", { problem }, cause === undefined ? {} : { cause });
}

function article(type: string): string {
  return type === "undefined" ? "nothing" : `a ${type}`;
}
