import { defineSource, Type } from "datarun";
import type { Validator } from "stdnum";

import { loadOnce } from "../../offline/load-once.ts";
import type { Refusal, Verdict } from "../../offline/numbers/validate-number.ts";

const LIBRARY_DATE = "2026-08-23";
const RULES_DATE = "2026-11-27";

const KINDS = ["vat", "company", "tax", "person"] as const;
type Kind = (typeof KINDS)[number];

/**
 * The numbers that a country has for each kind, by the library's names. XI is Northern Ireland, as in VIES. A number is tried as each in turn and the first
 * that fits is used, so strict rules come before lax ones. Numbers of bank accounts, passports, receipts and products
 * are left out, because they do not identify a holder.
 */
const NUMBERS: Readonly<Record<string, Readonly<Partial<Record<Kind, readonly string[]>>>>> = {
  AD: { tax: ["nrt"] },
  AL: { vat: ["nipt"], tax: ["nipt"] },
  AO: { tax: ["nif"], person: ["bi"] },
  AR: { vat: ["cuit"], tax: ["cuit"], person: ["dni"] },
  AT: { vat: ["uid"], company: ["businessid"], tax: ["tin"], person: ["vnr"] },
  AU: { vat: ["abn"], company: ["abn", "acn"], tax: ["tfn"] },
  AZ: { tax: ["tin"], person: ["pin"] },
  BA: { person: ["jmbg"] },
  BE: { vat: ["vat"], company: ["vat"], person: ["nn", "bis"] },
  BG: { vat: ["vat"], person: ["egn", "pnf"] },
  BO: { person: ["ci"] },
  BR: { company: ["cnpj"], tax: ["cnpj", "cpf"], person: ["cpf"] },
  BY: { vat: ["unp"], tax: ["unp"] },
  CA: { vat: ["gst", "qst"], company: ["bn"], tax: ["bn"], person: ["sin"] },
  CH: { vat: ["vat"], company: ["uid"], person: ["ssn"] },
  CL: { vat: ["rut"], tax: ["rut"], person: ["run"] },
  CN: { company: ["uscc"], tax: ["uscc"], person: ["ric"] },
  CO: { tax: ["nit"] },
  CR: { company: ["cpj"], tax: ["cpj", "cpf"], person: ["cpf", "cr"] },
  CU: { person: ["ni"] },
  CY: { vat: ["vat"] },
  CZ: { vat: ["dic"], company: ["ico"], person: ["rc"] },
  DE: { vat: ["vat"], tax: ["idnr", "stnr"], person: ["idnr", "svnr"] },
  DK: { vat: ["cvr"], company: ["cvr"], person: ["cpr"] },
  DO: { company: ["rnc"], tax: ["rnc"], person: ["cedula"] },
  DZ: { tax: ["nif"] },
  EC: { company: ["ruc"], person: ["ci"] },
  EE: { vat: ["kmkr"], company: ["registrikood"], person: ["ik"] },
  EG: { tax: ["tn"] },
  ES: { vat: ["nif"], company: ["cif"], tax: ["nif"], person: ["dni", "nie", "nss"] },
  FI: { vat: ["alv"], company: ["ytunnus"], person: ["hetu"] },
  FO: { vat: ["vn"], tax: ["vn"] },
  FR: { vat: ["tva"], company: ["siren", "siret"], tax: ["nif"], person: ["nir"] },
  GB: { vat: ["vat"], tax: ["utr"], person: ["nino"] },
  GH: { tax: ["tin"] },
  GN: { tax: ["nifp"] },
  GR: { vat: ["vat"], tax: ["vat"], person: ["amka"] },
  GT: { tax: ["nit"], person: ["cui"] },
  HK: { person: ["hkid"] },
  HR: { vat: ["oib"], tax: ["oib"], person: ["oib"] },
  HU: { vat: ["anum"] },
  ID: { vat: ["npwp"], tax: ["npwp"] },
  IE: { vat: ["vat"], person: ["pps"] },
  IL: { company: ["hp"], person: ["idnr"] },
  IN: { vat: ["gstin"], tax: ["pan"], person: ["aadhaar", "epic"] },
  IS: { vat: ["vsk"], company: ["kennitala"], person: ["kennitala"] },
  IT: { vat: ["iva"], company: ["codicefiscale"], tax: ["codicefiscale"], person: ["codicefiscale"] },
  JP: { company: ["cn"] },
  KE: { tax: ["pin"] },
  KR: { company: ["brn"], person: ["rrn"] },
  LI: { tax: ["peid"] },
  LT: { vat: ["pvm"], person: ["asmens"] },
  LU: { vat: ["tva"] },
  LV: { vat: ["pvn"] },
  MA: { company: ["ice"] },
  MC: { vat: ["tva"] },
  MD: { company: ["idno"] },
  ME: { tax: ["pib"], person: ["jmbg"] },
  MK: { person: ["jmbg"] },
  MT: { vat: ["vat"] },
  MU: { person: ["nid"] },
  MX: { vat: ["rfc"], company: ["rfc"], tax: ["rfc"], person: ["curp"] },
  MY: { person: ["nric"] },
  MZ: { tax: ["nuit"], person: ["bi"] },
  NL: { vat: ["btw"], person: ["bsn"] },
  NO: { vat: ["mva"], company: ["orgnr"], person: ["fodselsnummer"] },
  NZ: { tax: ["ird"] },
  PE: { company: ["ruc"], tax: ["ruc"], person: ["cui", "ce"] },
  PK: { tax: ["ntn", "cnic"], person: ["cnic"] },
  PL: { vat: ["nip"], company: ["regon"], tax: ["nip"], person: ["pesel"] },
  PT: { vat: ["nif"], company: ["nipc"], tax: ["nif"], person: ["cc"] },
  PY: { tax: ["ruc"], person: ["cedula"] },
  RO: { vat: ["cif"], company: ["cui", "onrc"], person: ["cnp"] },
  RS: { vat: ["pib"], tax: ["pib"], person: ["jmbg"] },
  RU: { company: ["inn"], tax: ["inn"] },
  SE: { vat: ["vat"], company: ["orgnr"], person: ["personnummer"] },
  SG: { company: ["uen"], tax: ["uen"] },
  SI: { vat: ["ddv"], tax: ["ddv"], person: ["emso"] },
  SK: { vat: ["dph"], person: ["rc"] },
  SM: { vat: ["coe"], tax: ["coe"] },
  SV: { tax: ["nit"] },
  TH: { company: ["moa"], tax: ["tin"], person: ["idnr"] },
  TN: { tax: ["mf"] },
  TR: { tax: ["vkn"], person: ["tckimlik"] },
  TW: { company: ["ubn"], person: ["natid", "ui"] },
  UA: { company: ["edrpou"], tax: ["edrpou", "rntrc"], person: ["rntrc"] },
  US: { company: ["ein"], tax: ["ein"], person: ["ssn"] },
  UY: { tax: ["rut"], person: ["cedula", "nie"] },
  VE: { tax: ["rif"] },
  VN: { tax: ["mst"] },
  XI: { vat: ["vat"] },
  ZA: { vat: ["vat"], tax: ["tin"], person: ["idnr"] },
};

