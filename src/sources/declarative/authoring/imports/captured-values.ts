import type { Json } from "../../../../terms/json.ts";
import { basicAuth, bearerAuth, keyAuth, type DraftedAuth } from "../draft-auth.ts";
import { decodePart, snakeCase } from "../draft-request.ts";

/** Guesses what the values of a captured request are (words, placeholders or secrets) and how to name them. */

/** Whether a path segment is a word or a version, and therefore part of the address and not a value. */
export function isPlainSegment(text: string): boolean {
  const isVersion = /^v?\d{1,2}(?:\.\d{1,2}){0,2}$/i.test(text);
  return isVersion || (/^[A-Za-z_~-]{1,30}\d{0,2}(?:\.[a-z]{2,5})?$/.test(text) && !/^[A-Z]{6,}/.test(text));
}

/** An address for a list to choose from: without its query, and without segments that may be values. */
export function shownAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "an address that cannot be read";
  const segments = parsed.pathname.split("/").map((part) => (part === "" || isPlainSegment(part) ? part : "…"));
  return `${parsed.host}${segments.join("/")}`;
}

/** The name in `{number}`, `<number>`, `:number` or `{{number}}`, the usual placeholders of documentation. */
export function placeholderIn(text: string): string | null {
  const [, name] = /^(?:\{\{?|<|:)\s*([A-Za-z][\w -]{0,60}?)\s*(?:\}\}?|>|)$/.exec(text) ?? [];
  if (name === undefined || (text.startsWith(":") ? /\W$/.test(text) : !/[>}]$/.test(text))) return null;
  return name;
}

export function inputName(name: string): string {
  const snake = snakeCase(name).slice(0, 60);
  return /^[a-z]/.test(snake) ? snake : `value_${snake}`.replace(/_$/, "");
}

export function fieldName(name: string): string {
  return inputName(name.replace(/^x-/i, ""));
}

export function singular(name: string): string {
  const plain = snakeCase(decodePart(name));
  return plain === "" || /\d/.test(plain) ? "path" : plain.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

export function typeOf(value: Json): string {
  return typeof value === "number" && Number.isInteger(value)
    ? "integer"
    : typeof value === "object"
      ? "number"
      : typeof value;
}

export function userAuth(pair: string): DraftedAuth {
  return basicAuth({ password: !pair.endsWith(":") });
}

/** `Authorization`: the word before the key is the vendor's scheme, the rest is a secret. */
export function headerAuth(value: string): DraftedAuth {
  const [, word, rest] = /^([A-Za-z][A-Za-z-]{0,20})[ ]+(\S.*)$/s.exec(value) ?? [];
  if (word === undefined) return keyAuth({ header: "Authorization" });
  if (/^bearer$/i.test(word)) return bearerAuth();
  if (/^basic$/i.test(word)) return userAuth(Buffer.from(rest!, "base64").toString("utf8"));
  return keyAuth({ header: "Authorization" }, { word });
}
