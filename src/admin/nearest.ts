import { resembles } from "../terms/resembles.ts";

const SHOWN_MAX = 5;

/** The candidates that a word was probably meant to be: misspelled ones first, then those it is a part of. */
export function nearest(word: string, candidates: readonly string[]): readonly string[] {
  const misspelled = candidates.filter((candidate) => resembles(word, candidate));
  const parts = word
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part.length > 2);
  const partly = candidates.filter((candidate) => parts.some((part) => candidate.toLowerCase().includes(part)));
  return [...new Set([...misspelled, ...partly])].slice(0, SHOWN_MAX);
}
