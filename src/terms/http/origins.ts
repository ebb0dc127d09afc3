/** How an address matches a source's declarations. Only an exact origin may be a private address. */
export type OriginMatch = "exact" | "pattern";

/**
 * One declared origin: `https://api.vendor.example`, or `https://*.vendor.example` for every host name below that one.
 * Default ports, the case of host names and a slash at the end make no difference.
 */
export interface DeclaredOrigin {
  readonly match: OriginMatch;
  readonly protocol: string;
  /** Empty for the protocol's default port. */
  readonly port: string;
  /** In lower case. For a pattern: the common end of all matching host names, without the dot before it. */
  readonly hostname: string;
}

const PATTERN = /^(https?):\/\/\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d{1,5}))?\/?$/i;

/** `null` if the text is not an origin, for example because it has more than scheme, host and port. */
export function parseOrigin(text: string): DeclaredOrigin | null {
  const wildcard = PATTERN.exec(text);
  return wildcard === null ? parseExact(text) : parsePattern(wildcard);
}

/** A source's declared origins, prepared for matching. */
export class OriginRules {
  readonly #exact = new Set<string>();
  readonly #patterns: DeclaredOrigin[] = [];

  /** @throws Error that names a declaration which is not an origin */
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

/** Whether an address belongs to a declared origin. False for text that is not an address. */
export function isDeclaredOrigin(address: string, declared: readonly string[]): boolean {
  const url = URL.parse(address);
  return url !== null && new OriginRules(declared).match(url) !== null;
}

/**
 * Names and addresses of this machine, as the URL parser writes them. Names below `localhost` never leave it either.
 */
const THIS_MACHINE = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether others can read requests to a declared origin on the network: plain http to another machine. */
export function isReadableOnTheWay(declared: string): boolean {
  const origin = parseOrigin(declared);
  return origin !== null && origin.protocol === "http:" && !THIS_MACHINE.test(origin.hostname);
}

function parsePattern([, scheme, below, port]: RegExpExecArray): DeclaredOrigin | null {
  // The URL parser normalizes the default port and the case of host names, as it does for the requested address.
  const url = URL.parse(`${scheme}://${below}${port === undefined ? "" : `:${port}`}`);
  // The parser reads `*.1.2` as an IP address; a pattern is only for names.
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
