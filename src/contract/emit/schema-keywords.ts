import { ExactNumber } from "../../terms/json/exact-number.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";

const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const;
export type Kind = (typeof KINDS)[number];

export function kindsOf(set: ReadonlySet<JsonObject>): ReadonlySet<Kind> {
  let kinds = new Set<Kind>(KINDS);
  for (const schema of set) {
    const said = [own(schema, "type")].flat().filter(isText);
    if (said.length === 0) continue;
    const allowed = new Set(said.map((type) => (type === "integer" ? "number" : type)));
    kinds = new Set([...kinds].filter((kind) => allowed.has(kind)));
  }
  return kinds;
}

/** Whether numbers have to be whole. */
export function isWhole(set: ReadonlySet<JsonObject>): boolean {
  return [...set].some((schema) => {
    const said = new Set([own(schema, "type")].flat());
    return said.has("integer") && !said.has("number");
  });
}

/** The values that `enum` and `const` leave; `undefined` if no schema has one of them. */
export function valuesOf(set: ReadonlySet<JsonObject>): readonly Json[] | undefined {
  let values: readonly Json[] | undefined;
  for (const schema of set) {
    const constant = own(schema, "const");
    const lists = [own(schema, "enum"), constant === undefined ? undefined : [constant]];
    for (const list of lists.filter((list): list is readonly Json[] => Array.isArray(list))) {
      const allowed = new Set(list.map(canonicalJson));
      values = (values ?? list).filter((value) => allowed.has(canonicalJson(value)));
    }
  }
  return values;
}

export function isOfKinds(value: Json, set: ReadonlySet<JsonObject>, kinds: ReadonlySet<Kind>): boolean {
  if (typeof value === "number" && isWhole(set) && !Number.isInteger(value)) return false;
  return kinds.has(kindOf(value));
}

function kindOf(value: Json): Kind {
  if (value instanceof ExactNumber) return "number";
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : (typeof value as Kind);
}

/** All values that the branches of a choice between constants leave, as one schema. */
export function constantsOf(schema: JsonObject): JsonObject | undefined {
  const choices = ["anyOf", "oneOf"].filter((keyword) => own(schema, keyword) !== undefined);
  const branches = choices.flatMap((keyword) => listOf(schema, keyword));
  if (choices.length !== 1 || branches.length === 0 || own(schema, "if") !== undefined) return undefined;
  const values = branches.map((branch) =>
    isJsonObject(branch) && Object.keys(branch).every((keyword) => keyword === "const" || ANNOTATIONS.has(keyword))
      ? own(branch, "const")
      : undefined,
  );
  return values.includes(undefined) ? undefined : { enum: values as Json[] };
}

export function schemaOfValue(value: readonly Json[] | JsonObject): JsonObject {
  if (Array.isArray(value)) {
    const prefixItems = value.map((entry): JsonObject => ({ const: entry }));
    return { type: "array", prefixItems, items: false, minItems: value.length };
  }
  const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, { const: member }]));
  return { type: "object", properties, required: Object.keys(value), additionalProperties: false };
}

/** Whether a schema consists of `$ref` and annotations. */
export function isReference(schema: JsonObject): boolean {
  return (
    typeof own(schema, "$ref") === "string" &&
    Object.keys(schema).every((keyword) => keyword === "$ref" || ANNOTATIONS.has(keyword))
  );
}

const ANNOTATIONS = new Set("title description examples deprecated readOnly writeOnly $comment default".split(" "));

export function own(schema: JsonObject, keyword: string): Json | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

export function listOf(schema: JsonObject, keyword: string): readonly unknown[] {
  const list = own(schema, keyword);
  return Array.isArray(list) ? list : [];
}

export function objectIn(schema: JsonObject, keyword: string): JsonObject {
  const value = own(schema, keyword);
  return isJsonObject(value) ? value : {};
}

export function textOf(schema: JsonObject, keyword: string): string {
  const value = own(schema, keyword);
  return isText(value) ? value : "";
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
