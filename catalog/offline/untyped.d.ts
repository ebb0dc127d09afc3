declare module "date-holidays/data" {
  export const data: { readonly version: string };
}

declare module "talisman/metrics/jaro-winkler.js" {
  /** The similarity of two texts, from 0 to 1. */
  export default function jaroWinkler(a: string, b: string): number;
}

declare module "talisman/metrics/damerau-levenshtein.js" {
  /** The number of letters to insert, delete, replace or swap with their neighbour. */
  export default function damerauLevenshtein(a: string, b: string): number;
}

declare module "talisman/phonetics/double-metaphone.js" {
  /** The most likely and the second most likely pronunciation of a word in Latin letters. */
  export default function doubleMetaphone(word: string): readonly [string, string];
}
