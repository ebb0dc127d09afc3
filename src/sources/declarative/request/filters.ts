import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type * as Phones from "libphonenumber-js";
import { isDay } from "../../../terms/time/calendar.ts";
import { digitsOf, isNumber } from "../../../terms/json/exact-number.ts";
import type { Json } from "../../../terms/json/json.ts";
import { escapeBytes } from "./escape-bytes.ts";
import { percentEncode, sortParameters } from "./percent-encode.ts";

const require = createRequire(import.meta.url);

/**
 * Thrown by a filter for a value that it cannot process. The message continues a sentence that begins with the field's
 * name, and never contains the value.
 */
export class FilterProblem extends Error {}

type Argument = string | number;

export interface Filter {
  readonly takes: readonly [least: number, most: number];
  /**
   * Whether the filter receives values of any type unchanged, including lists and absent values. Otherwise it receives
   * the text of each single value.
   */
  readonly whole?: boolean;
  /** Whether the filter removes characters, and refuses a value of which nothing remains. */
  readonly shortens?: boolean;
  /** Whether the filter takes microseconds per value. */
  readonly isSlow?: boolean;
  readonly apply: (value: Json | undefined, args: readonly Argument[]) => Json | undefined;
}

function onText(takes: Filter["takes"], apply: (text: string, args: readonly Argument[]) => string): Filter {
  return {
    takes,
    apply: (value, args) => apply(textOf(value), args),
  };
}

/**
 * Creates a filter that removes characters. If nothing remains, the value is refused: the vendor would receive an empty
 * text, and its "no record" for that would look like a result for the real value.
 */
function shortens(takes: Filter["takes"], apply: (text: string, args: readonly Argument[]) => string): Filter {
  const shorten = onText(takes, (text, args) => {
    const left = apply(text, args);
    if (left === "") throw new FilterProblem("has nothing left that can be sent");
    return left;
  });
  return { ...shorten, shortens: true };
}

function slow(takes: Filter["takes"], apply: (text: string, args: readonly Argument[]) => string): Filter {
  return { ...onText(takes, apply), isSlow: true };
}

function hash(algorithm: string): Filter {
  return slow([0, 1], (text, [encoding]) =>
    createHash(algorithm).update(text, "utf8").digest(digestEncoding(encoding)),
  );
}

/** The filters that templates may use, by name. The reference of the format lists the same names. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  upper: onText([0, 0], (text) => text.toUpperCase()),
  lower: onText([0, 0], (text) => text.toLowerCase()),
  trim: shortens([0, 0], (text) => text.trim()),
  digits: shortens([0, 0], (text) => onlyDigits(text)),
  alphanumeric: shortens([0, 1], (text, [besides = ""]) => text.replace(allBut(String(besides)), "")),
  zero_pad: onText([1, 1], (text, [length]) => text.padStart(Number(length), "0")),
  // A character has at most two UTF-16 units, so only this part of a long text has to be split.
  first: shortens([1, 1], (text, [count]) =>
    Array.from(text.slice(0, 2 * Number(count)))
      .slice(0, Number(count))
      .join(""),
  ),
  last: shortens([1, 1], (text, [count]) => {
    const letters = Array.from(text.slice(Math.max(0, text.length - 2 * Number(count))));
    return letters.slice(Math.max(0, letters.length - Number(count))).join("");
  }),
  map: onText([2, 2], (text, [from, to]) => (text === String(from) ? String(to) : text)),
  without_prefix: shortens([1, 1], (text, [prefix]) =>
    text.toUpperCase().startsWith(String(prefix).toUpperCase()) ? text.slice(String(prefix).length) : text,
  ),
  e164: slow([0, 1], (text, [country]) => {
    // Loaded on first use, because its tables would slow down every start.
    const { parsePhoneNumberFromString } = require("libphonenumber-js") as typeof Phones;
    // The whole text must be the number: a number within a sentence may belong to another person.
    const phone = parsePhoneNumberFromString(text.trim(), {
      ...(country !== undefined && { defaultCountry: country as Phones.CountryCode }),
      extract: false,
    });
    if (phone === undefined || !phone.isPossible())
      throw new FilterProblem("is not a phone number with a known country");
    // E.164 has no form for extensions, and without its extension the number is the switchboard's.
    if (phone.ext !== undefined) throw new FilterProblem("has an extension, which cannot be sent");
    return phone.number;
  }),
  date: slow([1, 1], (text, [format]) => {
    const written = formatDate(text, String(format));
    if (written === null) throw new FilterProblem("is not a date");
    return written;
  }),
  base64: onText([0, 0], (text) => Buffer.from(text, "utf8").toString("base64")),
  base64url: onText([0, 0], (text) => Buffer.from(text, "utf8").toString("base64url")),
  percent_encode: slow([0, 1], (text, [besides = ""]) => percentEncodeBut(text, String(besides))),
  sort_parameters: slow([0, 0], sortParameters),
  sha512: hash("sha512"),
  sha256: hash("sha256"),
  sha1: hash("sha1"),
  md5: hash("md5"),
  lucene_quote: onText([0, 0], (text) => `"${escapeLucene(text)}"`),
  default: { takes: [1, 1], whole: true, apply: (value, [instead]) => (isAbsent(value) ? instead : value) },
  join: {
    takes: [1, 1],
    whole: true,
    apply: (value, [separator]) =>
      Array.isArray(value) ? joinParts(value, String(separator)) : value === undefined ? undefined : textOf(value),
  },
  json: { takes: [0, 0], whole: true, apply: (value) => (value === undefined ? undefined : JSON.stringify(value)) },
};

function percentEncodeBut(text: string, besides: string): string {
  const encoded = percentEncode(text);
  return Array.from(besides).reduce((left, letter) => left.replaceAll(percentEncode(letter), letter), encoded);
}

/** A regular expression would take five times as long if few characters of a long text are digits. */
function onlyDigits(text: string): string {
  const digits = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) digits[length++] = unit;
  }
  return digits.toString("latin1", 0, length);
}

