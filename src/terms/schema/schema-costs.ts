import { isJsonObject, type JsonObject } from "../json/json.ts";
import { MANY_SCHEMAS, NAMED_SCHEMAS, ONE_SCHEMA } from "./schema-parts.ts";

/* The cost of validating a value, in steps of about 30 ns, as far as the schema determines it before it is compiled. */

/** A keyword added to schemas: the cost of each use of that subschema. */
export const COST = "datarun:cost";

/** Characters, members or names that are compared per step. */
export const UNITS_PER_STEP = 16;

/** Keywords that visit all names of an object. */
const WALKS_MEMBERS = "additionalProperties patternProperties propertyNames unevaluatedProperties".split(" ");

/**
 * Keywords whose subschema is applied to every name: its cost includes the name, so that names are not visited twice.
 */
const BY_NAME: ReadonlySet<string> = new Set(["additionalProperties", "propertyNames"]);
const COST_OF_NAME = 8;

function isPricedByName(keyword: string, schema: unknown): schema is JsonObject {
  return BY_NAME.has(keyword) && isJsonObject(schema);
}

/** Whether a schema visits all names of an object although none of its subschemas includes their cost. */
export function visitsMembers(schema: Readonly<Record<string, unknown>>): boolean {
  return WALKS_MEMBERS.some((keyword) => schema[keyword] !== undefined && !isPricedByName(keyword, schema[keyword]));
}

/** Keywords that list all names of an object, only to count them. */
const COUNTS_MEMBERS = ["minProperties", "maxProperties"];
/** Up to this many names, the engine lists an object without looking each of them up. */
const EASY_MEMBERS_MAX = 64;

export function countsMembers(schema: Readonly<Record<string, unknown>>): boolean {
  return COUNTS_MEMBERS.some((keyword) => schema[keyword] !== undefined);
}

export function costOfCounting(value: unknown): number {
  if (!isJsonObject(value)) return 0;
  const count = Object.keys(value).length;
  return count <= EASY_MEMBERS_MAX ? 2 : COST_OF_NAME * count;
}

export function costOfMembers(value: unknown): number {
  return isJsonObject(value) ? COST_OF_NAME * Object.keys(value).length : 0;
}

/** Keywords whose subschema is applied as often as the value has parts, or as references lead to it. */
const REPEATING =
  "$ref $dynamicRef $recursiveRef items prefixItems contains additionalProperties patternProperties propertyNames unevaluatedItems unevaluatedProperties".split(
    " ",
  );
/** Keywords whose subschemas often do not match, which creates an error each time. */
const OFTEN_UNFIT: ReadonlySet<string> = new Set(["anyOf", "oneOf", "not", "if", "contains"]);
const COST_OF_REPORT = 6;

/** Whether the cost of a validation depends on the value. If not, as for most schemas of inputs, nothing is counted. */
export function needsCosts(schema: object): boolean {
  const text = JSON.stringify(schema);
  return REPEATING.some((keyword) => text.includes(`"${keyword}":`)) || text.length > SIMPLE_CHARS_MAX;
}

const SIMPLE_CHARS_MAX = 50_000;

/** The schema with the cost of each subschema added. `more`: an additional cost of each use. */
export function withCosts(schema: JsonObject, more = 0): JsonObject {
  const priced: Record<string, unknown> = { ...schema };
  for (const name of ONE_SCHEMA) {
    const part = schema[name];
    if (isJsonObject(part))
      priced[name] = withCosts(part, isPricedByName(name, part) ? COST_OF_NAME : costOfReport(name));
  }
  for (const name of MANY_SCHEMAS) {
    const list = schema[name];
    if (Array.isArray(list))
      priced[name] = list.map((part) => (isJsonObject(part) ? withCosts(part, costOfReport(name)) : part));
  }
  for (const name of NAMED_SCHEMAS) {
    const named = schema[name];
    if (!isJsonObject(named)) continue;
    priced[name] = Object.fromEntries(
      Object.entries(named).map(([key, part]) => [key, isJsonObject(part) ? withCosts(part) : part]),
    );
  }
  priced[COST] = 1 + more + Math.ceil(comparedIn(schema) / UNITS_PER_STEP);
  return priced as JsonObject;
}

function costOfReport(keyword: string): number {
  return OFTEN_UNFIT.has(keyword) ? COST_OF_REPORT : 0;
}

/** How many names and allowed values this subschema compares with a value. */
function comparedIn(schema: JsonObject): number {
  let count = 0;
  for (const name of ["enum", "const", "required", "dependentRequired"]) {
    if (schema[name] !== undefined) count += costOfConstants(JSON.stringify(schema[name]));
  }
  if (isJsonObject(schema["properties"])) count += Object.keys(schema["properties"]).length;
  return count;
}

/** Objects and lists are compared member by member, each in a separate function call. */
function costOfConstants(json: string): number {
  return /[[{]/.test(json.slice(1)) ? 2 * json.length : json.length / 8;
}
