import { defineSource, Type } from "datarun";
import { iso31661Reserved } from "iso-3166/1-reserved.js";
import { iso31661 } from "iso-3166/1.js";

import { foldCountryName, loadCountryIndex } from "../../offline/country-index.ts";
import { loadOnce } from "../../offline/load-once.ts";
import { loadEuMembers } from "../../offline/regions.ts";

const DATA_DATE = "2026-03";

interface Country {
  readonly alpha2: string;
  readonly alpha3: string | null;
  readonly numeric: string | null;
  readonly name: string;
}

/** Kosovo has no ISO code; the European Union, banks and this source use the user-assigned XK. */
const KOSOVO: Country = { alpha2: "XK", alpha3: null, numeric: null, name: "Kosovo" };
const COUNTRIES = new Map<string, Country>([...iso31661, KOSOVO].map((country) => [country.alpha2, country]));
const ALPHA2_OF_ALPHA3 = new Map<string, string>(iso31661.map((country) => [country.alpha3, country.alpha2]));
const ALPHA2_OF_NUMERIC = new Map<string, string>(iso31661.map((country) => [country.numeric, country.alpha2]));
const RESERVED = new Map<string, (typeof iso31661Reserved)[number]>(
  iso31661Reserved.map((code) => [code.alpha2, code]),
);

/**
 * Codes that ISO does not define for the country, but that stand for exactly one: EU usage (EL, UK), and two codes for
 * Kosovo.
 */
const CODE_ALIASES = new Map([
  ["UK", "GB"],
  ["EL", "GR"],
  ["XKX", "XK"],
  ["XKK", "XK"],
]);

/** The European Economic Area is the European Union and these three countries; Switzerland belongs to neither. */
const EEA_OUTSIDE_EU = new Set(["IS", "LI", "NO"]);

/** About 5,000 rows, which few requests need. */
const loadSubdivisions = loadOnce(async () => (await import("iso-3166/2.js")).iso31662);

const description = `
Turns whatever a form, a registry or another vendor calls a country into its ISO 3166-1 codes: an alpha-2, alpha-3 or
numeric code, or a name in any of 78 languages. Case, accents, punctuation, full-width letters and invisible characters do
not matter; nothing else is guessed, and a misspelt name is not found.

Codes are tried before names: \`MY\` is Malaysia, although *Mỹ* is Vietnamese for the United States. Words of two or three
plain letters that are not a code are looked up in English alone (*UAE*, *USA*). \`UK\` and \`EL\` (the European Union's codes for
the United Kingdom and Greece) are understood.

**No record** means that the text is not the code or name of one country. Two cases say more:
- \`candidates\`: the name stands for several (*Congo*); ask again with a code.
- \`reserved\`: a code that ISO keeps from use or has withdrawn (\`SU\`, \`YU\`, \`EU\`), with what it stood for.

**What it does not know**
- Parts of countries: *England*, *California* are not countries here. Territories with a code of their own (Puerto Rico,
  Hong Kong, Réunion) are, and then \`eu_member_state\` is false even where Union law applies; ask
  \`openstreetmap__country_at\` for that.
- Kosovo (\`XK\`) has no code of ISO's: \`iso_status\` is \`user_assigned\`, and alpha-3 and number are null.
- Whether a membership held at some earlier time. The names are as published, politics included; none is our judgement.
`.trim();

const code = (pattern: string, about: string) => Type.String({ pattern, description: about });

/**
 * Finds a country by any of its codes or names. A name that stands for several countries gives no record, and the reply
 * lists them.
 */
