import { domainToASCII, domainToUnicode } from "node:url";
import { defineSource, Type } from "datarun";
import { parse } from "tldts";

const DATA_DATE = "2026-09-21";

/** Mailboxes of a function, not of a person: those of RFC 2142 and others that companies commonly publish. */
const ROLES: ReadonlySet<string> = new Set(
  (
    "abuse accounting accounts admin administrator admissions billing booking bookings bounce bounces careers compliance " +
    "contact customercare customerservice daemon datenschutz do-not-reply donotreply dpo enquiries enquiry events finance " +
    "ftp hello help helpdesk hostmaster hr info inquiries inquiry invoice invoices it jobs kontakt legal list mail " +
    "mailer-daemon marketing media news newsletter no-reply nobody noc noreply office order orders payments postmaster " +
    "press privacy purchasing recruiting recruitment reception registrar returns root sales security service services " +
    "shop spam subscribe support sysadmin team tech unsubscribe usenet uucp vertrieb webmaster welcome www"
  ).split(" "),
);

/** Mail providers open to the public that the list lacks. */
const MORE_FREE_MAIL: ReadonlySet<string> = new Set(
  (
    "azet.sk citromail.hu disroot.org fastmail.com gmx.ch hispeed.ch indamail.hu kakao.com keemail.me mail.bg mailfence.com " +
    "meta.ua murena.io op.pl posteo.de posteo.net riseup.net sohu.com startmail.com sunrise.ch tuta.com tuta.io tutamail.com " +
    "tutanota.com tutanota.de vivaldi.net zohomail.com zohomail.eu zohomail.in zoznam.sk"
  ).split(" "),
);

/**
 * Domains of services that forward mail to a mailbox that they do not show: Apple, Mozilla, DuckDuckGo, SimpleLogin,
 * Proton Pass, addy.io, 33Mail, Blur and erine.email. Some give each user a subdomain.
 */
const RELAYS: ReadonlySet<string> = new Set(
  (
    "privaterelay.appleid.com mozmail.com relay.firefox.com duck.com simplelogin.com " +
    "simplelogin.co simplelogin.fr simplelogin.io slmail.me slmails.com aleeas.com 8alias.com 8shield.net dralias.com " +
    "silomails.com passmail.com passmail.net passinbox.com passfwd.com addy.io anonaddy.com anonaddy.me addymail.com " +
    "33mail.com erine.email opayq.com"
  ).split(" "),
);

/** Two domains of the same mail service, which ignores dots in the local part. */
const GMAIL: ReadonlySet<string> = new Set(["gmail.com", "googlemail.com"]);

/** Letters, marks and digits of any script, and the special characters that RFC 5322 allows outside quotes. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}.\u3002-]+$/u;
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A label that still starts with xn-- after decoding is invalid. */
const UNDECODABLE = /(?:^|\.)xn--/;

