import { defineFunction, Type, type FunctionCall, type SourceOutcome } from "datarun";
import { assess, SCORED_FIELDS } from "./_assessment.ts";

/** The weight of each part in the score. Parts that are not in the request, or could not be checked, do not count. */
const WEIGHTS = { account: 35, number: 35, countries: 15, names: 15 };
const CONSISTENT_FROM = 0.8;
const DOUBTFUL_FROM = 0.4;

/** The kinds that are tried if the caller does not give one, the most specific first. */
const KINDS = ["company", "vat", "tax"] as const;

const description = `
Holds what a business says of itself against each other: its bank account (IBAN), its registration, VAT or tax number, the
country of each, and its name beside the name on the account. It knows the numbers of some ninety countries and the
accounts of all that use IBANs. Every source it asks works offline: nothing leaves the service and nothing is billed.

A number without \`number_kind\` is read as a company number, then as a VAT number, then as a tax number, and the first
reading that fits ends the search. Without \`country\` the number is read in the country of the account, and the
reason \`country_assumed\` says so.

**Score.** Each part that was checked starts with its full weight (account 35, number 35, countries 15, names 15); each
finding takes a share of its own part's weight; the score is what is left, as a share of the weight that was checked.

| reason code | part | takes |
| --- | --- | --- |
| \`account_valid\`, \`number_valid\`, \`countries_agree\`, \`names_agree\` (alike from 0.9) | | nothing |
| \`account_invalid\` | account | all |
| \`account_bank_not_listed\` (Germany) | account | 0.5 |
| \`number_invalid\` | number | all; 0.5 if it was also read as a kind for which its form is not known |
| \`number_of_individual\` (a valid number, but of a natural person) | number | 0.5 |
| \`countries_differ\` (account and number) | countries | 0.6 |
| \`names_similar\` (alike from 0.75) | names | 0.4 |
| \`names_differ\` | names | all |

**Verdict.** \`consistent\` from 0.8, unless something was contradicted or left unchecked; \`inconsistent\` below 0.4;
\`not_checked\` if nothing could be checked; otherwise \`doubtful\`. A business may well keep its account abroad: \`countries_differ\`
is a question, not an answer. The weights are ours and were fitted to no population.

A number without check digits (a US EIN, a tax number of a German office) is only looked at for its form, as most mistyped
ones fit as well: \`number_form_only\` says so, and the number counts as unchecked.

A number of a form that is not known counts as unchecked too (\`number_format_unknown\`): there may be such a number.

**What could not be checked** is in \`unchecked\` with a reason (\`account_not_checked\`, \`number_not_checked\`,
\`number_needs_country\`, \`country_not_recognised\`, \`country_not_checked\`, \`number_form_only\`,
\`number_format_unknown\`, \`names_not_compared\`, \`names_not_checked\`), lowers \`coverage\` and never fails the function. That the account is open, that the number
was issued, and whose they are: none of it is known without asking a bank or a register.
`.trim();

