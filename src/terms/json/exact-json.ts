import { ExactNumber, isExactAsDouble, type Json } from "./exact-number.ts";

/** A double represents every number shorter than this, except with an exponent as small as `e-300`. */
const LONG = 16;
const SMALL_EXPONENT = /[eE]-[0-9]{3}/;
/** The length of the shortest number with such an exponent: `1e-300`. */
const LONG_WITH_EXPONENT = 6;

/**
 * Whether a document may contain a number that a double would change. Checks only every sixteenth character, so that a
 * document without long numbers costs almost nothing.
 */
export function mayContainLongNumber(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (from > 0 && isDigitOrDot(text.charCodeAt(from - 1))) from -= 1;
    while (to - from < LONG && isDigitOrDot(text.charCodeAt(to))) to += 1;
    if (to - from >= LONG) return true;
  }
  return SMALL_EXPONENT.test(text);
}

/** The most exact numbers in one document: each blocks the event loop for some microseconds. */
const EXACT_NUMBERS_MAX = 20_000;

/**
 * The value of a document, with an `ExactNumber` for every number that a double would change. `parsed` is the result of
 * `JSON.parse` for the text, and is returned if there is no such number. `null` if there are too many, or if the
 * document contains all of `MARKS`. (A reviver can also get the text of each number, but takes ten times as long as the
 * parse.)
 */
export function withExactNumbers(text: string, parsed: Json): Json | null {
  let left = EXACT_NUMBERS_MAX;
  const literals: string[] = [];
  const pieces: string[] = [];
  const mark = MARKS.find((each) => !stands(each, text));
  let copied = 0;
  eachLongNumber(text, (from, to) => {
    if ((left -= 1) < 0) return;
    pieces.push(text.slice(copied, from), `"${mark}${literals.length}"`);
    copied = to;
    literals.push(text.slice(from, to));
  });
  if (left < 0) return null;
  if (literals.length === 0) return parsed;
  if (mark === undefined) return null;
  pieces.push(text.slice(copied));
  return unmark(JSON.parse(pieces.join("")) as Json, mark, literals);
}

/**
 * Reports the numbers that a double would change. The document has been parsed, so its quotes are paired. The limits of
 * strings are only searched once a candidate was found.
 */
function eachLongNumber(text: string, tell: (from: number, to: number) => void): void {
  const step = SMALL_EXPONENT.test(text) ? LONG_WITH_EXPONENT : LONG;
  let quote = text.indexOf('"');
  for (let at = step - 1; at < text.length; at += step) {
    if (!isOfNumber(text.charCodeAt(at))) continue;
    let from = at;
    let to = at + 1;
    while (from > 0 && isOfNumber(text.charCodeAt(from - 1))) from -= 1;
    while (isOfNumber(text.charCodeAt(to))) to += 1;
    at = to;
    if (to - from < step) continue;
    const literal = text.slice(from, to);
    if (isExactAsDouble(literal, Number(literal))) continue;
    let outside = 0;
    while (quote !== -1 && quote < from) {
      outside = endOfText(text, quote + 1) + 1;
      quote = text.indexOf('"', outside);
    }
    // The candidate is inside a string: continue at the end of the string.
    if (outside > from) at = outside - 1;
    else tell(from, to);
  }
}

/** The position of the quote that closes a string. */
function endOfText(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); ; quote = text.indexOf('"', quote + 1)) {
    let run = quote;
    while (run > from && text.charCodeAt(run - 1) === BACKSLASH) run -= 1;
    if ((quote - run) % 2 === 0) return quote;
  }
}

const BACKSLASH = 0x5c;

function isDigitOrDot(character: number): boolean {
  return (character >= 0x30 && character <= 0x39) || character === 0x2e;
}

/**
 * Whether a character can be part of a number. Outside strings, the only other match is the `e` of `true` and `false`.
 */
function isOfNumber(character: number): boolean {
  return isDigitOrDot(character) || character === 0x2d || character === 0x2b || (character | 0x20) === 0x65;
}

/**
 * Private-use characters, which have no meaning in JSON. One that a document does not contain marks the positions of
 * its numbers.
 */
const MARKS = Array.from({ length: 10 }, (_, index) => String.fromCharCode(0xe000 + index));

/** Whether all long numbers of such a document can be preserved; false also if that is not certain. */
export function canKeepNumbers(longNumbers: number, document: SearchedText): boolean {
  return longNumbers === 0 || (longNumbers <= EXACT_NUMBERS_MAX && !stands(MARKS[0]!, document));
}

/** A text, or the bytes of one. */
interface SearchedText {
  includes(part: string): boolean;
}

/** Whether `mark` occurs in the text, as a character or as an escape. */
function stands(mark: string, text: SearchedText): boolean {
  const code = mark.charCodeAt(0).toString(16);
  return text.includes(mark) || text.includes(`\\u${code}`) || text.includes(`\\u${code.toUpperCase()}`);
}

function unmark(value: Json, mark: string, literals: readonly string[]): Json {
  if (typeof value === "string") {
    return value.startsWith(mark) ? new ExactNumber(literals[Number(value.slice(1))]!) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  // The value was just created and is not shared yet, so it may be changed.
  const members = value as unknown as Record<string | number, Json>;
  for (const name in members) {
    const part = members[name]!;
    const made = unmark(part, mark, literals);
    if (made === part) continue;
    // Assigning to this name would set the prototype.
    if (name === "__proto__") Object.defineProperty(members, name, { value: made, ...PLAIN });
    else members[name] = made;
  }
  return value;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };
