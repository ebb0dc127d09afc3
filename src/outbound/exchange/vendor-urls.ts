import type { SourceDeclaration } from "../../sdk/source.ts";
import { BoundedMap } from "../../terms/collections/bounded-map.ts";
import { TARGET_CHARACTERS_MAX } from "../../terms/http/request-target.ts";
import { type OriginMatch, OriginRules } from "../../terms/http/origins.ts";

/** The parts of an absolute URL as plain values, because a `URL` computes them again on each access. */
export type VendorUrl = Readonly<Pick<URL, "origin" | "protocol" | "hostname" | "port" | "pathname" | "search">>;

export interface KnownAddress {
  readonly url: VendorUrl;
  /** `null` if the source does not declare the origin. */
  readonly match: OriginMatch | null;
}

/** Limits of the cache. They are small because URLs can contain inputs, which must not be kept for long. */
const CACHED_MAX = 8;
const CACHED_CHARACTERS_MAX = 2_048;

/** The path and query are longer than any vendor accepts. */
export class TargetTooLong extends Error {
  constructor() {
    super("the path and query are too long");
  }
}

/** A cache of the URLs that a source requested last. Most sources request the same URL with varying queries or bodies. */
export class VendorUrlCache {
  readonly #rules: OriginRules;
  readonly #cache = new BoundedMap<string, KnownAddress>(CACHED_MAX);

  constructor(rules: OriginRules) {
    this.#rules = rules;
  }

  /** @throws Error like `readVendorUrl` */
  read(text: string): KnownAddress {
    const known = this.#cache.get(text);
    if (known !== undefined) return known;
    const { origin, protocol, hostname, port, pathname, search } = readVendorUrl(text);
    const url = { origin, protocol, hostname, port, pathname, search };
    const read = { url, match: this.#rules.match(url) };
    if (text.length <= CACHED_CHARACTERS_MAX) this.#cache.set(text, read);
    return read;
  }

  match(url: VendorUrl): OriginMatch | null {
    return this.#rules.match(url);
  }
}

/** Returns a function that finds the cache of a source. */
export function createUrlCaches(): (declaration: SourceDeclaration) => VendorUrlCache {
  const caches = new WeakMap<SourceDeclaration, VendorUrlCache>();
  return (declaration) => {
    let cache = caches.get(declaration);
    if (cache === undefined) {
      cache = new VendorUrlCache(new OriginRules(declaration.origins ?? []));
      caches.set(declaration, cache);
    }
    return cache;
  };
}

/**
 * Reads the URL of a request. Authors build URLs from inputs, so everything that the URL parser would silently rewrite into
 * another destination is refused: user names, dot segments, backslashes, fragments, control characters.
 * @throws Error whose message contains no part of the URL
 */
export function readVendorUrl(text: unknown): URL {
  if (typeof text !== "string") throw new Error("the address is not a string");
  if (text.length > ADDRESS_CHARACTERS_MAX) throw new TargetTooLong();
  const parts = PARTS.exec(text);
  const url = URL.parse(text);
  if (parts === null || url === null) throw new Error("the address is not an absolute http or https URL");
  if (REWRITTEN.test(text)) throw new Error("the address holds a character that has to be encoded");
  if (parts[1]!.includes("@")) throw new Error("the address holds a user name");
  if (DOT_SEGMENT.test(parts[2]!)) throw new Error("the path of the address holds a dot segment");
  return url;
}

/** The longest URL, with scheme and host. */
const ADDRESS_CHARACTERS_MAX = TARGET_CHARACTERS_MAX + 1024;
/** Authority and path, before the URL parser changes them. */
const PARTS = /^https?:\/\/([^/?#\\]+)([^?#]*)/i;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const REWRITTEN = /[\u0000-\u001f\u007f\\#]|^ | $/;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;
