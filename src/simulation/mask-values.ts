import { ExactNumber } from "../terms/json/exact-number.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";

/** How the parts of one reply are masked. Equal texts are masked equally. */
export interface Masking {
  /** Masks a value. */
  text(text: string): string;
  /** Masks the name of a member, an element or a field. */
  name(name: string): string;
}

/**
 * Keeps `texts`, which are words of the vendor's format, and `names` from the source. Also keeps names in the usual
 * form of member names; other names may be data (`{"Ada_Lovelace": 3}`).
 */
export function createMasking(texts: ReadonlySet<string>, names: ReadonlySet<string>): Masking {
  return {
    text: (text) => (texts.has(text.trim()) ? text : maskText(text)),
    name: (name) => (names.has(name) || isPlainName(name) ? name : maskText(name)),
  };
}

/**
 * Replaces letters and digits, and keeps the characters between them. Also keeps `true`, `false`, `null` and numbers of
 * one digit, such as counts and codes.
 */
export function maskValues(value: Json, masking: Masking): Json {
  if (typeof value === "string") return masking.text(value);
  if (typeof value === "number" || value instanceof ExactNumber) return maskNumber(value);
  if (Array.isArray(value)) return value.map((part: Json) => maskValues(part, masking));
  if (!isJsonObject(value)) return value;
  const made = new Map<string, Json>();
  for (const [name, part] of Object.entries(value)) {
    const masked = masking.name(name);
    let free = masked;
    for (let count = 2; made.has(free); count += 1) free = `${masked}_${count}`;
    made.set(free, maskValues(part, masking));
  }
  return Object.fromEntries(made);
}

const DATE = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/;
const CLOCK = /^([T ])\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/;

export function maskText(text: string): string {
  const date = DATE.exec(text)?.[0];
  if (date !== undefined) {
    const rest = text.slice(date.length);
    if (rest === "" || CLOCK.test(rest)) return `2001-02-03${rest.replace(CLOCK, maskClock)}`;
  }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return "11111111-1111-4111-8111-111111111111";
  if (/^https?:\/\//i.test(text))
    return `https://vendor.example/${maskLetters(text.replace(/^https?:\/\/[^/]*\/?/i, ""))}`;
  return maskLetters(text);
}

function maskClock(_: string, gap: string, seconds?: string, fraction?: string, zone?: string): string {
  const hundredths = fraction === undefined ? "" : `.${"0".repeat(fraction.length - 1)}`;
  return `${gap}04:05${seconds === undefined ? "" : ":06"}${hundredths}${zone === undefined ? "" : zone.replaceAll(/\d/g, "0")}`;
}

/**
 * Replaces letters, including diacritics in any script, and replaces digits by counting up, so that length and kind of
 * a number stay the same.
 */
function maskLetters(text: string): string {
  let digit = 0;
  return text
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/\p{Lu}/gu, "X")
    .replaceAll(/\p{L}/gu, (letter) => (letter === "X" ? "X" : "x"))
    .replaceAll(/\p{N}/gu, () => String((digit++ % 9) + 1));
}

/** JavaScript numbers keep up to this many digits exactly. */
const DIGITS_MAX = 15;

function maskNumber(value: number | ExactNumber): number {
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 10) return value;
  const masked = Number(maskLetters(String(value)).slice(0, DIGITS_MAX));
  return Number.isFinite(masked) ? masked : 12.5;
}

/**
 * Whether a name has the form of `company_name`, `companyName` or `@id`. Names of people, addresses and numbers do not.
 */
function isPlainName(name: string): boolean {
  return /^[@#$]?[a-z][a-zA-Z0-9]{0,40}(?:[_-][a-z0-9]{1,20}){0,6}$/.test(name) && !/\d{4}/.test(name);
}
