import type { Json, JsonObject } from "../terms/json/json.ts";
import { printable } from "../terms/text/printable.ts";

const TEXT_CHARS_MAX = 2_000;
const NAME_CHARS_MAX = 100;
const FIELDS_MAX = 50;
const DEPTH_MAX = 4;
/** Shorter values of a credential are common words, such as a region or a version. */
const SECRET_CHARS_MIN = 6;
/** Limits for the fields of one line: an adapter may pass a complete reply of a vendor. */
const FIELDS_CHARS_MAX = 20_000;
const VALUES_MAX = 1_000;
const HIDDEN = "[credential]";

/**
 * Makes a message of a source or function safe for the log: limits its length, and removes control characters and the
 * credential.
 */
export function redactText(text: unknown, secrets: readonly string[] = []): string {
  const [longest = 0] = secrets.map(({ length }) => length);
  const charsMax = 2 * TEXT_CHARS_MAX + longest;
  let words = typeof text === "string" ? text.slice(0, charsMax) : typeof text;
  for (const secret of secrets) words = words.replaceAll(secret, HIDDEN);
  // The cut text may end with the start of a secret.
  if (typeof text === "string" && text.length > charsMax) words = words.slice(0, words.length - longest);
  const shown = printable(words);
  return shown.length > TEXT_CHARS_MAX ? `${shown.slice(0, TEXT_CHARS_MAX - 1)}…` : shown;
}

export function redactFields(fields: JsonObject | undefined, secrets: readonly string[] = []): JsonObject {
  if (fields === undefined) return {};
  const room = { chars: FIELDS_CHARS_MAX, values: VALUES_MAX };
  return cleaned(fields, { secrets, room }, DEPTH_MAX) as JsonObject;
}

interface Cleaning {
  readonly secrets: readonly string[];
  /** The remaining capacity. */
  readonly room: { chars: number; values: number };
}

function wordsWithin(text: unknown, { secrets, room }: Cleaning): string {
  const words = redactText(text, secrets);
  room.chars -= words.length;
  return words;
}

/** An author may pass any value, and reading it may throw. Parts beyond the limits are left out. */
function cleaned(value: unknown, cleaning: Cleaning, depthLeft: number): Json {
  const { room } = cleaning;
  room.values -= 1;
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value !== "object" || depthLeft === 0) return wordsWithin(value, cleaning);
  const hasRoom = () => room.chars > 0 && room.values > 0;
  try {
    if (Array.isArray(value)) {
      const parts: Json[] = [];
      for (const part of value.slice(0, FIELDS_MAX)) if (hasRoom()) parts.push(cleaned(part, cleaning, depthLeft - 1));
      return parts;
    }
    const entries: [string, Json][] = [];
    for (const [name, part] of Object.entries(value).slice(0, FIELDS_MAX))
      if (hasRoom())
        entries.push([wordsWithin(name, cleaning).slice(0, NAME_CHARS_MAX), cleaned(part, cleaning, depthLeft - 1)]);
    return Object.fromEntries(entries);
  } catch {
    return "unreadable";
  }
}

/** The values that must not be logged, the longest first, because one may contain another. */
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
