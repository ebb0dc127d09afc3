import { isJsonObject, type Json } from "../terms/json.ts";

/**
 * Synthetic values of the same shape: letters and digits are replaced, everything between them stays, and the same value
 * is always replaced by the same one. Kept as they are: `true`, `false` and `null`, numbers of one digit (counts, codes),
 * and the texts named, which are words of the vendor's format and no data.
 */
export function maskValues(value: Json, keep: ReadonlySet<string>): Json {
  if (typeof value === "string") return keep.has(value) ? value : maskText(value);
  if (typeof value === "number") return maskNumber(value);
  if (Array.isArray(value)) return value.map((part) => maskValues(part, keep));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [maskName(name), maskValues(part, keep)]));
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

/** Letters with what is written above them, in any script. Digits count up, so that a number's length and kind stay. */
function maskLetters(text: string): string {
  let digit = 0;
  return text
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/\p{Lu}/gu, "X")
    .replaceAll(/\p{L}/gu, (letter) => (letter === "X" ? "X" : "x"))
    .replaceAll(/\p{N}/gu, () => String((digit++ % 9) + 1));
}

function maskNumber(value: number): number {
  if (Number.isInteger(value) && Math.abs(value) < 10) return value;
  const masked = Number(maskLetters(String(value)));
  return Number.isFinite(masked) ? masked : 12.5;
}

/** Names of members are the vendor's words, unless they look like data: an address, a number, a person's identifier. */
function maskName(name: string): string {
  return /^[A-Za-z_@#$][\w$@:.-]{0,63}$/.test(name) && !/@.+\./.test(name) && !/\d{4}/.test(name)
    ? name
    : maskText(name);
}
