import type { QueryValue } from "../../sdk/http.ts";
import { TARGET_CHARACTERS_MAX } from "../../terms/http/request-target.ts";
import { TargetTooLong } from "./vendor-urls.ts";

type QueryFields = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** `a=1&b=x%20y`: `undefined` and `null` are left out, a list repeats its name. @throws Error that names the field */
export function encodeQuery(fields: QueryFields): string {
  let text = "";
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (Array.isArray(value)) {
      for (const one of value as readonly QueryValue[]) text += pair(name, one);
    } else {
      text += pair(name, value as QueryValue);
    }
  }
  return text.slice(1);
}

/** Encodes fields as a body of `application/x-www-form-urlencoded`. */
export function encodeForm(fields: QueryFields): string {
  return encodeQuery(fields).replaceAll("%20", "+");
}

/**
 * The path and query of a URL with more fields appended to the query. @throws TargetTooLong if the result is too long
 */
export function withQuery(url: Pick<URL, "pathname" | "search">, fields: QueryFields | undefined): string {
  const target = join(url, fields);
  if (target.length > TARGET_CHARACTERS_MAX) throw new TargetTooLong();
  return target;
}

function join(url: Pick<URL, "pathname" | "search">, fields: QueryFields | undefined): string {
  const path = url.pathname + url.search;
  // Checked first, because encoding long texts takes time and never makes them shorter.
  if (fields !== undefined && lengthOf(fields) > TARGET_CHARACTERS_MAX) throw new TargetTooLong();
  const more = fields === undefined ? "" : encodeQuery(fields);
  if (more === "") return path;
  if (url.search === "") return `${path}?${more}`;
  return `${path}&${more}`;
}

/** The length of the texts before encoding. */
function lengthOf(fields: QueryFields): number {
  let length = 0;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    for (const one of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      if (typeof one === "string") length += name.length + one.length;
  }
  return length;
}

function pair(name: string, value: QueryValue): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new Error(`the field ${name} is not a text, a number or a boolean`);
  return `&${encode(name)}=${encode(String(value))}`;
}

function encode(text: string): string {
  // Half of a surrogate pair has no UTF-8. As everywhere on the web, the replacement character is sent instead.
  return encodeURIComponent(text.toWellFormed());
}
