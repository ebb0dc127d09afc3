import { Fault } from "../../../terms/fault.ts";
import { TARGET_CHARACTERS_MAX } from "../../../terms/http/request-target.ts";
import type { Json } from "../../../terms/json/json.ts";
import { addressOf, type RenderedRequest, type RequestTarget } from "../request/render-request.ts";

/**
 * The address of the next page in a vendor's reply: a URL, a reference relative to the request before it, or a field
 * `Link` with `rel="next"` (RFC 8288). `null`: there is none. It must be of the same origin as the request before it,
 * because it is sent with the same credentials. `visited`: the addresses of the pages before it. @throws Fault
 */
export function readNextLink(found: Json, before: RenderedRequest, visited: ReadonlySet<string>): URL | null {
  const written = typeof found === "string" && found.startsWith("<") ? nextIn(found) : found;
  if (written === null || written === false || written === "") return null;
  if (typeof written !== "string" || written.length > TARGET_CHARACTERS_MAX) throw problem("is not an address");
  const url = URL.parse(written, addressOf(before));
  if (url === null) throw problem("is not an address");
  if (url.origin !== before.origin || url.username !== "" || url.password !== "")
    throw problem(`leaves ${before.origin}, and no credential is sent elsewhere`);
  url.hash = "";
  if (visited.has(url.href)) throw problem("is that of a page before it");
  return url;
}

export function targetOf({ pathname, search }: URL): RequestTarget {
  return { path: pathname, query: search === "" ? [] : search.slice(1).split("&") };
}

function problem(what: string): Fault {
  return new Fault("source.contract", { problem: `the link to its next page ${what}` });
}

/** One link of the field, and its parameters. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,<>"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,<>"]*)))?/g;

function nextIn(field: string): string | null {
  if (field.length > TARGET_CHARACTERS_MAX) throw problem("is not an address");
  for (const [, address = "", parameters = ""] of field.matchAll(LINK)) {
    const [, , quoted, bare] = parameters.matchAll(PARAMETER).find(([, name]) => name?.toLowerCase() === "rel") ?? [];
    if ((quoted ?? bare ?? "").toLowerCase().split(/\s+/).includes("next")) return address;
  }
  return null;
}
