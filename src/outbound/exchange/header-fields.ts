import type { HttpOptions } from "../../sdk/http.ts";
import { CONNECTION_HEADERS } from "../../terms/http/connection-headers.ts";

const FORBIDDEN = new Set(CONNECTION_HEADERS);
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that a value cannot contain: they would end the field, or lose bits when they are sent. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

export function isHeaderValue(text: string): boolean {
  return !NOT_IN_VALUE.test(text);
}

/** A header field that cannot be sent. */
export class HeaderValueError extends Error {
  #value: string;
  constructor(name: string, value: string) {
    super(`the header field ${name} holds a character that cannot be sent`);
    this.#value = value;
  }

  /**
   * Returns the value and forgets it. It is needed only to find its origin, and may be as large as the body of a
   * request.
   */
  takeValue(): string {
    const value = this.#value;
    this.#value = "";
    return value;
  }
}

/**
 * The header fields to send, names and values alternating: the author's, and defaults for those that the author left out.
 * @throws Error that names the field
 */
export function headerFields(
  authorFields: HttpOptions["headers"],
  contentType: string | null,
  bytesMax: number,
): readonly string[] {
  const fields: string[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const name in authorFields) {
    if (!Object.hasOwn(authorFields, name)) continue;
    const content: unknown = authorFields[name];
    if (content === undefined) continue;
    const lower = name.toLowerCase();
    if (!NAME.test(name) || FORBIDDEN.has(lower)) throw new Error("a header field has a name that may not be set");
    if (typeof content !== "string" && typeof content !== "number")
      throw new Error(`the header field ${lower} is not a text or a number`);
    if (names.has(lower)) throw new Error(`the header field ${lower} is given twice`);
    const value = String(content);
    if (!isHeaderValue(value)) throw new HeaderValueError(lower, value);
    names.add(lower);
    bytes += name.length + value.length + 4;
    fields.push(name, value);
  }
  if (bytes > bytesMax) throw new Error("the header fields are too large");
  if (!names.has("accept")) fields.push("accept", "application/json");
  if (!names.has("user-agent")) fields.push("user-agent", "datarun");
  if (!names.has("accept-encoding")) fields.push("accept-encoding", "gzip");
  if (contentType !== null && !names.has("content-type")) fields.push("content-type", contentType);
  return fields;
}

/** The fields that may follow a redirect to another origin: none that could be a credential. */
export function withoutAuthorFields(fields: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!.toLowerCase();
    if (name === "accept" || name === "user-agent" || name === "accept-encoding")
      kept.push(fields[at]!, fields[at + 1]!);
  }
  return kept;
}

/** The fields for a redirect that turns the request into one without a body. */
export function withoutBodyFields(fields: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    if (!fields[at]!.toLowerCase().startsWith("content-")) kept.push(fields[at]!, fields[at + 1]!);
  }
  return kept;
}
