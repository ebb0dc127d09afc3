/** Subtracts from the remaining steps. @throws Error if there are too few */
export type SpendExpressionSteps = (steps: number) => void;

/**
 * Texts up to this length are found by the engine, which may compare all their characters at every position. For longer
 * ones, a search is used that visits each position once.
 */
const SHORT_CHARACTERS = 16;
/** Characters that the engine copies or compares per step. */
export const CHARACTERS_PER_STEP = 64;
/** The longest text that may be built. */
const MADE_CHARACTERS_MAX = 10 * 1024 * 1024;

/**
 * The index of `sought` in a text, from `from` on; -1 if it does not occur. The engine's own search may take time in
 * proportion to the product of both lengths, which a hostile reply could exploit.
 */
export function findText(text: string, sought: string, from: number, spend: SpendExpressionSteps): number {
  if (sought.length <= SHORT_CHARACTERS || sought.length > text.length) {
    const found = text.indexOf(sought, from);
    spend(1 + ((found === -1 ? text.length : found) - from) / 16);
    return found;
  }
  spend(1 + (text.length - from + sought.length) / 8);
  // The Knuth-Morris-Pratt algorithm.
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== sought.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (text.charCodeAt(at) === sought.charCodeAt(matched)) matched += 1;
    if (matched === sought.length) return at - matched + 1;
  }
  return -1;
}

/** Positions per step at which the engine looks backwards for a short text. */
const PLACES_PER_STEP = 4;

/** The last index of `sought` in a text; -1 if it does not occur. */
export function findLastText(text: string, sought: string, spend: SpendExpressionSteps): number {
  if (sought.length <= SHORT_CHARACTERS || sought.length > text.length) {
    // Backwards, the engine compares at every position until the first difference.
    const found = text.lastIndexOf(sought);
    spend(1 + (text.length - Math.max(found, 0)) / PLACES_PER_STEP);
    return found;
  }
  const found = findText(reverseText(text, spend), reverseText(sought, spend), 0, spend);
  return found === -1 ? -1 : text.length - found - sought.length;
}

/** Reverses a text by code points. */
export function reverseText(text: string, spend: SpendExpressionSteps): string {
  const points = pointsOf(text, spend);
  return textOfPoints(points, points.length - 1, -1, -1, spend);
}

/** Code points that are read or written per step. */
const POINTS_PER_STEP = 8;

export function pointsOf(text: string, spend: SpendExpressionSteps): Uint32Array {
  spend(text.length / POINTS_PER_STEP);
  const points = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at)!;
    if (point > 0xffff) at += 1;
    points[length++] = point;
  }
  return points.subarray(0, length);
}

/** The text of every `step`th code point from index `from` until before `to`. */
export function textOfPoints(
  points: Uint32Array,
  from: number,
  to: number,
  step: number,
  spend: SpendExpressionSteps,
): string {
  const count = Math.max(0, Math.ceil((to - from) / step));
  spend(count / POINTS_PER_STEP);
  const units = new Uint16Array(2 * count);
  let length = 0;
  let all = 0;
  for (let index = 0, at = from; index < count; index += 1, at += step) {
    const point = points[at]!;
    if (point > 0xffff) {
      units[length++] = 0xd7c0 + (point >> 10);
      units[length++] = 0xdc00 + (point & 0x3ff);
    } else units[length++] = point;
    all |= point;
  }
  // The engine stores a text of Latin 1 in half the memory, and processes it faster.
  return all <= 0xff
    ? Buffer.from(units.subarray(0, length)).toString("latin1")
    : Buffer.from(units.buffer, 0, 2 * length).toString("utf16le");
}

function bordersOf(sought: string): Int32Array {
  const borders = new Int32Array(sought.length);
  let length = 0;
  for (let at = 1; at < sought.length; at += 1) {
    while (length > 0 && sought.charCodeAt(at) !== sought.charCodeAt(length)) length = borders[length - 1]!;
    if (sought.charCodeAt(at) === sought.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** Compares by code points, as JMESPath requires. */
export function compareTexts(a: string, b: string, spend: SpendExpressionSteps): number {
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  spend(at / 16);
  if (at === shared) return a.length - b.length;
  return rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
}

/** Sorts surrogates, which encode code points above U+FFFF, after all other units. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export function countCharacters(text: string, spend: SpendExpressionSteps): number {
  spend(text.length / 16);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.codePointAt(at)! > 0xffff) at += 1;
    count += 1;
  }
  return count;
}

/** Builds a text, up to a maximum length. */
export class TextMaker {
  readonly #spend: SpendExpressionSteps;
  text = "";

  constructor(spend: SpendExpressionSteps) {
    this.#spend = spend;
  }

  add(part: string): void {
    if (this.text.length + part.length > MADE_CHARACTERS_MAX) throw new Error("a text would be too long");
    this.#spend(1 + part.length / CHARACTERS_PER_STEP);
    this.text += part;
  }
}
