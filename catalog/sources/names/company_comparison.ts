import { defineSource, Type } from "datarun";

import { bandOf, compareWords, METHODS } from "../../offline/compare-words.ts";
import { COMPARISON_FIELDS, HOW_IT_COMPARES } from "../../offline/comparison-schema.ts";
import { textOf, wordsOfName, type Word } from "../../offline/fold-name.ts";
import { partCompanyName, type CompanyName, type NamedForm } from "../../offline/legal-forms.ts";
import { inOneScript } from "../../offline/romanize.ts";

const description = `
Says how alike two names of companies are: the one on an invoice and the one in the register, with their legal forms taken
off and compared on their own.

${HOW_IT_COMPARES}

Words that many companies carry (*group*, *holding*, *international*, *services*) count half, *and* and *the* little. A few
abbreviations are written out (*Co.*, *Corp.*, *Int'l*, *1st*). Words that only the longer name has count half if all of the
shorter one (two words at least) was found.

**Legal forms** are recognised at the end of a name, some at its start, from a table of ours of some 75 forms in some 60 countries
(GmbH, AG, Ltd, LLC, S.A., BV, Sp. z o.o., …), written out or short, with or without dots. \`legal_forms\` says how they
relate. Different forms are different companies in law, so the score is multiplied by 0.85 then; a form that only one of the
names has changes nothing. A spelling that several countries use comes with all of them.

**No record** means that there is nothing to compare, with \`reason\`: \`empty\` (nothing is left but a legal form or signs) or
\`different_scripts\` (one name in Latin letters and one in Arabic, Hebrew, Han, kana, …).

**What it does not know**
- Whether two companies are one: names are unique in one register at best. Compare a register number.
- Trade names, former names, abbreviations (*IBM*), translations, and what a group's companies have to do with each other.
- How rare a word is: *Nordlicht Energy* and *Nordwind Energy* share a word that says little.
`.trim();

const GENERIC = new Set(
  "company co group gruppe groupe grupo holding holdings international services service solutions trading enterprises partners".split(
    " ",
  ),
);
const writtenOut = new Map<string, Word>(
  Object.entries({
    co: "company",
    corp: "corporation",
    bros: "brothers",
    intl: "international",
    mfg: "manufacturing",
    natl: "national",
    "1st": "first",
    "2nd": "second",
    "3rd": "third",
  }).map(([short, text]) => [short, { text, spelled: text }]),
);
const CONNECTORS = new Set("and und et y e of the de der des la le".split(" "));
const GENERIC_WEIGHT = 0.5;
const CONNECTOR_WEIGHT = 0.2;
/** An additional word of a company's name is more often another company than an omission. */
const EXTRA_WEIGHT = 0.5;
const DIFFERENT_FORMS_FACTOR = 0.85;

const name = (about: string) => Type.String({ minLength: 1, maxLength: 200, description: about });

const form = (about: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Object({
          form: Type.String({ description: "Its usual short form; several where a spelling stands for several." }),
          countries: Type.Array(Type.String(), { description: "Countries that have it, alpha-2; `EU` for the Union." }),
        }),
        Type.Null(),
      ],
      { description: about },
    ),
  );

/**
 * How similar two companies' names are, apart from their legal forms. It never says that two companies are the same.
 */
export default defineSource({
  id: "names__company_comparison",
  title: "Comparison of two companies' names",
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
    { name: "Legal forms by country and the weighing of words: own", licence: "as this service", date: "2026-11" },
  ],
  inputs: Type.Object({
    name: name("A company's name, with or without its legal form."),
    other_name: name("The name to compare it with."),
  }),
  output: Type.Object(
    {
      name_normalized: Type.String({ description: "`name` as it was compared, without its legal form." }),
      other_name_normalized: Type.String({ description: "`other_name` as it was compared, without its legal form." }),
      legal_form: form("The legal form of `name`; null if none was recognised."),
      other_legal_form: form("The legal form of `other_name`; null if none was recognised."),
      legal_forms: Type.Optional(
        Type.Enum(["same", "different", "only_one", "none"], { description: "How the two legal forms relate." }),
      ),
      ...Type.Partial(Type.Object(COMPARISON_FIELDS)).properties,
      reason: Type.Optional(
        Type.Enum(["empty", "different_scripts"], { description: "Why nothing was compared. Only without a record." }),
      ),
    },
    { additionalProperties: false },
  ),

  run({ inputs, noMatch }) {
    const company = partName(inputs.name);
    const other = partName(inputs.other_name);
    const normalized = {
      name_normalized: textOf(company.words),
      other_name_normalized: textOf(other.words),
      legal_form: plain(company.form),
      other_legal_form: plain(other.form),
    };
    if (isEmpty(company.words) || isEmpty(other.words)) return noMatch({ ...normalized, reason: "empty" });
    const comparable = inOneScript(company.words, other.words);
    if (comparable === null) return noMatch({ ...normalized, reason: "different_scripts" });
    const { score: wordScore, pairs, ...rest } = compareWords(...comparable, weightOf, EXTRA_WEIGHT);
    const forms = relate(company.form, other.form);
    const score = forms === "different" ? Math.round(wordScore * DIFFERENT_FORMS_FACTOR * 10_000) / 10_000 : wordScore;
    return {
      ...normalized,
      legal_forms: forms,
      score,
      band: bandOf(score),
      methods: METHODS.filter((method) => pairs.some((pair) => pair.method === method)),
      pairs,
      ...rest,
    };
  },
});

/** The words of a name, abbreviations written out, without its legal form. */
function partName(text: string): CompanyName {
  const { words, form: named } = partCompanyName(wordsOfName(text, "joins"));
  return { words: words.map((word) => writtenOut.get(word.text) ?? word), form: named };
}

function isEmpty(words: readonly Word[]): boolean {
  return words.every((word) => CONNECTORS.has(word.text));
}

function weightOf(word: string): number {
  if (CONNECTORS.has(word)) return CONNECTOR_WEIGHT;
  return GENERIC.has(word) ? GENERIC_WEIGHT : 1;
}

function relate(a: NamedForm | null, b: NamedForm | null): "same" | "different" | "only_one" | "none" {
  if (a === null && b === null) return "none";
  if (a === null || b === null) return "only_one";
  return a.form === b.form ? "same" : "different";
}

/** A copy, so that nobody can change the table through a reply. */
function plain(form: NamedForm | null): { form: string; countries: string[] } | null {
  return form === null ? null : { form: form.form, countries: [...form.countries] };
}
