import { ExactNumber, isKeptByDouble } from "./exact-number.ts";
import type { Json } from "./json-value.ts";

/** Numbers shorter than this come out of a double as they went in, but for those with an exponent as small as `e-300`. */
const LONG = 16;
const SMALL_EXPONENT = /[eE]-[0-9]{3}/;
/** The shortest with such an exponent: `1e-300`. */
const LONG_WITH_EXPONENT = 6;

/**
 * Whether some number of a document may be one that a double changes. It looks at every sixteenth character, so that a
 * document without long numbers costs next to nothing.
 */
export function mayHoldLongNumber(text: string): boolean {
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

/** The most numbers of one document that are kept so: each takes some microseconds of everybody's time. */
const EXACT_NUMBERS_MAX = 20_000;

/** How many more a document may have that is read in pieces. */
export interface ExactCount {
  left: number;
}

export function newExactCount(): ExactCount {
  return { left: EXACT_NUMBERS_MAX };
}

/**
 * The value of a document with every number that a double changes as an `ExactNumber`. `parsed` is what `JSON.parse` made of the
 * text, and is given back where there is no such number; `null` where there are too many, or the document is made to defy
 * this. (A reviver could be told the text of each number, and takes ten times as long as the parse.)
 */
export function withExactNumbers(text: string, parsed: Json, count = newExactCount()): Json | null {
  const literals: string[] = [];
  const pieces: string[] = [];
  const mark = MARKS.find((each) => !stands(each, text));
  let copied = 0;
  eachLongNumber(text, (from, to) => {
    if ((count.left -= 1) < 0) return;
    pieces.push(text.slice(copied, from), `"${mark}${literals.length}"`);
    copied = to;
    literals.push(text.slice(from, to));
  });
  if (count.left < 0) return null;
  if (literals.length === 0) return parsed;
  if (mark === undefined) return null;
  pieces.push(text.slice(copied));
  return unmark(JSON.parse(pieces.join("")) as Json, mark, literals);
}

/**
 * Tells of the numbers that a double changes. The document has been parsed, so that every quote has its other; where texts
 * begin and end is looked for only where something that looks like such a number was found.
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
    if (isKeptByDouble(literal, Number(literal))) continue;
    let outside = 0;
    while (quote !== -1 && quote < from) {
      outside = endOfText(text, quote + 1) + 1;
      quote = text.indexOf('"', outside);
    }
    // Within a text, or at its end: on from there.
    if (outside > from) at = outside - 1;
    else tell(from, to);
  }
}

/** Where the quote stands that closes a text. */
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

/** Characters of numbers. Outside of texts the only others of them are the last letters of `true` and `false`. */
function isOfNumber(character: number): boolean {
  return isDigitOrDot(character) || character === 0x2d || character === 0x2b || (character | 0x20) === 0x65;
}

/** Characters that mean nothing to anybody. One that a document does not hold marks where its numbers were. */
const MARKS = Array.from({ length: 10 }, (_, index) => String.fromCharCode(0xe000 + index));

/** Whether a document with so many long numbers can have each of them kept; false too where that is not certain. */
export function canKeepNumbers(longNumbers: number, document: Searched): boolean {
  return longNumbers === 0 || (longNumbers <= EXACT_NUMBERS_MAX && !stands(MARKS[0]!, document));
}

/** A text, or the bytes of one. */
interface Searched {
  includes(part: string): boolean;
}

/** Whether it stands there, as it is or by its number. */
function stands(mark: string, text: Searched): boolean {
  const code = mark.charCodeAt(0).toString(16);
  return text.includes(mark) || text.includes(`\\u${code}`) || text.includes(`\\u${code.toUpperCase()}`);
}

function unmark(value: Json, mark: string, literals: readonly string[]): Json {
  if (typeof value === "string") {
    return value.startsWith(mark) ? new ExactNumber(literals[Number(value.slice(1))]!) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  // It has just been made, and is nobody else's yet.
  const members = value as unknown as Record<string | number, Json>;
  for (const name in members) {
    const part = members[name]!;
    const made = unmark(part, mark, literals);
    if (made === part) continue;
    // That one name is no member when it is set.
    if (name === "__proto__") Object.defineProperty(members, name, { value: made, ...PLAIN });
    else members[name] = made;
  }
  return value;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };
