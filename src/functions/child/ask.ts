import { randomBytes, randomUUID } from "node:crypto";
import { RANDOM_BYTES, URL_CHARACTERS } from "../inside/limits.ts";

const SETTABLE = new Set([
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
]);

/** What code in an isolate may ask for at once: parsing a URL, random bytes. It reads nothing and reaches nothing. */
export function answerAsk(what: unknown, first: unknown, second: unknown, third: unknown): string | null {
  if (what === "uuid") return randomUUID();
  if (what === "random") {
    const count = Number(first);
    return count >= 0 && count <= RANDOM_BYTES ? JSON.stringify([...randomBytes(count)]) : null;
  }
  if (typeof first !== "string" || typeof second !== "string" || typeof third !== "string") return null;
  if (first.length + second.length + third.length > URL_CHARACTERS) return null;
  if (what === "url") return partsOf(URL.parse(first, second === "" ? undefined : second));
  if (what === "url-set" && SETTABLE.has(second)) return changed(first, second as "href", third);
  return null;
}

function changed(href: string, part: "href", value: string): string | null {
  const url = URL.parse(href);
  if (url === null) return null;
  try {
    url[part] = value;
  } catch {
    return null;
  }
  return partsOf(url);
}

function partsOf(url: URL | null): string | null {
  if (url === null) return null;
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return JSON.stringify({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash });
}
