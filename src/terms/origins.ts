/** How an address is covered by what a source declares. Only an exact origin may ever be a private address. */
export type OriginMatch = "exact" | "pattern";

/**
 * One declared origin: `https://api.vendor.example`, or, for every host name below one, `https://*.vendor.example`.
 * Default ports, the case of host names and a slash at the end make no difference.
 */
export interface DeclaredOrigin {
  readonly match: OriginMatch;
  readonly protocol: string;
  /** Empty for the protocol's own. */
  readonly port: string;
  /** In lower case. Of a pattern: what every name it covers ends with, without the dot before it. */
  readonly hostname: string;
}

const PATTERN = /^(https?):\/\/\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d{1,5}))?\/?$/i;

/** `null` for what is not an origin: anything that says more than scheme, host and port. */
export function parseOrigin(text: string): DeclaredOrigin | null {
  const wildcard = PATTERN.exec(text);
  return wildcard === null ? parseExact(text) : parsePattern(wildcard);
}

/** A source's declared origins, ready to be asked. */
export class OriginRules {
  readonly #exact = new Set<string>();
  readonly #patterns: DeclaredOrigin[] = [];

  /** @throws Error naming the declaration that is no origin */
  constructor(declared: readonly string[]) {
    for (const text of declared) {
      const origin = parseOrigin(text);
      if (origin === null) throw new Error(`${text} is not an origin`);
      if (origin.match === "pattern") this.#patterns.push(origin);
      else this.#exact.add(new URL(text).origin);
    }
  }

  match(url: Pick<URL, "origin" | "protocol" | "hostname" | "port">): OriginMatch | null {
    if (this.#exact.has(url.origin)) return "exact";
    for (const { protocol, port, hostname } of this.#patterns) {
      if (url.protocol === protocol && url.port === port && url.hostname.endsWith(`.${hostname}`)) return "pattern";
    }
    return null;
  }
}

/** Whether an address lies at an origin that is declared. What is no address lies nowhere. */
export function isDeclaredOrigin(address: string, declared: readonly string[]): boolean {
  const url = URL.parse(address);
  return url !== null && new OriginRules(declared).match(url) !== null;
}

function parsePattern([, scheme, below, port]: RegExpExecArray): DeclaredOrigin | null {
  // The URL parser brings the default port and the case of host names to one form, as it does for the address asked for.
  const url = URL.parse(`${scheme}://${below}${port === undefined ? "" : `:${port}`}`);
  // The parser reads `*.1.2` as an address; a pattern is for names only.
  if (url === null || url.hostname !== below!.toLowerCase()) return null;
  return { match: "pattern", protocol: url.protocol, port: url.port, hostname: url.hostname };
}

function parseExact(text: string): DeclaredOrigin | null {
  const url = URL.parse(text);
  const isOrigin =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.pathname === "/" &&
    !/[?#*\s@\\]/.test(text);
  return isOrigin ? { match: "exact", protocol: url.protocol, port: url.port, hostname: url.hostname } : null;
}
