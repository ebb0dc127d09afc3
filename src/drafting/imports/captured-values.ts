import type { Json } from "../../terms/json/json.ts";
import { basicAuth, bearerAuth, keyAuth, type DraftedAuth } from "../draft-auth.ts";
import { decodePart, inputName, snakeCase } from "../draft-request.ts";

/** Classifies the values of a captured request as words, placeholders or secrets, and names them. */

/** Whether a path segment is a word or a version: then it belongs to the address and is not a value. */
export function isPlainSegment(text: string): boolean {
  return /^v?\d{1,2}(?:\.\d{1,2}){0,2}$/i.test(text) || isPlainWord(text);
}

function isPlainWord(text: string): boolean {
  return /^[A-Za-z_~-]{1,30}\d{0,2}(?:\.[a-z]{2,5})?$/.test(text) && !/^[A-Z]{6,}/.test(text);
}

/**
 * Whether a parameter without a value is a name, such as `flag` or `filter[name]`. Otherwise it may be a value without
 * a name.
 */
export function isPlainFlag(text: string): boolean {
  return (
    /^[^[\]]+(?:\[[^[\]]*\])*$/.test(text) && text.split(/[[\]]+/).every((part) => part === "" || isPlainWord(part))
  );
}

const NAME_CHARS_MAX = 60;
const NAME_DIGITS_MAX = 5;

/**
 * Whether a parameter name has a form that vendors choose: `filter[name]`, `$top`, `soap:Body`, `customfield_10023`.
 * Names of people, dates, numbers and most keys have another form.
 */
export function isUsualName(text: string): boolean {
  return (
    text.length <= NAME_CHARS_MAX &&
    /^[@#$:_-]*[A-Za-z][\w.:[\]-]*$/.test(text) &&
    text.replaceAll(/\D/g, "").length <= NAME_DIGITS_MAX
  );
}

/** An address for a list of choices: without its query, and without segments that may be values. */
export function shownAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "an address that cannot be read";
  const segments = parsed.pathname.split("/").map((part) => (part === "" || isPlainSegment(part) ? part : "…"));
  return `${parsed.host}${segments.join("/")}`;
}

/**
 * The name in a placeholder of documentation: `{number}`, `{{number}}` and `<number>`, and in a path also `:number`.
 * Texts that may be real values do not match: `<Ada>`, `<Ada Lovelace>`, a GUID in braces, a password after a colon.
 */
export function placeholderIn(text: string, where: "path" | "value"): string | null {
  const [, braced, angled, afterColon] = PLACEHOLDER.exec(text) ?? [];
  const name = braced ?? angled ?? (where === "path" ? afterColon : undefined);
  return name !== undefined && isUsualName(name) ? name : null;
}

const PLACEHOLDER =
  /^(?:\{\{? ?([A-Za-z][\w-]*) ?\}?\}|<([A-Z][A-Z_-]*\d{0,2}|[a-z][A-Za-z_-]*\d{0,2})>|:([A-Za-z][\w-]*))$/;

/** The names of an input and of a field of a credential. Those of a captured request may be long. */
export function capturedName(name: string): string {
  return inputName(snakeCase(name).slice(0, 60));
}

export function fieldName(name: string): string {
  return capturedName(name.replace(/^x-/i, ""));
}

/**
 * The name of an input below a path segment: `company` for `companies`; only `path` if the segment may itself be a
 * value.
 */
export function singular(segment: string): string {
  const text = decodePart(segment);
  const plain = snakeCase(text);
  return plain === "" || /\d/.test(plain) || !isPlainSegment(text)
    ? "path"
    : plain.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
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

/** In `Authorization`, the word before the key is the scheme, and the rest is a secret. */
export function headerAuth(value: string): DraftedAuth {
  const [, word, rest] = /^([A-Za-z][A-Za-z-]{0,20})[ ]+(\S.*)$/s.exec(value) ?? [];
  if (word === undefined) return keyAuth({ header: "Authorization" });
  if (/^bearer$/i.test(word)) return bearerAuth();
  if (/^basic$/i.test(word)) return userAuth(Buffer.from(rest!, "base64").toString("utf8"));
  return keyAuth({ header: "Authorization" }, { word });
}