/** The prefix of a VAT number in VIES: the country code, except for Greece. */
const VIES_PREFIX: ReadonlyMap<string, string> = new Map(
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI"
    .split(" ")
    .map((country) => [country, country === "GR" ? "EL" : country]),
);

/** From the least to the most specific: if a number fails as several types, the most specific reason is reported. */
const REASONS: readonly (Refusal | "other_holder")[] = ["unknown_format", "component", "checksum", "other_holder"];

export default defineSource({
  id: "stdnum__registration_number",
  title: "Company, VAT, tax or personal number",
  description: `
Checks a registration number by its country's own rules (length, characters, parts such as dates and regions, check
digits) and writes it in its compact and its official form. Nothing leaves the service.

A **record** is a number that fits the rules. **No record** comes with a \`reason\`:

| reason | meaning |
| --- | --- |
| \`component\` | there is no such number: a part such as a date or region cannot exist |
| \`checksum\` | there is no such number: its check digits are wrong |
| \`other_holder\` | a right number, but an individual's where a company was asked for, or the reverse |
| \`unknown_format\` | this source does not know numbers of this form, so it cannot say whether there is one |

\`valid\` is then \`null\` for \`unknown_format\`, and \`false\` otherwise. A country without numbers of the asked kind is an
input failure that names \`kind\`. \`XI\` is Northern Ireland, for VAT numbers.

A German tax number of an office has ten, eleven or thirteen digits. Each state computes its check digit in another way, so
only its form is checked; a mistyped IdNr that begins with 0 to 3 can pass as one, with \`check_digits: false\`.

**What it does not know**
- Whether the number was ever issued, to whom, and whether it is still in force.
- More than the form, where \`check_digits\` is false: a mistyped number mostly fits as well. Either there is no check digit
  (the US EIN, for one), or its rule is not published, or the issuer does not keep to it (Mexican RFCs, companies and public
  bodies in Ecuador, identity cards of the Dominican Republic).
- Lists of tax offices, entity types, programmes or municipalities that grow: they are not compared.
- Numbers of one digit alone, such as 111111111: people write them where they have none, and some are right. Zeros alone are
  no number, and neither is a CPF of one digit alone.
- Korean resident numbers given out since October 2020 have no check digit any more. Those of foreigners and of children born
  since then are checked for their form; of other citizens who got a new number, nine in ten are refused.

Names of persons, birth dates and sexes that some numbers hold are neither read out nor kept. Ask for \`kind: "person"\`
only where the law lets you process such numbers.

| country | kinds, and the numbers looked for |
| --- | --- |
${Object.entries(NUMBERS)
  .map(([country, kinds]) => `| ${country} | ${listed(kinds)} |`)
  .join("\n")}`,
  docs: "https://github.com/koblas/stdnum-js",
  charge: "free",
  data: [
    {
      name: "stdnum 1.12.0: names and written forms of the numbers of tax offices and registers",
      licence: "MIT",
      date: LIBRARY_DATE,
      max_age_days: 400,
      url: "https://github.com/koblas/stdnum-js",
    },
  ],
  inputs: Type.Object(
    {
      country: Type.Enum(Object.keys(NUMBERS), {
        description: "ISO 3166-1 alpha-2 code, upper case, of the country that issued the number.",
        examples: ["DE"],
      }),
      kind: Type.Enum(KINDS, {
        description:
          "`vat`: for value added, goods or sales tax; `company`: of a business register; `tax`: of a tax office; " +
          "`person`: national, social security or residence number of a natural person. Not every country has all four.",
      }),
      number: Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The number as it was typed, with or without separators and country prefix.",
        examples: ["DE 136 695 976"],
      }),
    },
    { allOf: kindsByCountry() },
  ),
  output: Type.Object(
    {
      number: Type.String({ description: "The number in compact form: no separators, no country prefix." }),
      valid: Type.Literal(true, { description: "It fits the country's rules." }),
      formatted: Type.String({ description: "The number as the country writes it." }),
      country: Type.String({ pattern: "^[A-Z]{2}$", description: "The country asked for." }),
      kind: Type.Enum(KINDS, { description: "The kind asked for." }),
      type: Type.String({ description: "Which of the country's numbers it is, such as `cnpj`; see the table." }),
      check_digits: Type.Boolean({
        description:
          "Some digit is checked against the others; false: the form alone fits, which most mistypings do too, as there " +
          "is no check digit or the issuer does not guarantee it.",
      }),
      local_name: Type.String({
        description: "The number's official name, in a language of the country if there is one.",
      }),
      abbreviation: Type.Union([Type.String(), Type.Null()], {
        description: "What it is called for short, such as `CNPJ`.",
      }),
      holder: Type.Union([Type.Enum(["business", "individual"]), Type.Null()], {
        description: "Who holds such a number; null where businesses and individuals have the same.",
      }),
      vies_number: Type.Union([Type.String(), Type.Null()], {
        description: "For a VAT number of an EU member: with the prefix the VIES service asks for.",
      }),
      data_date: Type.String({ format: "date", description: "The day on which the rules were last reviewed." }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch }) {
    const { country } = inputs;
    const kind: Kind = inputs.kind;
    const today = new Date().toISOString().slice(0, 10);
    const { issuerOf, validateNumber } = await loadRules();

    let furthest = 0;
    for (const type of NUMBERS[country]?.[kind] ?? []) {
      const verdict = validateNumber(country, type, inputs.number, today);
      if ("refusal" in verdict) {
        furthest = Math.max(furthest, REASONS.indexOf(verdict.refusal));
        continue;
      }
      const holder = verdict.holder ?? holderOfKind(kind);
      if (holder !== null && holder !== (holderOfKind(kind) ?? holder)) {
        furthest = REASONS.indexOf("other_holder");
        continue;
      }
      const library = (await libraryOf(issuerOf(country)))[type]!;
      return {
        number: verdict.compact,
        valid: true,
        formatted: formatted(library, verdict),
        country,
        kind,
        type,
        check_digits: verdict.hasCheckDigits,
        local_name: (library.localName || library.name).trim(),
        abbreviation: library.abbreviation?.trim() ?? null,
        holder,
        vies_number: kind === "vat" ? viesNumber(country, verdict.compact) : null,
        data_date: RULES_DATE,
      };
    }
    const reason = REASONS[furthest]!;
    return noMatch({ valid: reason === "unknown_format" ? null : false, reason });
  },
});

