import type { QueryValue } from "../../sdk/http.ts";

type Fields = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** `a=1&b=x%20y`: `undefined` and `null` are left out, a list repeats its name. @throws Error naming the field */
export function encodeQuery(fields: Fields): string {
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

/** The same as a body of `application/x-www-form-urlencoded`. */
export function encodeForm(fields: Fields): string {
  return encodeQuery(fields).replaceAll("%20", "+");
}

/** The path and query of a URL with more fields appended to its query. */
export function withQuery(url: Pick<URL, "pathname" | "search">, fields: Fields | undefined): string {
  const path = url.pathname + url.search;
  const more = fields === undefined ? "" : encodeQuery(fields);
  if (more === "") return path;
  if (url.search === "") return `${path}?${more}`;
  return `${path}&${more}`;
}

function pair(name: string, value: QueryValue): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
    throw new Error(`the field ${name} is not a text, a number or a boolean`);
  return `&${encode(name)}=${encode(String(value))}`;
}

function encode(text: string): string {
  // Half of a surrogate pair has no UTF-8; as everywhere on the web it is sent as the replacement character.
  return encodeURIComponent(text.toWellFormed());
}
