import { defineFunction, Type, type SourceOutcome } from "datarun";
import { assess, SCORED_FIELDS } from "./_assessment.ts";

/** The weight of each part in the score. Parts that are not in the request, or could not be checked, do not count. */
const WEIGHTS = { phone: 35, email: 35, domain: 10, ip: 20 };
const PLAUSIBLE_FROM = 0.8;
const DOUBTFUL_FROM = 0.4;
/** If a smaller share of the given parts was checked, no contact is called plausible. */
const COVERAGE_NEEDED = 0.5;

const description = `
Looks at a contact from four sides (phone number, e-mail address, the address's domain, country of the IP address), holds
them against the country the person claims, and says what fits, what does not, and what could not be checked. Every source
it asks works offline: nothing leaves the service and nothing is billed.

**Score.** Each part that was checked starts with its full weight (phone 35, e-mail 35, domain 10, IP address 20); each
finding takes a share of its own part's weight; the score is what is left, as a share of the weight that was checked.

| reason code | part | takes |
| --- | --- | --- |
| \`phone_valid\`, \`email_valid\`, \`domain_valid\`, \`ip_country_fits\`, \`phone_country_fits\` | | nothing |
| \`phone_invalid\` | phone | all |
| \`phone_country_differs\` | phone | 0.4 |
| \`phone_premium_rate\` (also pagers, voicemail boxes) | phone | 0.5 |
| \`phone_voip\` | phone | 0.2 |
| \`email_invalid\` | email | all |
| \`email_disposable\`, \`email_reserved_domain\` | email | 0.8 each |
| \`email_probably_misspelled\` | email | 0.4 |
| \`email_role_account\` | email | 0.2 |
| \`domain_invalid\` | domain | all |
| \`domain_imitates\` (letters of mixed scripts, look-alikes, invisible characters) | domain | 0.8 |
| \`ip_country_differs\` (from the claimed country; without one, from the phone number's) | ip | 0.5 |
| \`ip_of_no_place\` (a private, reserved or unannounced address) | ip | 0.5 |

**Verdict.** \`plausible\` from 0.8 if at least half of what was given, by weight, could be checked; \`implausible\` below 0.4;
\`not_checked\` if nothing could be; otherwise \`doubtful\`. The weights are ours and were fitted to no population.

**What could not be checked** is in \`unchecked\`, has a reason (\`…_not_checked\`, \`phone_needs_country\`,
\`country_not_recognised\`), and never fails the function: an unavailable source makes the answer weaker, not absent. Each
such part lowers \`coverage\` by its weight. The country has none: without it the other parts are checked, but not compared
with it. No code is sent, no mailbox asked: that the number and the address belong to this person is not known.
`.trim();

export default defineFunction({
  id: "dfunc_contact_check",
  title: "Is this contact plausible?",
  description,
  inputs: Type.Object(
    {
      phone: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "With `+`, or national together with `country`." }),
      ),
      email: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
      ip: Type.Optional(
        Type.String({ minLength: 1, maxLength: 45, description: "The address the request came from." }),
      ),
      country: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: "The claimed country: an ISO code or a name." }),
      ),
    },
    { minProperties: 1 },
  ),
  output: Type.Object(
    {
      verdict: Type.Enum(["plausible", "doubtful", "implausible", "not_checked"]),
      ...SCORED_FIELDS,
      countries: Type.Object(
        {
          claimed: Type.Union([Type.String(), Type.Null()]),
          phone: Type.Union([Type.String(), Type.Null()]),
          ip: Type.Union([Type.String(), Type.Null()]),
        },
        { additionalProperties: false, description: "ISO 3166-1 alpha-2; null where none is known." },
      ),
      normalized: Type.Object(
        {
          phone: Type.Union([Type.String(), Type.Null()], { description: "E.164." }),
          email: Type.Union([Type.String(), Type.Null()], { description: "The address to send to." }),
        },
        { additionalProperties: false },
      ),
      email_suggestion: Type.Union([Type.String(), Type.Null()], { description: "What was probably meant." }),
    },
    { additionalProperties: false },
  ),
  timeout_ms: 10_000,

  async run({ inputs, run, pipe }) {
    const { phone, email, ip } = inputs;
    const contact = assess(WEIGHTS);
    const ask = (name: string, source: string, given: object) => pipe(name, () => run(source, given));

    // Only a national number has to wait for the country; everything else is asked at the same time.
    const country = inputs.country === undefined ? null : ask("country", "iso__country", { country: inputs.country });
    const askPhone = async () => {
      if (phone === undefined) return null;
      if (/[+＋﹢]/.test(phone)) return ask("phone", "google__phone_number", { phone });
      const claimed = claimedCountry(await country);
      return claimed === null ? "needs country" : ask("phone", "google__phone_number", { phone, country: claimed });
    };
    const domain = email?.includes("@") === true ? email.slice(email.lastIndexOf("@") + 1).trim() : "";
    const [countryFound, phoneFound, emailFound, domainFound, ipFound] = await Promise.all([
      country,
      askPhone(),
      email === undefined ? null : ask("email", "mailcheck__email_address", { email }),
      domain === "" ? null : ask("domain", "publicsuffix__domain", { domain }),
      ip === undefined ? null : ask("ip", "iptoasn__ip_country", { ip }),
    ]);

    const claimed = judgeCountry(contact, countryFound);
    const phoneCountry = judgePhone(contact, phoneFound, claimed);
    judgeEmail(contact, emailFound);
    judgeDomain(contact, domainFound);
    const ipCountry = judgeIp(contact, ipFound, claimed, phoneCountry);

    const scored = contact.score();
    return {
      output: {
        verdict: verdictOf(scored.score, scored.coverage),
        ...scored,
        countries: { claimed, phone: phoneCountry, ip: ipCountry },
        normalized: {
          phone: (phoneFound !== "needs country" && phoneFound?.output.e164) || null,
          email: emailFound?.match === true ? emailFound.output.email : null,
        },
        email_suggestion: emailFound?.output.suggestion ?? null,
      },
    };
  },
});

