import { BoundedMap } from "../../terms/bounded-map.ts";
import type { OriginMatch, OriginRules } from "../../terms/origins.ts";
import { readVendorUrl } from "./vendor-url.ts";

/** The parts of an absolute URL as plain values: a `URL` works them out anew each time they are read. */
export type Address = Readonly<Pick<URL, "origin" | "protocol" | "hostname" | "port" | "pathname" | "search">>;

interface Known {
  readonly url: Address;
  /** `null`: of no origin that the source declares. */
  readonly match: OriginMatch | null;
}

/** Few, because an author may have built them from inputs, which are not kept for long. */
const KNOWN_MAX = 8;

/** The addresses a source asked for last: most ask for the same one again and again, with another query or body. */
export class SourceAddresses {
  readonly #rules: OriginRules;
  readonly #known = new BoundedMap<string, Known>(KNOWN_MAX);

  constructor(rules: OriginRules) {
    this.#rules = rules;
  }

  /** @throws Error as `readVendorUrl` does */
  read(text: string): Known {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const { origin, protocol, hostname, port, pathname, search } = readVendorUrl(text);
    const url = { origin, protocol, hostname, port, pathname, search };
    const read = { url, match: this.#rules.match(url) };
    this.#known.set(text, read);
    return read;
  }

  match(url: Address): OriginMatch | null {
    return this.#rules.match(url);
  }
}
