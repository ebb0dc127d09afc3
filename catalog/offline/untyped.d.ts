declare module "date-holidays/data" {
  export const data: { readonly version: string };
}

declare module "talisman/metrics/jaro-winkler.js" {
  /** Similarity of two texts, 0 to 1. */
  export default function jaroWinkler(a: string, b: string): number;
}

declare module "talisman/phonetics/double-metaphone.js" {
  /** The likeliest and the second likeliest way a word of Latin letters is spoken. */
  export default function doubleMetaphone(word: string): readonly [string, string];
}
