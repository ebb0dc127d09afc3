import { bankDataByBLZ } from "bankdata-germany";
import { defineSource, Type } from "datarun";
import { extractIBAN, friendlyFormatIBAN, isQRIBAN, isSEPACountry, validateIBAN } from "ibantools";

/**
 * The Bundesbank publishes its list every quarter; this is the first day on which the newest list in the package is
 * valid.
 */
const BANKS_DATE = "2026-09-07";

/** Joined the SEPA schemes in 2024 and 2025; the library's own list is older. */
const SEPA_SINCE_2024: ReadonlySet<string> = new Set(["AL", "MD", "ME", "MK", "RS"]);

/**
 * The position of the bank code in the national number, for countries that the library lacks or has wrong: from the
 * IBAN registry, and for Ivory Coast, which the registry lacks, from the bank codes of the Central Bank of West African
 * States (`CI008`).
 */
const BANK_PLACES: Readonly<Record<string, readonly [start: number, end: number]>> = {
  CI: [0, 5],
  HN: [0, 4],
  JO: [0, 4],
  SK: [0, 4],
  SM: [1, 6],
  ST: [0, 4],
  SV: [0, 4],
  TL: [0, 3],
  TN: [0, 2],
  TR: [0, 5],
  UA: [0, 6],
  VA: [0, 3],
  VG: [0, 4],
  XK: [0, 2],
};

const CHECKSUM = 5;

/** The library's `ValidationErrorsIBAN`, the most specific first. */
const REASONS: readonly (readonly [code: number, reason: string])[] = [
  [0, "format"],
  [1, "unknown_country"],
  [2, "length"],
  [3, "format"],
  [4, "format"],
  [CHECKSUM, "checksum"],
  [6, "national_checksum"],
];

export default defineSource({
  id: "ibantools__bank_account",
  title: "Bank account (IBAN)",
  description: `
Checks an IBAN and takes it apart: country, length and format by the IBAN registry, the international check digits, the
national check digits where the country has them, and for Germany the bank's name and BIC by the Bundesbank's list of
bank codes. Nothing leaves the service.

A **record** is an IBAN that is well formed and whose check digits are right. **No record** means no such account can
exist; the output then holds \`valid: false\` and a \`reason\`: \`unknown_country\`, \`length\`, \`format\`, \`checksum\` or
\`national_checksum\`.

A German IBAN whose bank code is not on the list is a record with \`bank_listed: false\`: the arithmetic is right, but no
bank has that code now. Treat it as a warning.

What it does not know: whether the account is open, whose it is, and the banks of other countries (\`bank\` is null there).
Where in the number the bank stands is not known for countries outside the registry (\`bank_identifier\` is null there).
Bank codes change every quarter; \`bank.data_date\` says which list was asked.`,
  docs: "https://www.swift.com/standards/data-standards/iban-international-bank-account-number",
  charge: "free",
  data: [
    {
      name: "ibantools 4.5.4: IBAN structures by country",
      licence: "MIT or MPL-2.0",
      date: "2026-04",
      max_age_days: 400,
      url: "https://github.com/Simplify/ibantools",
    },
    {
      name: "bankdata-germany 2.2602.0: bank codes of the Deutsche Bundesbank, valid to 2026-12-06",
      licence: "MIT or MPL-2.0",
      date: BANKS_DATE,
      max_age_days: 120,
      url: "https://www.bundesbank.de/en/tasks/payment-systems/services/bank-sort-codes",
    },
  ],
  inputs: Type.Object({
    iban: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The IBAN, in either case, with or without spaces, hyphens or the word `IBAN` before it.",
      examples: ["DE89 3704 0044 0532 0130 00"],
    }),
  }),
  output: Type.Object(
    {
      iban: Type.String({ pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]+$", description: "In electronic form: no spaces." }),
      valid: Type.Literal(true, { description: "Format and check digits are right." }),
      formatted: Type.String({ description: "In groups of four, as printed." }),
      country: Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2, or XK (Kosovo)." }),
      check_digits: Type.String({ pattern: "^[0-9]{2}$" }),
      bban: Type.String({ description: "The national account number: all behind the check digits." }),
      bank_identifier: Type.Union([Type.String(), Type.Null()], {
        description: "The bank's part of it; null where the structure used does not mark it.",
      }),
      branch_identifier: Type.Union([Type.String(), Type.Null()], {
        description: "The branch's part; null where there is none or the structure used does not mark it.",
      }),
      sepa: Type.Boolean({ description: "The country takes part in the SEPA schemes." }),
      qr_iban: Type.Boolean({ description: "A Swiss or Liechtenstein IBAN for QR-bills with a structured reference." }),
      bank_listed: Type.Union([Type.Boolean(), Type.Null()], {
        description: "Whether the bank code is on the national list; null where there is no list to ask (not Germany).",
      }),
      bank: Type.Union(
        [
          Type.Object(
            {
              name: Type.String({ description: "Short name on the national list." }),
              bic: Type.Union([Type.String(), Type.Null()], {
                description: "BIC of 11 characters; null if the bank has none.",
              }),
              data_date: Type.String({ format: "date", description: "The day from which the list is valid." }),
            },
            { additionalProperties: false },
          ),
          Type.Null(),
        ],
        { description: "The bank, for German accounts whose bank code is listed." },
      ),
    },
    { additionalProperties: false },
  ),

  run({ inputs, noMatch }) {
    const iban = electronicForm(inputs.iban);
    const problems = problemsOf(iban);
    if (problems.length > 0) {
      const reason = REASONS.find(([code]) => problems.includes(code))?.[1] ?? "format";
      return noMatch({ valid: false, reason });
    }

    const parts = extractIBAN(iban);
    const country = iban.slice(0, 2);
    const bban = iban.slice(4);
    const place = BANK_PLACES[country];
    const bank = country === "DE" ? bankDataByBLZ(parts.bankIdentifier, BANKS_DATE) : null;
    return {
      iban,
      valid: true,
      formatted: friendlyFormatIBAN(iban),
      country,
      check_digits: iban.slice(2, 4),
      bban,
      bank_identifier: place === undefined ? (parts.bankIdentifier ?? null) : bban.slice(...place),
      branch_identifier: parts.branchIdentifier ?? null,
      sepa: isSEPACountry(country) || SEPA_SINCE_2024.has(country),
      qr_iban: isQRIBAN(iban),
      bank_listed: country === "DE" ? bank !== null : null,
      bank: bank && { name: bank.bankName, bic: bank.bic || null, data_date: BANKS_DATE },
    };
  },
});

/**
 * Uses the library, except for Ivory Coast: its bank codes begin with two letters, as in its neighbouring countries,
 * but the library expects one.
 */
function problemsOf(iban: string): readonly number[] {
  if (!/^CI\d{2}[A-Z]{2}\d{22}$/.test(iban)) return validateIBAN(iban).errorCodes;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  return BigInt(digits) % 97n === 1n ? [] : [CHECKSUM];
}

/** Upper case without spaces, hyphens and invisible characters; empty if it contains a character that no IBAN has. */
function electronicForm(typed: string): string {
  const plain = typed.normalize("NFKC").replaceAll(/[\s\p{Cf}-]/gu, "");
  return /^[A-Za-z0-9:]+$/.test(plain) ? plain.toUpperCase().replace(/^IBAN:?/, "") : "";
}
