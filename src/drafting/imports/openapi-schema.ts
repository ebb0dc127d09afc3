import { schemaProblem } from "../../sources/schema-language.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { canCheck } from "../example-values.ts";
import type { OpenApiDocument, Spot } from "./openapi-document.ts";

const DEPTH_MAX = 12;
/** Keywords that constrain or describe a value. They are kept. */
const KEPT = new Set(
  "type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems required minProperties maxProperties title description default".split(
    " ",
  ),
);
const SCHEMAS = new Set(
  "items not additionalProperties contains propertyNames if then else unevaluatedProperties".split(" "),
);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords that do not constrain a value. They are dropped. */
const LEFT =
  /^(?:x-.*|example|examples|deprecated|xml|externalDocs|discriminator|readOnly|writeOnly|nullable|\$comment|\$schema|\$id|contentMediaType|contentEncoding|collectionFormat)$/;
const FORMATS = new Set(
  "date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid json-pointer relative-json-pointer byte int32 int64 float double password binary".split(
    " ",
  ),
);

/**
 * Converts a schema of OpenAPI 3.0 or 3.1 to a JSON Schema without references. @throws ImportProblem if that is
 * impossible
 */
export function toSchema(document: OpenApiDocument, spot: Spot, above: readonly Spot[] = []): JsonObject {
  const { value } = spot;
  if (typeof value === "boolean") return value ? {} : { not: {} };
  if (!isJsonObject(value)) {
    document.leaveOut(spot, "this is not a schema");
    return {};
  }
  if (above.some(({ value: known }) => known === value) || above.length > DEPTH_MAX)
    return document.refuse(spot, "this schema contains itself", "write this input by hand");
  const inner = (part: Spot) => toSchema(document, part, [...above, spot]);
  const made: Record<string, Json> = {};
  for (const [name, part] of document.members(spot)) {
    if (name === "properties" || name === "patternProperties" || name === "dependentSchemas")
      made[name] = Object.fromEntries(document.members(part).map(([member, schema]) => [member, inner(schema)]));
    else if (SCHEMAS.has(name)) made[name] = typeof part.value === "boolean" ? part.value : inner(part);
    else if (LISTS.has(name)) made[name] = document.list(spot, name).map(inner);
    else if (name === "format" && !FORMATS.has(part.value as string)) made["x-format"] = part.value;
    else if (name === "enum" && !(Array.isArray(part.value) && part.value.length > 0))
      document.leaveOut(part, "this enum has no values");
    else if (KEPT.has(name) && isExact(part.value)) made[name] = part.value;
    else if (KEPT.has(name)) document.leaveOut(part, `${name} has more digits than a file can hold`);
    else if (!LEFT.test(name)) document.leaveOut(part, `${name} of a schema cannot be imported`);
  }
  return as31(made, value["nullable"] === true || value["x-nullable"] === true);
}

/** Whether all its numbers can be written with all digits. */
export function isExact(value: Json): boolean {
  if (typeof value === "number")
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return typeof value !== "object" || value === null || Object.values(value).every((part) => isExact(part as Json));
}

/**
 * Removes the parts that JSON Schema 2020-12 or this service cannot use, such as a pattern in another dialect.
 * @throws ImportProblem if the schema cannot be made usable
 */
export function usableSchema(document: OpenApiDocument, spot: Spot, schema: JsonObject): JsonObject {
  const usable = structuredClone(schema) as Record<string, Json>;
  for (;;) {
    const wrong = schemaProblem(usable);
    if (wrong === null) break;
    const path = [...wrong.path];
    // An entry of a list is removed together with its keyword.
    while (path.length > 1 && Array.isArray(at(usable, path.slice(0, -1)))) path.pop();
    const holder = at(usable, path.slice(0, -1));
    const name = path.at(-1);
    if (name === undefined || !isJsonObject(holder) || !Object.hasOwn(holder, name))
      return document.refuse(spot, `its schema cannot be used: it ${wrong.message}`, "write this input by hand");
    delete (holder as Record<string, Json>)[name];
    document.leaveOut({ value: null, path: [...spot.path, ...path] }, `${name} of this schema cannot be used`);
  }
  if (!canCheck(usable)) document.refuse(spot, "its schema cannot be used", "write this input by hand");
  return usable;
}

function at(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path)
    found = typeof found === "object" && found !== null ? (found as Record<string, Json>)[step] : undefined;
  return found;
}

