import type { JsonObject } from "../terms/json.ts";

/** Shorter values may appear by chance. */
const LENGTH_MIN = 6;

/** The credential fields whose values occur in a text, also in encodings that code may produce by accident. */
export function leakedFields(credentials: JsonObject, text: string): readonly string[] {
  return Object.entries(credentials)
    .filter(([, value]) => typeof value === "string" && value.length >= LENGTH_MIN && standsIn(value, text))
    .map(([name]) => name);
}

function standsIn(value: string, text: string): boolean {
  const bytes = Buffer.from(value, "utf8");
  const escaped = JSON.stringify(value).slice(1, -1);
  const forms = [value, escaped, encodeURIComponent(value), bytes.toString("base64"), bytes.toString("hex")];
  return forms.some((form) => text.includes(form));
}