/** The rules are not needed for a start, so they are loaded on first use. */
const loadRules = loadOnce(() => import("../../offline/numbers/validate-number.ts"));

/**
 * Loading the names and written forms of one country takes a few milliseconds, those of all countries a tenth of a second,
 * so each is loaded on first use.
 */
async function libraryOf(country: string): Promise<Readonly<Record<string, Validator>>> {
  const module = (await import(`stdnum/lib/cjs/${country.toLowerCase()}/index.js`)) as {
    default: Readonly<Record<string, Validator>>;
  };
  return module.default;
}

/** The library groups the characters; where it fails or changes them, the compact form is the written one. */
function formatted(library: Validator, { compact, isGrouped }: Exclude<Verdict, { refusal: Refusal }>): string {
  if (!isGrouped) return compact;
  try {
    const written = library.format(compact);
    return lettersAndDigits(written) === lettersAndDigits(compact) ? written : compact;
  } catch {
    return compact;
  }
}

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function holderOfKind(kind: Kind): "business" | "individual" | null {
  return kind === "company" ? "business" : kind === "person" ? "individual" : null;
}

/**
 * Numbers in VIES have at most twelve characters; Romania's rule also accepts personal numbers, which have thirteen.
 */
function viesNumber(country: string, compact: string): string | null {
  const prefix = VIES_PREFIX.get(country);
  return prefix === undefined || compact.length > 12 ? null : prefix + compact;
}

function listed(kinds: Readonly<Partial<Record<Kind, readonly string[]>>>): string {
  return Object.entries(kinds)
    .map(([kind, types]) => `${kind} (${types.join(", ")})`)
    .join(", ");
}

/** One branch for each set of kinds: its countries accept only those kinds, and a failure refers to `kind`. */
function kindsByCountry(): readonly object[] {
  const countriesOf = new Map<string, string[]>();
  for (const [country, kinds] of Object.entries(NUMBERS)) {
    const set = Object.keys(kinds).join(" ");
    countriesOf.set(set, [...(countriesOf.get(set) ?? []), country]);
  }
  return [...countriesOf].map(([set, countries]) => ({
    if: { properties: { country: { enum: countries } }, required: ["country"] },
    then: { properties: { kind: { enum: set.split(" ") } } },
  }));
}
