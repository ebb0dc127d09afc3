import { isDeepStrictEqual } from "node:util";
import { isJsonObject, readJsonExactly } from "../terms/json/json.ts";
import { own } from "./difference.ts";
import { readQuery, type ReceivedRequest } from "./received-request.ts";

/** The content of a request, independent of its encoding. */
export interface RequestForm {
  /** Decoded path segments. */
  readonly segments: readonly unknown[];
  readonly query: unknown;
  /** JSON as its value, a form as its fields, other text unchanged; `null` for no body. */
  readonly body: unknown;
}

/** Stands for a credential, a time or a nonce: any value matches. */
const ANYTHING = Symbol("anything");

export function formOf({ path, query, headers, body }: Omit<ReceivedRequest, "method">): RequestForm {
  return { segments: path.split("/").map(decoded), query: { ...query }, body: readBody(body, headers["content-type"]) };
}

/**
 * Merges two requests of the same case that were made with different credentials. Parts that differ match any value.
 */
export function commonForm(one: RequestForm, other: RequestForm): RequestForm {
  return common(one, other) as RequestForm;
}

export function isOfForm(form: RequestForm, received: RequestForm): boolean {
  return fits(form, received);
}

/** A value of the form `simulate:timeout`. */
export const MAGIC_TEXT = /^simulate:(.+)$/;

function fits(expected: unknown, found: unknown): boolean {
  if (expected === ANYTHING) return found !== undefined;
  if (typeof found === "string" && MAGIC_TEXT.test(found)) return expected !== undefined;
  if (Array.isArray(expected) && Array.isArray(found))
    return expected.length === found.length && expected.every((part, index) => fits(part, found[index]));
  if (!isJsonObject(expected) || !isJsonObject(found)) return isDeepStrictEqual(expected, found);
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].every((name) => fits(own(expected, name), own(found, name)));
}

function common(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.map((part, index) => common(part, other[index]));
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return Object.fromEntries([...names].map((name) => [name, common(own(one, name), own(other, name))]));
  }
  return isDeepStrictEqual(one, other) ? one : ANYTHING;
}

function readBody(text: string, type = ""): unknown {
  if (text === "") return null;
  if (type.toLowerCase().startsWith("application/x-www-form-urlencoded")) return readQuery(text);
  try {
    return readJsonExactly(text);
  } catch {
    return text.split(/([<>&="'\s]+)/);
  }
}

/** A part of a path. If its encoding is invalid, it stays as it is. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
