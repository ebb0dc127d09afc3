import editDistance from "talisman/metrics/damerau-levenshtein.js";
import jaroWinkler from "talisman/metrics/jaro-winkler.js";
import doubleMetaphone from "talisman/phonetics/double-metaphone.js";

import type { Word } from "./fold-name.ts";

/** The ways in which two words may be similar, the most certain first. */
export const METHODS = ["equal", "transliteration", "phonetic", "jaro_winkler", "initial"] as const;
export type Method = (typeof METHODS)[number];

export interface Pair {
  readonly word: string;
  readonly other_word: string;
  readonly similarity: number;
  readonly method: Method;
}

export interface Comparison {
  /** From 0 to 1, with four decimals. */
  readonly score: number;
  readonly pairs: readonly Pair[];
  readonly unmatched: readonly string[];
  readonly other_unmatched: readonly string[];
  readonly same_order: boolean;
}

const ALIKE_MIN = 0.85;
const SHORT_ALIKE_MIN = 0.9;
const SHORT_WORD = 3;
/**
 * The greatest share of letters that may differ, two swapped ones being one. Jaro-Winkler alone favours words with the
 * same beginning: `lukashevich` and `lukashenko` have 0.91.
 */
const DIFFERENT_LETTERS_MAX = 1 / 3;
/** Words that sound alike but are less similar than this in spelling count as different words. */
const PHONETIC_MIN = 0.7;
const PHONETIC_SIMILARITY = 0.9;
/** The similarity of unequal words is at most this, so that they never count as equal. */
const UNEQUAL_MAX = 0.97;
const INITIAL_SIMILARITY = 0.75;
const INITIAL_WEIGHT = 0.5;

/**
 * Pairs the words of two names in any order, the best pair first and each word once, and divides the weight of the
 * pairs by that of all words.
 *
 * @param extraWeight the share at which the additional words of the longer name count if everything in the shorter one
 *   (of at least two words) was found: a middle name that one vendor omits is not a contradiction
 */
export function compareWords(
  words: readonly Word[],
  otherWords: readonly Word[],
  weightOf: (word: string) => number,
  extraWeight: number,
): Comparison {
  const [here, there] = [joinParted(words, otherWords).map(measured), joinParted(otherWords, words).map(measured)];
  const pairs = pairUp(here, there);
  const weigh = ({ text }: Word) => (/^\p{L}$/u.test(text) ? Math.min(INITIAL_WEIGHT, weightOf(text)) : weightOf(text));
  let fitting = 0;
  let all = 0;
  for (const { at, otherAt, similarity } of pairs) {
    const weight = weigh(here[at]!) + weigh(there[otherAt]!);
    fitting += similarity * weight;
    all += weight;
  }
  const left = here.filter((_, at) => !pairs.some((pair) => pair.at === at));
  const otherLeft = there.filter((_, at) => !pairs.some((pair) => pair.otherAt === at));
  const isContained = pairs.length >= 2 && (left.length === 0 || otherLeft.length === 0);
  for (const word of [...left, ...otherLeft]) all += weigh(word) * (isContained ? extraWeight : 1);
  const inOrder = pairs.toSorted((a, b) => a.at - b.at);
  return {
    score: all === 0 ? 0 : Math.round((fitting / all) * 10_000) / 10_000,
    pairs: inOrder.map(({ at, otherAt, similarity, method }) => ({
      word: here[at]!.text,
      other_word: there[otherAt]!.text,
      similarity: Math.round(similarity * 10_000) / 10_000,
      method,
    })),
    unmatched: left.map((word) => word.text),
    other_unmatched: otherLeft.map((word) => word.text),
    same_order: inOrder.every((pair, index) => index === 0 || inOrder[index - 1]!.otherAt < pair.otherAt),
  };
}

