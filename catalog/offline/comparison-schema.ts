import { Type } from "datarun";

import { BANDS, METHODS } from "./compare-words.ts";

/** The fields that both comparisons of names return. */
export const COMPARISON_FIELDS = {
  score: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "How alike the names are, from 0 (no word fits) to 1 (equal after normalising, in any order). It is not a probability.",
  }),
  band: Type.Enum([...BANDS], {
    description: "`equal`: 1; `close`: from 0.9; `similar`: from 0.75; `different`: below.",
  }),
  methods: Type.Array(Type.Enum([...METHODS]), {
    description: "The methods by which words were found alike, surest first; see the description.",
  }),
  pairs: Type.Array(
    Type.Object({
      word: Type.String({ description: "Word of `name`." }),
      other_word: Type.String({ description: "The word of `other_name` it fits." }),
      similarity: Type.Number({ minimum: 0, maximum: 1, description: "How well these two fit." }),
      method: Type.Enum([...METHODS], { description: "How that was found." }),
    }),
    { description: "The words that fit, in the order of `name`." },
  ),
  unmatched: Type.Array(Type.String(), { description: "Words that only `name` has." }),
  other_unmatched: Type.Array(Type.String(), { description: "Words that only `other_name` has." }),
  same_order: Type.Boolean({ description: "The fitting words are in the same order in both." }),
};

/** The text about the score in the descriptions of both sources. */
export const HOW_IT_COMPARES = `
**How it compares.** Both names are normalised (case, accents, full-width letters, punctuation, invisible characters and
emoji do not matter), their words are paired whatever their order, and each pair has a method:

| method | means |
|---|---|
| \`equal\` | the same word after normalising |
| \`transliteration\` | the same once umlauts are written out (Müller, Mueller), or once Cyrillic, Greek, Georgian or Armenian letters are written in Latin ones, which counts 0.97 |
| \`phonetic\` | sounds alike in English ears (Double Metaphone) and is spelled alike enough; counts 0.9 |
| \`jaro_winkler\` | spelled alike (0.85 or more, short words 0.9, and at most a third of the letters different), never counting more than 0.97 |
| \`initial\` | an initial and a word that begins with it; counts 0.75 |

The score is what fits, weighed against all words of both names. Words with digits fit only when equal. If the names have no
script in common, those in Cyrillic, Greek, Georgian or Armenian letters are written in Latin ones first.

**What the score means.** \`equal\` (1): the same name, perhaps written differently. \`close\` (0.9 or more): a spelling apart, or
an addition. \`similar\` (0.75 or more): look at \`pairs\`. \`different\`: less. The limits are ours: choose your own on your own
data. On the 826 labelled pairs of names in \`contrib/name_bench/cases.csv\` of opensanctions/nomenklatura, which are hard on
purpose, a limit of 0.85 has a precision of 0.89, a recall of 0.78 and an F1 of 0.83. The same inputs always give the same score.
`.trim();
