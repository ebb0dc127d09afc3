import { isJsonObject, type JsonObject } from "../terms/json/json.ts";

/**
 * Credential fields for a case without its own: examples from the schema, otherwise a text that is easy to recognise if
 * it is leaked.
 */
export function makeUpCredentials(schema: object | undefined): JsonObject {
  if (schema === undefined || !isJsonObject(schema)) return {};
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, makeUp(name, field)]));
}

function makeUp(name: string, field: unknown): JsonObject[string] {
  if (!isJsonObject(field)) return `made-up-${name}-7Qx4`;
  for (const keyword of ["const", "default"]) if (Object.hasOwn(field, keyword)) return field[keyword]!;
  for (const keyword of ["enum", "examples"]) {
    const list = field[keyword];
    if (Array.isArray(list) && list.length > 0) return list[0] as JsonObject[string];
  }
  if (field["type"] === "integer" || field["type"] === "number") return 7_304_911;
  if (field["type"] === "boolean") return true;
  const length = typeof field["minLength"] === "number" ? field["minLength"] : 0;
  return `made-up-${name}-7Qx4`.padEnd(length, "x");
}