export default defineSource({
  id: "iso__country",
  title: "Country codes of a country",
  description,
  docs: "https://www.iso.org/iso-3166-country-codes.html",
  charge: "free",
  data: [
    {
      name: "ISO 3166-1, 3166-2 and reserved codes as listed by Wikipedia, by iso-3166 4.4.0",
      licence: "MIT",
      date: DATA_DATE,
      max_age_days: 400,
      url: "https://github.com/wooorm/iso-3166",
    },
    {
      name: "Country names in 78 languages, by i18n-iso-countries 7.14.0",
      licence: "MIT",
      date: "2025-07",
      url: "https://github.com/michaelwittig/node-i18n-iso-countries",
    },
    {
      name: "Members of the European Union, by @rapideditor/country-coder 5.6.1",
      licence: "ISC",
      date: "2026-02",
      max_age_days: 730,
      url: "https://github.com/rapideditor/country-coder",
    },
  ],
  inputs: Type.Object({
    country: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "A country's alpha-2, alpha-3 or numeric code, or its name in any of 78 languages. Leading zeros of a number may be missing.",
      examples: ["DE", "DEU", "276", "Allemagne"],
    }),
    include_subdivisions: Type.Optional(
      Type.Boolean({ description: "Also list the country's subdivisions (ISO 3166-2). Left out: no." }),
    ),
  }),
  output: Type.Object(
    {
      alpha_2: Type.Optional(code("^[A-Z]{2}$", "ISO 3166-1 alpha-2 code.")),
      alpha_3: Type.Optional(
        Type.Union([code("^[A-Z]{3}$", ""), Type.Null()], { description: "ISO 3166-1 alpha-3 code; null for Kosovo." }),
      ),
      numeric: Type.Optional(
        Type.Union([code("^[0-9]{3}$", ""), Type.Null()], {
          description: "ISO 3166-1 numeric code, three digits; null for Kosovo.",
        }),
      ),
      name: Type.Optional(Type.String({ description: "English short name of ISO 3166-1." })),
      iso_status: Type.Optional(
        Type.Enum(["assigned", "user_assigned"], {
          description: "Whether ISO assigns the code; `user_assigned`: Kosovo.",
        }),
      ),
      matched_by: Type.Optional(
        Type.Enum(["alpha_2", "alpha_3", "numeric", "code_alias", "name"], {
          description: "What the text was read as.",
        }),
      ),
      eu_member_state: Type.Optional(Type.Boolean({ description: "A member state of the European Union." })),
      eea_member_state: Type.Optional(Type.Boolean({ description: "A state of the European Economic Area." })),
      subdivisions: Type.Optional(
        Type.Array(
          Type.Object({
            code: Type.String({ description: "ISO 3166-2 code." }),
            name: Type.String({ description: "Its name, in the language of the standard's list." }),
            parent: Type.String({ description: "The code of the country or subdivision it is directly part of." }),
          }),
          { description: "Subdivisions, as they stand in ISO 3166-2. Only when asked for; may be empty." },
        ),
      ),
      candidates: Type.Optional(
        Type.Array(Type.String(), {
          description: "Alpha-2 codes of the countries the name may mean. Only without a record.",
        }),
      ),
      reserved: Type.Optional(
        Type.Object(
          {
            code: Type.String({ description: "The code." }),
            name: Type.String({ description: "What it is reserved for." }),
            state: Type.String({ description: "How ISO keeps it: exceptionally reserved, formerly assigned, …" }),
          },
          { description: "A code that is not one of a country today. Only without a record." },
        ),
      ),
      data_date: Type.String({ description: "The month of the list of codes." }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch }) {
    const found = await findCountry(inputs.country);
    if ("candidates" in found) {
      return found.candidates.length === 0 ? null : noMatch({ candidates: found.candidates, data_date: DATA_DATE });
    }
    if ("reserved" in found) return noMatch({ reserved: found.reserved, data_date: DATA_DATE });
    const { alpha2, alpha3, numeric, name } = found.country;
    const isEuMember = (await loadEuMembers()).has(alpha2);
    return {
      alpha_2: alpha2,
      alpha_3: alpha3,
      numeric,
      name,
      iso_status: alpha3 === null ? "user_assigned" : "assigned",
      matched_by: found.by,
      eu_member_state: isEuMember,
      eea_member_state: isEuMember || EEA_OUTSIDE_EU.has(alpha2),
      ...(inputs.include_subdivisions === true && { subdivisions: await subdivisionsOf(alpha2) }),
      data_date: DATA_DATE,
    };
  },
});

type MatchedBy = "alpha_2" | "alpha_3" | "numeric" | "code_alias" | "name";
type Found =
  | { readonly country: Country; readonly by: MatchedBy }
  | { readonly reserved: { readonly code: string; readonly name: string; readonly state: string } }
  | { readonly candidates: readonly string[] };

async function findCountry(text: string): Promise<Found> {
  // Only plain letters and digits can be a code: "Bỉ" is Belgium, but "BI" is Burundi.
  const plain = text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toUpperCase();
  const byCode = /^[A-Z]{2,3}$|^[0-9]{1,3}$/.test(plain) ? findByCode(plain) : undefined;
  if (byCode !== undefined) return byCode;
  const { byName, byEnglishName } = await loadCountryIndex();
  const alpha2s = (/^[A-Z]{1,3}$/.test(plain) ? byEnglishName : byName).get(foldCountryName(text)) ?? [];
  const [alpha2, ...others] = alpha2s;
  const country = alpha2 === undefined ? undefined : COUNTRIES.get(alpha2);
  return country !== undefined && others.length === 0 ? { country, by: "name" } : { candidates: alpha2s };
}

function findByCode(code: string): Found | undefined {
  const known = (alpha2: string | undefined, by: MatchedBy): Found | undefined => {
    const country = alpha2 === undefined ? undefined : COUNTRIES.get(alpha2);
    return country && { country, by };
  };
  const found =
    known(code, "alpha_2") ??
    known(ALPHA2_OF_ALPHA3.get(code), "alpha_3") ??
    known(ALPHA2_OF_NUMERIC.get(code.padStart(3, "0")), "numeric") ??
    known(CODE_ALIASES.get(code), "code_alias");
  if (found !== undefined) return found;
  const reserved = RESERVED.get(code);
  return reserved && { reserved: { code, name: reserved.name, state: reserved.state.replaceAll("-", " ") } };
}

async function subdivisionsOf(alpha2: string) {
  const prefix = `${alpha2}-`;
  return (await loadSubdivisions())
    .filter((subdivision) => subdivision.code.startsWith(prefix))
    .map(({ code, name, parent }) => ({ code, name, parent }));
}
