import { defineSource, Type } from "datarun";

import { bandOf, compareWords, METHODS } from "../../offline/compare-words.ts";
import { COMPARISON_FIELDS, HOW_IT_COMPARES } from "../../offline/comparison-schema.ts";
import { textOf, wordsOfName, type Word } from "../../offline/fold-name.ts";
import { inOneScript } from "../../offline/romanize.ts";

const description = `
Says how alike two names of persons are: the applicant's and the account holder's, the insured's and the one in a registry.

${HOW_IT_COMPARES}

Titles at the start (Dr, Mrs, Herr) are left out. Particles (de, van, bin) count little.

Words that only the longer name has count 0.3 if all of the shorter one (two words at least) was found: second names are
often left out.

**No record** means that there is nothing to compare, with \`reason\`: \`empty\` (a name without a letter) or
\`different_scripts\` (one name in Latin letters and one in Arabic, Hebrew, Han, kana, …: ask with both in one script).

**What it does not know**
- Whether two people are one. Many people share a name, and one letter can make another person: *Juan* and *Juana*, *Daniel*
  and *Daniela* are \`close\`. Never decide on a name alone; hold it against a date of birth.
- Short names (*Bill* for *William*), former names, and names that two languages write differently (*Johannes*, *Giovanni*).
- Which word is the family name: a family name that differs weighs no more than a first name that does.
- Sounds outside English.
`.trim();

const TITLES = new Set("mr mrs ms miss mx dr prof herr frau mme mlle sir dame ing mag".split(" "));
const PARTICLES = new Set(
  "de da do di del della dei der den des du van von vom zu zur ter ten la le el al y e i and bin bint ibn ben abu".split(
    " ",
  ),
);
const PARTICLE_WEIGHT = 0.3;
/** Second names are often omitted. */
const EXTRA_WEIGHT = 0.3;

const name = (about: string) => Type.String({ minLength: 1, maxLength: 200, description: about });

/** How similar two persons' names are, with the pairs of words found. It never says that two people are the same. */
export default defineSource({
  id: "names__person_comparison",
  title: "Comparison of two persons' names",
  description,
  docs: "https://github.com/Yomguithereal/talisman",
  charge: "free",
  data: [
    {
      name: "Jaro-Winkler and Double Metaphone, by talisman 1.1.4",
      licence: "MIT",
      date: "2024-12",
      url: "https://github.com/Yomguithereal/talisman",
    },
    { name: "Titles, particles and the weighing of words: own", licence: "as this service", date: "2026-11" },
  ],
  inputs: Type.Object({
    name: name("A person's name, its parts in any order."),
    other_name: name("The name to compare it with."),
  }),
  output: Type.Object(
    {
      name_normalized: Type.String({ description: "`name` as it was compared." }),
      other_name_normalized: Type.String({ description: "`other_name` as it was compared." }),
      ...Type.Partial(Type.Object(COMPARISON_FIELDS)).properties,
      reason: Type.Optional(
        Type.Enum(["empty", "different_scripts"], { description: "Why nothing was compared. Only without a record." }),
      ),
    },
    { additionalProperties: false },
  ),

  run({ inputs, noMatch }) {
    const words = withoutTitles(wordsOfName(inputs.name, "parts"));
    const others = withoutTitles(wordsOfName(inputs.other_name, "parts"));
    const normalized = { name_normalized: textOf(words), other_name_normalized: textOf(others) };
    if (!isComparable(words) || !isComparable(others)) return noMatch({ ...normalized, reason: "empty" });
    const comparable = inOneScript(words, others);
    if (comparable === null) return noMatch({ ...normalized, reason: "different_scripts" });
    const { score, pairs, ...rest } = compareWords(...comparable, weightOf, EXTRA_WEIGHT);
    return {
      ...normalized,
      score,
      band: bandOf(score),
      methods: METHODS.filter((method) => pairs.some((pair) => pair.method === method)),
      pairs,
      ...rest,
    };
  },
});

function withoutTitles(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex((word) => !TITLES.has(word.text));
  return start === -1 ? words : words.slice(start);
}

/** A person's name contains at least one letter. */
function isComparable(words: readonly Word[]): boolean {
  return words.some((word) => /\p{L}/u.test(word.text));
}

function weightOf(word: string): number {
  return PARTICLES.has(word) ? PARTICLE_WEIGHT : 1;
}