export default defineFunction({
  id: "dfunc_business_identity_check",
  title: "Do a business's account, number and names agree?",
  description,
  inputs: Type.Object(
    {
      iban: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      number: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "Company, VAT or tax number, as it was typed." }),
      ),
      number_kind: Type.Optional(Type.Enum(KINDS, { description: "Left out: tried in this order." })),
      country: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: "Where the number was issued: an ISO code or a name.",
        }),
      ),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "The name of the business." })),
      account_holder: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "The name on the account." }),
      ),
    },
    { minProperties: 1 },
  ),
  output: Type.Object(
    {
      verdict: Type.Enum(["consistent", "doubtful", "inconsistent", "not_checked"]),
      ...SCORED_FIELDS,
      account: Type.Union([
        Type.Object(
          {
            iban: Type.String(),
            country: Type.String(),
            bank_name: Type.Union([Type.String(), Type.Null()]),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ]),
      registration: Type.Union([
        Type.Object(
          {
            number: Type.String(),
            country: Type.String(),
            kind: Type.Enum(KINDS),
            local_name: Type.String(),
            vies_number: Type.Union([Type.String(), Type.Null()]),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ]),
      name_score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
      tried_kinds: Type.Array(Type.Enum(KINDS), { description: "What the number was read as, in this order." }),
    },
    { additionalProperties: false },
  ),
  timeout_ms: 10_000,

  async run(call) {
    const { inputs, run, pipe } = call;
    const business = assess(WEIGHTS);
    const ask = (name: string, source: string, given: object) => pipe(name, () => run(source, given));

    const { iban, country, name, account_holder } = inputs;
    const [accountFound, countryFound, namesFound] = await Promise.all([
      iban === undefined ? null : ask("account", "ibantools__bank_account", { iban }),
      country === undefined ? null : ask("country", "iso__country", { country }),
      name === undefined || account_holder === undefined
        ? null
        : ask("names", "names__company_comparison", { name, other_name: account_holder }),
    ]);

    const account = judgeAccount(business, accountFound);
    const claimed: string | null = countryFound?.match === true ? countryFound.output.alpha_2 : null;
    const { registration, tried } = await judgeNumber(business, call, claimed, account, countryFound);
    judgeCountries(business, account, registration);
    const nameScore = judgeNames(business, namesFound, inputs);

    const scored = business.score();
    return {
      output: {
        verdict: verdictOf(scored.score, scored.unchecked.length === 0 && !business.isContradicted()),
        ...scored,
        account,
        registration,
        name_score: nameScore,
        tried_kinds: tried,
      },
    };
  },
});

type Business = ReturnType<typeof assess>;
type Kind = (typeof KINDS)[number];

interface Account {
  readonly iban: string;
  readonly country: string;
  readonly bank_name: string | null;
}

interface Registration {
  readonly number: string;
  readonly country: string;
  readonly kind: Kind;
  readonly local_name: string;
  readonly vies_number: string | null;
}

interface Asked {
  readonly number?: string;
  readonly number_kind?: Kind;
  readonly country?: string;
  readonly name?: string;
  readonly account_holder?: string;
}

function judgeAccount(business: Business, found: SourceOutcome | null): Account | null {
  if (found === null) return null;
  business.ask("account");
  if (!found.success) {
    business.miss("account", "account_not_checked", `The account could not be checked. ${found.message}`);
    return null;
  }
  business.answer("account");
  if (!found.match) {
    business.find("account", "account_invalid", 1, "No account can have this IBAN.");
    return null;
  }
  const { iban, country, bank, bank_listed } = found.output;
  business.find("account", "account_valid", 0, "The IBAN is well formed and its check digits are right.");
  if (bank_listed === false)
    business.find("account", "account_bank_not_listed", 0.5, "No bank currently has this bank code.");
  return { iban, country, bank_name: bank?.name ?? null };
}

/** Tries the number as one kind after the other, until one fits. */
async function judgeNumber(
  business: Business,
  { inputs, run, pipe }: FunctionCall<Asked>,
  claimed: string | null,
  account: Account | null,
  countryFound: SourceOutcome | null,
): Promise<{ readonly registration: Registration | null; readonly tried: readonly Kind[] }> {
  const { number } = inputs;
  if (number === undefined) return { registration: null, tried: [] };
  business.ask("number");
  const country = inputs.country === undefined ? (account?.country ?? null) : claimed;
  if (country === null) {
    business.miss(
      "number",
      whyNoCountry(countryFound),
      "The number cannot be read without knowing which country issued it.",
    );
    return { registration: null, tried: [] };
  }
  if (inputs.country === undefined)
    business.miss("country", "country_assumed", `No country was given: the number was read in ${country}.`);

  const tried: Kind[] = [];
  const refusals: string[] = [];
  let message = "";
  for (const kind of inputs.number_kind === undefined ? KINDS : [inputs.number_kind]) {
    // Any text fits the type as `never`. The source refuses a country whose numbers it does not know.
    const asked = { country: country as never, kind, number };
    const found = await pipe(`number_as_${kind}`, () => run("stdnum__registration_number", asked));
    tried.push(kind);
    if (found.match) {
      const { local_name, vies_number, check_digits } = found.output;
      if (check_digits === false) {
        business.miss("number", "number_form_only", `It has the form of ${local_name}, which has no check digits.`);
      } else {
        business.answer("number");
        business.find("number", "number_valid", 0, `It fits the rules of ${country} for ${local_name}.`);
      }
      if (found.output.holder === "individual")
        business.find("number", "number_of_individual", 0.5, "Such numbers are held by natural persons.");
      return { registration: { number: found.output.number, country, kind, local_name, vies_number }, tried };
    }
    if (found.success) refusals.push(String(found.output.reason));
    else message = found.message;
  }
  if (refusals.length === 0) {
    business.miss("number", "number_not_checked", `The number could not be checked. ${message}`);
    return { registration: null, tried };
  }
  const known = refusals.filter((reason) => reason !== "unknown_format");
  if (known.length === 0) {
    business.miss("number", "number_format_unknown", `The numbers of ${country} that are known have other forms.`);
    return { registration: null, tried };
  }
  business.answer("number");
  if (known.includes("other_holder"))
    business.find("number", "number_of_individual", 0.5, "The number is valid, but belongs to a natural person.");
  else if (known.length === refusals.length)
    business.find("number", "number_invalid", 1, `It fits no rule of ${country} for the numbers tried.`);
  else
    business.find(
      "number",
      "number_invalid",
      0.5,
      `It fits no rule of ${country}, but as one kind of number its form is not known.`,
    );
  return { registration: null, tried };
}

function whyNoCountry(found: SourceOutcome | null): string {
  if (found === null) return "number_needs_country";
  return found.success ? "country_not_recognised" : "country_not_checked";
}

function judgeCountries(business: Business, account: Account | null, registration: Registration | null): void {
  if (account === null || registration === null) return;
  business.ask("countries");
  business.answer("countries");
  if (account.country === registration.country)
    business.find("countries", "countries_agree", 0, `Account and number are both of ${account.country}.`);
  else
    business.find(
      "countries",
      "countries_differ",
      0.6,
      `The account is of ${account.country}, the number of ${registration.country}.`,
    );
}

function judgeNames(business: Business, found: SourceOutcome | null, { name, account_holder }: Asked): number | null {
  if (name === undefined && account_holder === undefined) return null;
  business.ask("names");
  if (found === null) {
    business.miss("names", "names_not_compared", "There is only one name, and nothing to compare it with.");
    return null;
  }
  if (!found.match) {
    business.miss("names", "names_not_checked", found.success ? "The names cannot be compared." : found.message);
    return null;
  }
  business.answer("names");
  const { score, band } = found.output;
  if (band === "equal" || band === "close") business.find("names", "names_agree", 0, "The names agree.");
  else if (band === "similar") business.find("names", "names_similar", 0.4, "The names are only similar.");
  else business.find("names", "names_differ", 1, "The names differ.");
  return score;
}

function verdictOf(score: number | null, isWhole: boolean): "consistent" | "doubtful" | "inconsistent" | "not_checked" {
  if (score === null) return "not_checked";
  if (score < DOUBTFUL_FROM) return "inconsistent";
  return score >= CONSISTENT_FROM && isWhole ? "consistent" : "doubtful";
}