type Contact = ReturnType<typeof assess>;

function claimedCountry(found: SourceOutcome | null): string | null {
  return found?.match === true ? found.output.alpha_2 : null;
}

/** The country has no weight: what it says shows in the parts that are compared with it. */
function judgeCountry(contact: Contact, found: SourceOutcome | null): string | null {
  if (found === null) return null;
  contact.ask("country");
  if (found.match) contact.answer("country");
  else {
    const why = found.success ? "country_not_recognised" : "country_not_checked";
    contact.miss("country", why, "The claimed country is not known, so nothing was compared with it.");
  }
  return claimedCountry(found);
}

const COSTLY_TYPES: ReadonlySet<unknown> = new Set(["premium_rate", "shared_cost", "pager", "voicemail", "uan"]);

function judgePhone(
  contact: Contact,
  found: SourceOutcome | "needs country" | null,
  claimed: string | null,
): string | null {
  if (found === null) return null;
  contact.ask("phone");
  if (found === "needs country") {
    contact.miss("phone", "phone_needs_country", "A phone number without + cannot be read without a known country.");
    return null;
  }
  if (!isAnswered(contact, "phone", "The phone number", found)) return null;
  if (!found.match) {
    contact.find("phone", "phone_invalid", 1, "No such phone number can exist.");
    return null;
  }
  const { country, type } = found.output;
  contact.find("phone", "phone_valid", 0, "The phone number lies in a range that is in service.");
  if (COSTLY_TYPES.has(type)) contact.find("phone", "phone_premium_rate", 0.5, "It is not a person's number.");
  if (type === "voip")
    contact.find("phone", "phone_voip", 0.2, "It is an internet number, which is not tied to a place.");
  if (claimed !== null && country !== null) {
    if (country === claimed) contact.find("phone", "phone_country_fits", 0, "It belongs to the claimed country.");
    else contact.find("phone", "phone_country_differs", 0.4, `It belongs to ${country}, not to ${claimed}.`);
  }
  return country;
}

function judgeEmail(contact: Contact, found: SourceOutcome | null): void {
  if (found === null) return;
  contact.ask("email");
  if (!isAnswered(contact, "email", "The e-mail address", found)) return;
  const { disposable, reserved_domain, role_account, suggestion } = found.output;
  if (!found.match) contact.find("email", "email_invalid", 1, "Mail cannot be sent to this address.");
  else contact.find("email", "email_valid", 0, "Mail could be sent to the address as it is written.");
  if (disposable === true) contact.find("email", "email_disposable", 0.8, "Its domain provides throw-away mailboxes.");
  if (reserved_domain === true)
    contact.find("email", "email_reserved_domain", 0.8, "Its domain is kept for examples: nobody has a mailbox there.");
  if (typeof suggestion === "string")
    contact.find(
      "email",
      "email_probably_misspelled",
      0.4,
      "Its domain is one typing error away from a known mail provider.",
    );
  if (role_account === true)
    contact.find("email", "email_role_account", 0.2, "It is the mailbox of a role, not of a person.");
}

function judgeDomain(contact: Contact, found: SourceOutcome | null): void {
  if (found === null) return;
  contact.ask("domain");
  if (!isAnswered(contact, "domain", "The domain of the e-mail address", found)) return;
  const { mixed_scripts, looks_like, invisible_characters } = found.output;
  if (!found.match) return contact.find("domain", "domain_invalid", 1, "No such domain can be registered.");
  if (mixed_scripts === true || typeof looks_like === "string" || invisible_characters === true)
    contact.find("domain", "domain_imitates", 0.8, "The domain is written with characters that imitate others.");
  else contact.find("domain", "domain_valid", 0, "The domain can be registered and imitates no other.");
}

function judgeIp(
  contact: Contact,
  found: SourceOutcome | null,
  claimed: string | null,
  phoneCountry: string | null,
): string | null {
  if (found === null) return null;
  contact.ask("ip");
  if (!isAnswered(contact, "ip", "The IP address", found)) return null;
  if (!found.match) {
    contact.find("ip", "ip_of_no_place", 0.5, "The IP address belongs to no place; it may be a proxy's.");
    return null;
  }
  const country: string = found.output.country_code;
  const expected = claimed ?? phoneCountry;
  const whose = claimed === null ? "the phone number's country" : "the claimed country";
  if (expected === country) contact.find("ip", "ip_country_fits", 0, `The IP address is used in ${whose}.`);
  else if (expected !== null)
    contact.find("ip", "ip_country_differs", 0.5, `The IP address is used in ${country}, not in ${expected}.`);
  return country;
}

/** A source that failed leaves its part unchecked, and its message explains why. */
function isAnswered(contact: Contact, part: string, subject: string, found: SourceOutcome): boolean {
  if (found.success) contact.answer(part);
  else contact.miss(part, `${part}_not_checked`, `${subject} could not be checked. ${found.message}`);
  return found.success;
}

function verdictOf(score: number | null, coverage: number): "plausible" | "doubtful" | "implausible" | "not_checked" {
  if (score === null) return "not_checked";
  if (score < DOUBTFUL_FROM) return "implausible";
  return score >= PLAUSIBLE_FROM && coverage >= COVERAGE_NEEDED ? "plausible" : "doubtful";
}
