import type { Json, JsonObject } from "../terms/json.ts";
import { printable } from "../terms/printable.ts";

const TEXT_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 100;
const FIELDS_MAX = 50;
const DEPTH_MAX = 4;
/** Shorter values of a credential are words that stand anywhere: a region, a version. */
const SECRET_CHARS_MIN = 6;
const HIDDEN = "[credential]";

/** What a source or a function says itself, as the log takes it: of a bounded length, harmless to whoever shows it, and without its credential. */
export function ownWords(text: unknown, secrets: readonly string[] = []): string {
  let words = typeof text === "string" ? text.slice(0, 2 * TEXT_CHARS_MAX) : typeof text;
  for (const secret of secrets) words = words.replaceAll(secret, HIDDEN);
  const shown = printable(words);
  return shown.length > TEXT_CHARS_MAX ? `${shown.slice(0, TEXT_CHARS_MAX - 1)}…` : shown;
}

export function ownFields(fields: JsonObject | undefined, secrets: readonly string[] = []): JsonObject {
  return fields === undefined ? {} : (cleaned(fields, secrets, DEPTH_MAX) as JsonObject);
}

/** An author may hand over anything, and reading it may throw. */
function cleaned(value: unknown, secrets: readonly string[], depthLeft: number): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value !== "object" || depthLeft === 0) return ownWords(value, secrets);
  try {
    if (Array.isArray(value)) return value.slice(0, FIELDS_MAX).map((part) => cleaned(part, secrets, depthLeft - 1));
    const entries = Object.entries(value).slice(0, FIELDS_MAX);
    return Object.fromEntries(
      entries.map(([name, part]) => [
        ownWords(name, secrets).slice(0, NAME_CHARS_MAX),
        cleaned(part, secrets, depthLeft - 1),
      ]),
    );
  } catch {
    return "unreadable";
  }
}

/** The values that must not be told, the longest first, since one may be part of another. */
export function secretsOf(credential: JsonObject): readonly string[] {
  const found: string[] = [];
  const look = (value: Json, depthLeft: number): void => {
    if (typeof value === "string" && value.length >= SECRET_CHARS_MIN) found.push(value);
    else if (typeof value === "object" && value !== null && depthLeft > 0)
      for (const part of Object.values(value)) look(part as Json, depthLeft - 1);
  };
  look(credential, DEPTH_MAX);
  return found.toSorted((a, b) => b.length - a.length);
}
