import { SecretUnavailable } from "./secret-unavailable.ts";

/** The member of a secret that is a JSON object; the whole secret without a key. @throws SecretUnavailable */
export function memberOf(text: string, key: string | null): string {
  if (key === null) return text;
  const object = parseObject(text);
  if (object === null) throw new SecretUnavailable("the secret is not a JSON object", { isFinal: true });
  return textOf(object, key);
}

/** @throws SecretUnavailable */
export function textOf(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "")
    throw new SecretUnavailable(`the secret has no text "${key}"`, { isFinal: true });
  return value;
}

/** `null` for a text that is not a JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/** The object at a path of an object; `null` if there is none. */
export function objectAt(
  object: Readonly<Record<string, unknown>> | null,
  ...path: readonly string[]
): Readonly<Record<string, unknown>> | null {
  let found: unknown = object;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : null;
}