export default defineSource({
  id: "mailcheck__email_address",
  title: "E-mail address",
  description: `
Checks how an e-mail address is written, and what its domain is known for: disposable mailboxes, mailboxes anybody can
open, forwarding addresses that hide a mailbox, a role instead of a person, a likely slip of the keys. **No mailbox and no mail server is contacted**, and no name
is looked up in the DNS.

A **record** is an address that mail could be sent to as it is written, under a top-level domain that exists. **No record**
means that it could not; the output then holds \`valid: false\`, a \`reason\` and, where a mail provider's name is one slip
away, a \`suggestion\`. Reasons: \`no_at_sign\`, \`local_part\`, \`local_part_length\`, \`domain\`, \`length\`, \`ip_address\`,
\`unknown_top_level_domain\`, \`public_suffix\`. Quoted local parts (\`"a b"@…\`) and IP literals are refused, though the old
standard allows them.

What it does not know: whether the domain has a mail server and the mailbox exists, whose it is, and the throw-away
domains registered since the lists were made. \`free_mail\` comes from a broad list that has some portals and misspelled
providers too: take it for "not a company's own domain", not for more. \`relay\` is of a person who has a lasting mailbox
elsewhere, so it excludes \`disposable\` and \`free_mail\`; relays at a domain of the person's own, and those of Apple at icloud.com, look like any other address.`,
  docs: "https://www.rfc-editor.org/rfc/rfc5321",
  charge: "free",
  data: [
    {
      name: "disposable-email-domains-js 1.26.0: the disposable-email-domains list",
      licence: "CC0-1.0",
      date: DATA_DATE,
      max_age_days: 90,
      url: "https://github.com/disposable-email-domains/disposable-email-domains",
    },
    {
      name: "email-providers 2.26.0: mail providers open to the public",
      licence: "ISC",
      date: "2026-09-07",
      max_age_days: 400,
      url: "https://github.com/derhuerst/email-providers",
    },
    {
      name: "@zootools/email-spell-checker 1.12.0: misspelled mail providers",
      licence: "MIT",
      date: "2024-12-13",
      url: "https://github.com/ZooTools/mail-spell-checker",
    },
    {
      name: "tldts 7.5.4: Mozilla's Public Suffix List",
      licence: "MPL-2.0 (list), MIT (code)",
      date: "2026-11",
      max_age_days: 180,
      url: "https://publicsuffix.org/",
    },
  ],
  inputs: Type.Object({
    email: Type.String({
      minLength: 1,
      maxLength: 320,
      description: "The address as it was typed, without a display name.",
      examples: ["ann.example@example.com"],
    }),
  }),
  output: Type.Object(
    {
      email: Type.String({
        description: "The address to send to: local part as typed, domain in ASCII and lower case.",
      }),
      valid: Type.Literal(true, { description: "Mail could be sent to it as it is written." }),
      local_part: Type.String({ description: "The part before the `@`, as typed." }),
      domain: Type.String({ description: "The domain in ASCII (`xn--…`) and lower case." }),
      domain_unicode: Type.String({ description: "The domain as people read it." }),
      registrable_domain: Type.String({ description: "The part of the domain that somebody registered." }),
      internationalized: Type.Boolean({
        description: "The local part is not ASCII: only servers that know SMTPUTF8 take it.",
      }),
      disposable: Type.Boolean({ description: "The domain, or one above it, gives throw-away mailboxes." }),
      free_mail: Type.Boolean({
        description: "The domain gives mailboxes to the public, free or as an access provider.",
      }),
      relay: Type.Boolean({
        description: "The domain forwards mail to a mailbox that it hides, such as Apple's or Firefox's relay.",
      }),
      role_account: Type.Boolean({ description: "The local part is a function such as `info` or `billing`." }),
      reserved_domain: Type.Boolean({
        description: "Kept for documentation and tests (`example.com`): nobody has a mailbox there.",
      }),
      tag: Type.Union([Type.String(), Type.Null()], {
        description: "What follows the first `+` of the local part.",
      }),
      canonical: Type.String({
        description:
          "To compare addresses, not to send to: lower case, no tag, and for Gmail no dots. Two spellings of one mailbox share it.",
      }),
      suggestion: Type.Union([Type.String(), Type.Null()], {
        description: "The address with the mail provider that is one slip of the keys away, if any.",
      }),
      data_date: Type.String({
        format: "date",
        description: "The day of the release that carries the list of disposable domains.",
      }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch }) {
    const address = read(inputs.email);
    if (typeof address === "string") return noMatch({ valid: false, reason: address });

    const { local, domain, registrable } = address;
    const lists = await (loading ??= loadLists());
    const suggested = suggest(domain, lists);
    const suggestion = suggested === null ? null : `${local}@${suggested}`;
    if (registrable === null) {
      return noMatch({ valid: false, reason: address.problem, ...(suggestion !== null && { suggestion }) });
    }

    const names = parents(domain, registrable);
    const relay = names.some((name) => RELAYS.has(name));
    const disposable = !relay && names.some((name) => lists.disposable.has(name));
    const [base = local, ...tags] = local.toLowerCase().split("+");
    const gmail = GMAIL.has(domain);
    return {
      email: `${local}@${domain}`,
      valid: true,
      local_part: local,
      domain,
      domain_unicode: domainToUnicode(domain),
      registrable_domain: registrable,
      internationalized: !/^[\x21-\x7e]+$/.test(local),
      disposable,
      free_mail: !disposable && !relay && !address.reserved && lists.open.has(domain),
      relay,
      role_account: ROLES.has(base),
      reserved_domain: address.reserved,
      tag: tags.length > 0 ? local.slice(local.indexOf("+") + 1) : null,
      canonical: `${canonicalLocal(base, local, gmail)}@${gmail ? "gmail.com" : domain}`,
      suggestion,
      data_date: DATA_DATE,
    };
  },
});

type Address = {
  readonly local: string;
  readonly domain: string;
  readonly reserved: boolean;
} & ({ readonly registrable: string } | { readonly registrable: null; readonly problem: string });

/** The parts of an address, or the reason why it is invalid, in one word. */
function read(typed: string): Address | string {
  const text = typed.normalize("NFKC").replaceAll(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, "");
  const at = text.lastIndexOf("@");
  if (at < 0) return "no_at_sign";
  const local = text.slice(0, at);
  if (!LOCAL_PART.test(local)) return "local_part";
  if (Buffer.byteLength(local) > 64) return "local_part_length";

  const written = text.slice(at + 1);
  if (written.startsWith("[")) return "ip_address";
  // The URL standard allows more characters in a host than a mail domain may have, so the others are refused first.
  const domain = DOMAIN_CHARACTERS.test(written) ? domainToASCII(written) : "";
  const { isIp, isIcann, domain: registrable, isSpecialUse } = parse(domain, { detectSpecialUse: true });
  if (isIp === true) return "ip_address";
  if (domain.length > 253 || !HOST_NAME.test(domain) || UNDECODABLE.test(domainToUnicode(domain))) return "domain";
  if (Buffer.byteLength(local) + 1 + domain.length > 254) return "length";

  const found = { local, domain, reserved: isSpecialUse === true };
  if (isIcann !== true) return { ...found, registrable: null, problem: "unknown_top_level_domain" };
  return registrable === null ? { ...found, registrable, problem: "public_suffix" } : { ...found, registrable };
}

interface Lists {
  readonly disposable: ReadonlySet<string>;
  /** Providers where anybody can open a mailbox. */
  readonly open: ReadonlySet<string>;
  /** The few hundred most used of them. */
  readonly popular: ReadonlySet<string>;
  readonly correct: (email: string) => string | undefined;
}

/** The first call reads the lists. The package's own look-up would rebuild its set for every address. */
let loading: Promise<Lists> | undefined;
async function loadLists(): Promise<Lists> {
  const [blocklist, open, popular, checker] = await Promise.all([
    import("disposable-email-domains-js"),
    import("email-providers/all.json", { with: { type: "json" } }),
    import("email-providers/common.json", { with: { type: "json" } }),
    import("@zootools/email-spell-checker"),
  ]);
  return {
    disposable: blocklist.disposableEmailBlocklistSet(),
    open: new Set([...open.default, ...MORE_FREE_MAIL]),
    popular: new Set([...popular.default, ...checker.POPULAR_DOMAINS]),
    correct: (email) => checker.run({ email })?.domain,
  };
}

/**
 * The spell checker proposes `me.com` for `acme.com`. Its proposal is used only if it is a popular provider, the given
 * domain is not one, and the two differ by a single typing error.
 */
function suggest(domain: string, lists: Lists): string | null {
  if (lists.popular.has(domain)) return null;
  const proposal = lists.correct(`x@${domain}`);
  return proposal !== undefined && lists.popular.has(proposal) && isOneSlip(domain, proposal) ? proposal : null;
}

/** Whether the two differ by one character added, left out or replaced, or by two neighbours swapped. */
function isOneSlip(typed: string, meant: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start += 1;
  const [a, b] = [typed.slice(start), meant.slice(start)];
  const swapped = a.length > 1 && a.length === b.length && a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return swapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}

/** For example `a.b.example.co.uk`, `b.example.co.uk`, `example.co.uk`. */
function parents(domain: string, registrable: string): readonly string[] {
  const labels = domain.split(".");
  const depth = labels.length - registrable.split(".").length;
  return Array.from({ length: depth + 1 }, (_, from) => labels.slice(from).join("."));
}

function canonicalLocal(base: string, local: string, gmail: boolean): string {
  // If the local part starts with its tag, no name is left to compare.
  if (base === "") return local.toLowerCase();
  return gmail ? base.replaceAll(".", "") : base;
}
