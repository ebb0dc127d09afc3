/** Subtracts from the steps that are left. */
type Spend = (steps: number) => void;

/**
 * Texts up to this length are found by the engine, whose cost may be their length at every position; for longer ones a
 * search is used that visits each position once.
 */
const SHORT_CHARACTERS = 16;
const CHARACTERS_PER_STEP = 64;
/** The limit for the length of a text that is built. */
const MADE_CHARACTERS_MAX = 10 * 1024 * 1024;

/**
 * The index of a text in another one, searched for from `from`; -1 if there is none. The engine's own search may take
 * time in proportion to the product of both lengths, which a hostile reply could exploit.
 */
export function findText(text: string, sought: string, from: number, spend: Spend): number {
  if (sought.length <= SHORT_CHARACTERS || sought.length > text.length) {
    const found = text.indexOf(sought, from);
    spend(1 + ((found === -1 ? text.length : found) - from) / 16);
    return found;
  }
  spend(1 + (text.length - from + sought.length) / 8);
  // The algorithm of Knuth, Morris and Pratt.
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== sought.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (text.charCodeAt(at) === sought.charCodeAt(matched)) matched += 1;
    if (matched === sought.length) return at - matched + 1;
  }
  return -1;
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

/** By code points, as JMESPath requires. */
export function compareTexts(a: string, b: string, spend: Spend): number {
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  spend(at / 16);
  if (at === shared) return a.length - b.length;
  return rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at));
}

/** Surrogates, which stand for code points above U+FFFF, come after all other units. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export function countCharacters(text: string, spend: Spend): number {
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
  readonly #spend: Spend;
  text = "";

  constructor(spend: Spend) {
    this.#spend = spend;
  }

  add(part: string): void {
    if (this.text.length + part.length > MADE_CHARACTERS_MAX) throw new Error("a text would be too long");
    this.#spend(1 + part.length / CHARACTERS_PER_STEP);
    this.text += part;
  }
}