/** Joins neighbouring words that the other name writes as one: `mac donald`, `macdonald`. */
function joinParted(words: readonly Word[], others: readonly Word[]): readonly Word[] {
  const whole = new Set(others.map((word) => word.text));
  const joined: Word[] = [];
  for (let at = 0; at < words.length;) {
    const count = JOINED_COUNTS.find((length) => whole.has(joinedText(words.slice(at, at + length), "text"))) ?? 1;
    const parts = words.slice(at, at + count);
    joined.push(
      count === 1 ? parts[0]! : { ...parts[0], text: joinedText(parts, "text"), spelled: joinedText(parts, "spelled") },
    );
    at += count;
  }
  return joined;
}

const JOINED_COUNTS = [4, 3, 2];

function joinedText(words: readonly Word[], key: "text" | "spelled"): string {
  return words.map((word) => word[key]).join("");
}

interface Measured extends Word {
  readonly sound: string;
  readonly hasDigit: boolean;
}

function measured(word: Word): Measured {
  const isLatin = /^[a-z]+$/.test(word.text);
  return { ...word, sound: isLatin ? doubleMetaphone(word.text)[0] : "", hasDigit: /\p{N}/u.test(word.text) };
}

interface Candidate {
  readonly at: number;
  readonly otherAt: number;
  readonly similarity: number;
  readonly method: Method;
}

function pairUp(here: readonly Measured[], there: readonly Measured[]): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const [at, word] of here.entries()) {
    for (const [otherAt, other] of there.entries()) {
      const alike = compare(word, other);
      if (alike !== undefined) candidates.push({ at, otherAt, ...alike });
    }
  }
  // Of equal pairs, the one in the same position comes first, so that the result is deterministic.
  candidates.sort(
    (a, b) => b.similarity - a.similarity || Math.abs(a.at - a.otherAt) - Math.abs(b.at - b.otherAt) || a.at - b.at,
  );
  const taken = new Set<number>();
  const otherTaken = new Set<number>();
  return candidates.filter(({ at, otherAt }) => {
    if (taken.has(at) || otherTaken.has(otherAt)) return false;
    taken.add(at);
    otherTaken.add(otherAt);
    return true;
  });
}

function compare(a: Measured, b: Measured): { similarity: number; method: Method } | undefined {
  if (a.isRomanized !== b.isRomanized && a.text === b.text)
    return { similarity: UNEQUAL_MAX, method: "transliteration" };
  if (a.text === b.text) return { similarity: 1, method: "equal" };
  if (a.spelled === b.spelled || a.spelled === b.text || a.text === b.spelled) {
    return { similarity: 1, method: "transliteration" };
  }
  // Words with digits must be equal: "Fund 1" and "Fund 2" are two funds.
  if (a.hasDigit || b.hasDigit) return undefined;
  if (a.text.length === 1 || b.text.length === 1) {
    const isInitial = a.text.length !== b.text.length && (a.text.startsWith(b.text) || b.text.startsWith(a.text));
    return isInitial ? { similarity: INITIAL_SIMILARITY, method: "initial" } : undefined;
  }
  const similarity = Math.min(UNEQUAL_MAX, jaroWinkler(a.text, b.text));
  const soundsAlike = a.sound !== "" && a.sound === b.sound;
  if (soundsAlike && similarity >= PHONETIC_MIN && similarity < PHONETIC_SIMILARITY) {
    return { similarity: PHONETIC_SIMILARITY, method: "phonetic" };
  }
  const length = Math.max(a.text.length, b.text.length);
  if (editDistance(a.text, b.text) > Math.max(1, length * DIFFERENT_LETTERS_MAX)) return undefined;
  const isShort = Math.min(a.text.length, b.text.length) <= SHORT_WORD;
  return similarity >= (isShort ? SHORT_ALIKE_MIN : ALIKE_MIN) ? { similarity, method: "jaro_winkler" } : undefined;
}

export const BANDS = ["equal", "close", "similar", "different"] as const;

/** The meaning of a score. The limits are our own, and were not fitted to any data. */
export function bandOf(score: number): (typeof BANDS)[number] {
  if (score === 1) return "equal";
  if (score >= 0.9) return "close";
  return score >= 0.75 ? "similar" : "different";
}
