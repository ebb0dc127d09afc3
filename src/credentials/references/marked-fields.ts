import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";

/** In sealed fields, the only member of a value that is kept elsewhere; its value is the reference. */
const MARK = "$datarun_reference";

/** Fields with each reference in the form in which it is sealed, so that nobody can change it in the store. */
export function markReferences(fields: JsonObject, references: Readonly<Record<string, string>>): JsonObject {
  const marked = Object.entries(references).map(([name, reference]) => [name, { [MARK]: reference }] as const);
  return { ...fields, ...Object.fromEntries(marked) };
}

/** The references among opened fields by the name of their field; `null` without any. */
export function referencesIn(fields: JsonObject): ReadonlyMap<string, string> | null {
  let found: Map<string, string> | null = null;
  for (const [name, value] of Object.entries(fields)) {
    const reference = referenceIn(value);
    if (reference !== null) (found ??= new Map()).set(name, reference);
  }
  return found;
}

function referenceIn(value: Json): string | null {
  if (!isJsonObject(value)) return null;
  const reference = value[MARK];
  return typeof reference === "string" && Object.keys(value).length === 1 ? reference : null;
}
