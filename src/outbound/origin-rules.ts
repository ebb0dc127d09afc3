/** How an address is covered by a source's declaration. Only an exact origin may ever be a private address. */
export type OriginMatch = "exact" | "pattern";

interface Pattern {
  readonly protocol: string;
  readonly port: string;
  /** With its leading dot: `.registry.example`. */
  readonly suffix: string;
}

const PATTERN = /^(https?):\/\/\*\.([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(\d{1,5}))?\/?$/i;

/** A source's declared origins, ready to be asked. Default ports and the case of host names make no difference. */
export class OriginRules {
  readonly #exact = new Set<string>();
  readonly #patterns: Pattern[] = [];

  /** @throws Error naming the declaration that is no origin */
  constructor(declared: readonly string[]) {
    for (const text of declared) {
      const wildcard = PATTERN.exec(text);
      if (wildcard !== null) this.#patterns.push(readPattern(wildcard));
      else this.#exact.add(readOrigin(text));
    }
  }

  match(url: Pick<URL, "origin" | "protocol" | "hostname" | "port">): OriginMatch | null {
    if (this.#exact.has(url.origin)) return "exact";
    for (const { protocol, port, suffix } of this.#patterns) {
      if (url.protocol === protocol && url.port === port && url.hostname.endsWith(suffix)) return "pattern";
    }
    return null;
  }
}

function readPattern(wildcard: RegExpExecArray): Pattern {
  const [text, scheme, suffix, port] = wildcard;
  // The URL parser brings the default port and the case of host names to one form, as it does for the address asked for.
  const url = new URL(`${scheme}://${suffix}${port === undefined ? "" : `:${port}`}`);
  // The parser reads `*.1.2` as an address; a pattern is for names only.
  if (url.hostname !== suffix!.toLowerCase()) throw new Error(`${text} is not an origin`);
  return { protocol: url.protocol, port: url.port, suffix: `.${url.hostname}` };
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.pathname === "/" &&
    !/[?#*\s@\\]/.test(text);
  if (!isOrigin) throw new Error(`${text} is not an origin`);
  return url.origin;
}