/** Converts keywords that OpenAPI 3.0 expresses differently. */
function as31(schema: Record<string, Json>, nullable: boolean): JsonObject {
  for (const [side, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[side] !== "boolean") continue;
    if (schema[side] && schema[bound] !== undefined) {
      schema[side] = schema[bound];
      delete schema[bound];
    } else delete schema[side];
  }
  if (nullable && typeof schema["type"] === "string") schema["type"] = [schema["type"], "null"];
  if (nullable && Array.isArray(schema["enum"]) && !schema["enum"].includes(null))
    schema["enum"] = [...schema["enum"], null];
  return schema;
}

/** The schemas of an object's members, including those of `allOf`; `null` if it is not a plain object. */
export function membersOf(
  document: OpenApiDocument,
  spot: Spot,
  depth = 0,
): Map<string, { spot: Spot; required: boolean }> | null {
  const { value } = spot;
  if (!isJsonObject(value) || depth > DEPTH_MAX || value["oneOf"] !== undefined || value["anyOf"] !== undefined)
    return null;
  const parts = document.list(spot, "allOf").map((part) => membersOf(document, part, depth + 1));
  const own = document.object(spot, "properties");
  if (own === undefined && (parts.length === 0 || parts.includes(null))) return null;
  const required = new Set(document.list(spot, "required").map((one) => one.value));
  const members = new Map(parts.flatMap((part) => [...(part ?? [])]));
  for (const [name, schema] of document.members(own)) members.set(name, { spot: schema, required: false });
  for (const [name, member] of members) if (required.has(name)) members.set(name, { ...member, required: true });
  return members;
}

/** A value for a schema: its own example, otherwise a value of its type. Terminates for recursive schemas too. */
export function sampleOf(document: OpenApiDocument, spot: Spot, above: readonly Json[] = []): Json {
  const { value } = spot;
  if (!isJsonObject(value) || above.includes(value) || above.length > DEPTH_MAX) return null;
  for (const name of ["example", "const", "default"]) if (Object.hasOwn(value, name)) return value[name]!;
  for (const name of ["examples", "enum"]) {
    const list = value[name];
    if (Array.isArray(list) && list.length > 0) return list[0] as Json;
  }
  const inner = (part: Spot) => sampleOf(document, part, [...above, value]);
  for (const name of ["oneOf", "anyOf"]) {
    const [first] = document.list(spot, name);
    if (first !== undefined) return inner(first);
  }
  const members = membersOf(document, spot);
  if (members !== null) return Object.fromEntries([...members].map(([name, member]) => [name, inner(member.spot)]));
  const type = Array.isArray(value["type"]) ? value["type"].find((one) => one !== "null") : value["type"];
  const items = document.in(spot, "items");
  if (type === "array" || items !== undefined) return items === undefined ? [] : [inner(items)];
  const [only] = document.list(spot, "allOf");
  if (type === undefined && only !== undefined) return inner(only);
  return BY_TYPE.get(type)?.(value["format"]) ?? null;
}

/** A text that is certainly not personal data. */
export const EXAMPLE_TEXT = "Example";

const BY_TYPE: ReadonlyMap<Json | undefined, (format: Json | undefined) => Json> = new Map(
  Object.entries<(format: Json | undefined) => Json>({
    string: (format) => BY_FORMAT.get(format) ?? EXAMPLE_TEXT,
    integer: () => 12,
    number: () => 12.5,
    boolean: () => true,
    object: () => ({}),
  }),
);
const BY_FORMAT: ReadonlyMap<Json | undefined, string> = new Map(
  Object.entries<string>({
    date: "2001-02-03",
    "date-time": "2001-02-03T04:05:06Z",
    email: "ada@vendor.example",
    uri: "https://vendor.example/",
    url: "https://vendor.example/",
    uuid: "11111111-1111-4111-8111-111111111111",
  }),
);

/** Collects the constants that a schema allows: they belong to the vendor's format and are not data. */
export function wordsOf(document: OpenApiDocument, spot: Spot, words: Set<string>, seen = new Set<Json>()): void {
  if (typeof spot.value !== "object" || spot.value === null || seen.has(spot.value)) return;
  seen.add(spot.value);
  for (const [name, part] of document.members(spot)) {
    if (name === "enum" || name === "const")
      for (const word of [part.value].flat()) words.add(typeof word === "string" ? word : JSON.stringify(word));
    else wordsOf(document, part, words, seen);
  }
  if (Array.isArray(spot.value))
    spot.value.forEach((_, at) => wordsOf(document, document.in(spot, String(at))!, words, seen));
}
