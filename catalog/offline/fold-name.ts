/** One word of a name, ready to be compared. */
export interface Word {
  /** Without case, accents and punctuation. */
  readonly text: string;
  /** The same with umlauts spelled out (`mueller` for `müller`) if there are any; otherwise `text`. */
  readonly spelled: string;
  /** Written in another script than Latin: `text` is one of several usual spellings. */
  readonly isRomanized?: true;
}

/** Letters that Unicode does not decompose into a letter and an accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
  ə: "e",
};

/** How German and the Nordic languages spell these letters if they are not available. */
const SPELLED: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" };

/** Some single characters expand to whole phrases; no real name becomes longer than this. */
const FOLDED_LENGTH_MAX = 256;

const ACCENTS = /[\u0300-\u036f]/g;
const WITHIN_WORDS = /[\p{Cf}'’‘`´ʼʹ]/gu;
/** Control characters other than white space, which an encoding error has put inside a word. */
const CONTROLS = /[^\P{Cc}\s]/gu;

/** The effect of a full stop: `J.R.` in a person's name are two initials, `S.A.` in a company's is one word. */
export type FullStop = "parts" | "joins";

/**
 * The words of a name. Full-width and other compatibility characters are replaced by plain ones; control and invisible
 * characters, emoji and punctuation are removed. Hyphens separate words, apostrophes do not (`O'Hara` is one word).
 */
export function wordsOfName(name: string, fullStop: FullStop): readonly Word[] {
  const plain = name
    .normalize("NFKC")
    .slice(0, FOLDED_LENGTH_MAX)
    .toLowerCase()
    .normalize("NFC")
    .replace(WITHIN_WORDS, "")
    .replace(CONTROLS, "")
    .replaceAll(".", fullStop === "parts" ? " " : "");
  return plain
    .split(/[^\p{L}\p{M}\p{N}&+]+/u)
    .flatMap((part) => part.split(/([&+])/))
    .map((part) => (part === "&" || part === "+" ? "and" : part))
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map((part) => ({ text: withoutAccents(part), spelled: withoutAccents(replaceEach(part, SPELLED)) }));
}

function withoutAccents(text: string): string {
  return replaceEach(text, PLAIN).normalize("NFD").replace(ACCENTS, "").normalize("NFC");
}

function replaceEach(text: string, letters: Readonly<Record<string, string>>): string {
  let replaced = "";
  for (const letter of text) replaced += letters[letter] ?? letter;
  return replaced;
}

const SCRIPTS: readonly RegExp[] = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Georgian}/u,
];

/**
 * Whether two names have a script in common; digits belong to all scripts. Without one, names cannot be compared letter
 * by letter.
 */
export function shareScript(a: readonly Word[], b: readonly Word[]): boolean {
  const [here, there] = [textOf(a), textOf(b)];
  if (!/\p{L}/u.test(here) || !/\p{L}/u.test(there)) return true;
  const ofHere = SCRIPTS.filter((script) => script.test(here));
  const ofThere = SCRIPTS.filter((script) => script.test(there));
  if (ofHere.length === 0 || ofThere.length === 0) return ofHere.length === ofThere.length;
  return ofHere.some((script) => ofThere.includes(script));
}

export function textOf(words: readonly Word[]): string {
  return words.map((word) => word.text).join(" ");
}
