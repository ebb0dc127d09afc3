import { defineSource, Type } from "datarun";
import type { CountryCode } from "libphonenumber-js/max";

const DATA_DATE = "2026-11-10";

/** The regions of the numbering plans: ISO 3166-1, with AC (Ascension), TA (Tristan da Cunha) and XK (Kosovo). */
const COUNTRIES = (
  "AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC " +
  "CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB " +
  "GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH " +
  "KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV " +
  "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB " +
  "SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US " +
  "UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"
).split(" ");

const TYPES = [
  "fixed_line",
  "mobile",
  "fixed_line_or_mobile",
  "premium_rate",
  "toll_free",
  "shared_cost",
  "voip",
  "personal_number",
  "pager",
  "uan",
  "voicemail",
] as const;

const REASONS: Readonly<Record<string, string>> = {
  INVALID_COUNTRY: "unknown_calling_code",
  TOO_SHORT: "too_short",
  TOO_LONG: "too_long",
  INVALID_LENGTH: "invalid_length",
};

export default defineSource({
  id: "google__phone_number",
  title: "Phone number",
  description: `
Says whether a phone number can exist, where it belongs and how to write it, by the numbering plans of Google's
libphonenumber. Nobody is called and nothing leaves the service.

A **record** is a number that lies in a range its country has put into service. **No record** means there could be no such
number at the data's date; the output then holds \`valid: false\`, \`possible\` (the length alone would be right) and a \`reason\`:
\`not_a_number\`, \`unknown_calling_code\`, \`too_short\`, \`too_long\`, \`invalid_length\` or \`not_assigned\`.

Spaces, punctuation, digits of other scripts, a \`tel:\` prefix and an extension are understood; words around the number
are not. A number without \`+\` needs \`country\`; leaving it out there is an input failure, not "no record".

What it does not know: whether the number is connected, who holds it, and its present operator. In countries with number
portability the range says nothing about the operator, and in North America nothing about fixed or mobile.`,
  docs: "https://github.com/google/libphonenumber",
  charge: "free",
  data: [
    {
      name: "libphonenumber-js 1.13.16: metadata of Google's libphonenumber",
      licence: "Apache-2.0 (metadata), MIT (code)",
      date: DATA_DATE,
      max_age_days: 120,
      url: "https://github.com/google/libphonenumber",
    },
  ],
  inputs: Type.Object(
    {
      phone: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: "\\S",
        description: "The number as it was typed: international with `+`, or national together with `country`.",
        examples: ["+44 20 7946 0958", "020 7946 0958"],
      }),
      country: Type.Optional(
        Type.Enum(COUNTRIES, {
          description: "ISO 3166-1 alpha-2 code, upper case, of the country a number without `+` is read in.",
          examples: ["GB"],
        }),
      ),
    },
    {
      // If the number is missing or blank, the error should be about the number and not about the country.
      if: { properties: { phone: { pattern: "\\S", not: { pattern: "[+＋﹢]" } } }, required: ["phone"] },
      then: { required: ["country"] },
    },
  ),
  output: Type.Object(
    {
      e164: Type.String({ pattern: "^\\+[0-9]{2,17}$", description: "The number in E.164 form, without extension." }),
      valid: Type.Literal(true, { description: "The number lies in a range that is in service." }),
      country: Type.Union([Type.String({ pattern: "^[A-Z]{2}$" }), Type.Null()], {
        description: "Where the number belongs; null for numbers of no country (+800) and where the plan cannot tell.",
      }),
      country_calling_code: Type.String({ pattern: "^[0-9]{1,3}$", description: "Without `+`, such as `44`." }),
      national_number: Type.String({
        pattern: "^[0-9]+$",
        description: "The digits after the calling code, no trunk prefix.",
      }),
      extension: Type.Union([Type.String(), Type.Null()], { description: "The extension that was typed with it." }),
      type: Type.Union([Type.Enum(TYPES), Type.Null()], {
        description: "What the range is for. In North America fixed and mobile share ranges: `fixed_line_or_mobile`.",
      }),
      geographic: Type.Boolean({ description: "False for calling codes of no country, such as +800." }),
      formats: Type.Object(
        {
          national: Type.String({ description: "As written inside the country, with the extension." }),
          international: Type.String({ description: "As written for readers abroad, with the extension." }),
          rfc3966: Type.String({ description: "A `tel:` link, with the extension." }),
        },
        { additionalProperties: false, description: "The number as people and programs write it." },
      ),
      data_date: Type.String({
        format: "date",
        description: "The day of the release that carries the numbering plans.",
      }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch }) {
    // Reading the numbering plans takes too long for the start, so the first call loads them.
    const { parsePhoneNumberFromString, validatePhoneNumberLength } = await import("libphonenumber-js/max");
    const text = withoutDecoration(inputs.phone);
    const reading = inputs.country === undefined ? {} : { defaultCountry: inputs.country as CountryCode };

    const number = parsePhoneNumberFromString(text, { ...reading, extract: false });
    if (!number?.isPossible()) {
      const problem = validatePhoneNumberLength(text, reading) ?? "NOT_A_NUMBER";
      return noMatch({ valid: false, possible: false, reason: REASONS[problem] ?? "not_a_number" });
    }
    if (!number.isValid()) {
      return noMatch({ valid: false, possible: true, reason: "not_assigned", e164: number.number });
    }
    return {
      e164: number.number,
      valid: true,
      country: number.country ?? null,
      country_calling_code: number.countryCallingCode,
      national_number: number.nationalNumber,
      extension: number.ext ?? null,
      type: number.getType()?.toLowerCase() ?? null,
      geographic: !number.isNonGeographic(),
      formats: {
        national: number.formatNational(),
        international: number.formatInternational(),
        rfc3966: number.getURI(),
      },
      data_date: DATA_DATE,
    };
  },
});

/** Turns full-width characters into plain ones and removes invisible ones, which are often copied with a number. */
function withoutDecoration(phone: string): string {
  return phone
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .trim()
    .replace(/^tel:/i, "");
}