/**
 * Matches all characters but ASCII letters, digits and `besides`. One pattern is applied to the whole text, because a
 * call per character would be slow.
 */
function allBut(besides: string): RegExp {
  const kept = Array.from(besides, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`).join("");
  return new RegExp(`[^0-9A-Za-z${kept}]+`, "gu");
}

/** Refuses a part that contains the separator, because it would become two parts. An empty list counts as absent. */
function joinParts(list: readonly Json[], separator: string): string | undefined {
  if (list.length === 0) return undefined;
  const parts = list.map(textOf);
  if (separator !== "" && parts.some((part) => part.includes(separator))) {
    throw new FilterProblem("has an entry that contains the separator");
  }
  return parts.join(separator);
}

const escapeInQuotes = escapeBytes((byte) => {
  const character = String.fromCharCode(byte);
  return character === '"' || character === "\\" ? `\\${character}` : undefined;
});

/** `escapeInQuotes` works on UTF-8, which has no lone surrogates; a text with one is refused when it is encoded. */
function escapeLucene(text: string): string {
  return text.isWellFormed() ? escapeInQuotes(text) : text.replace(/["\\]/g, "\\$&");
}

/** A list with more entries is refused, because the filters of one request block all other work. */
export const ENTRIES_MAX = 10_000;
export const SLOW_ENTRIES_MAX = 1_000;

/** Runs one filter; on each entry if the value is a list and the filter takes single values. @throws FilterProblem */
export function applyFilter(filter: Filter, value: Json | undefined, args: readonly Argument[]): Json | undefined {
  if (filter.whole === true) return filter.apply(value, args);
  if (isAbsent(value)) return undefined;
  if (!Array.isArray(value)) return filter.apply(value, args);
  if (value.length > (filter.isSlow === true ? SLOW_ENTRIES_MAX : ENTRIES_MAX))
    throw new FilterProblem("has too many entries");
  return value.map((entry: Json) => filter.apply(entry, args) ?? null);
}

export function isAbsent(value: Json | undefined): value is undefined | null {
  return value === undefined || value === null;
}

/** @throws FilterProblem */
export function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (isNumber(value)) return digitsOf(value);
  if (typeof value === "boolean") return String(value);
  throw new FilterProblem("must be a single value here");
}

function digestEncoding(named: Argument | undefined): "hex" | "base64" | "base64url" {
  return named === "base64" || named === "base64url" ? named : "hex";
}

/** All other characters of a format are copied. */
const DATE_TOKEN = /YYYY|YY|MM|M|DD|D|HH|mm|ss|SSS/g;
const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(?:(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?|[0-9:.]+)(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Writes an ISO date (`2024-02-29`, or with a time after it) in another format; `null` if there is no such date, or no
 * time although the format has one. The time stays in its zone.
 */
function formatDate(text: string, format: string): string | null {
  const [whole, year, month, day, hour, minute, second, fraction = ""] = ISO_DATE.exec(text) ?? [];
  if (whole === undefined || year === undefined || month === undefined || day === undefined) return null;
  if (!isDay(`${year}-${month}-${day}`)) return null;
  const values: Readonly<Record<string, string | undefined>> = {
    YYYY: year,
    YY: year.slice(2),
    MM: month,
    M: String(Number(month)),
    DD: day,
    D: String(Number(day)),
    HH: hour,
    mm: minute,
    ss: second,
    SSS: hour === undefined ? undefined : fraction.slice(0, 3).padEnd(3, "0"),
  };
  let isComplete = true;
  const written = format.replace(DATE_TOKEN, (token) => {
    const value = values[token];
    isComplete &&= value !== undefined;
    return value ?? "";
  });
  return isComplete ? written : null;
}
