import { isJsonObject, type JsonObject } from "../json/json.ts";
import { compilePattern } from "./linear-pattern.ts";

/*
 * The subschemas of an author's schema, and checks of the whole: whether it is large, and whether it can be used at
 * all.
 */

/** Keywords with one subschema. */
export const ONE_SCHEMA =
  "items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties if then else not additionalItems contentSchema".split(
    " ",
  );
/** Keywords with a list of subschemas. */
export const MANY_SCHEMAS = "allOf anyOf oneOf prefixItems items".split(" ");
/** Keywords with subschemas by name. */
export const NAMED_SCHEMAS = "properties patternProperties dependentSchemas $defs definitions".split(" ");

/** Compiling a schema of this many parts takes about 25 ms. A lower number would make every start longer. */
const PARTS_MANY = 150;

/** Whether compiling the schema at its first use would noticeably block other work. */
export function isLargeSchema(schema: object): boolean {
  return countParts(schema as JsonObject, PARTS_MANY) >= PARTS_MANY;
}

/** The code of larger schemas takes seconds to compile, and from some size on cannot run at all. */
const PARTS_MAX = 2_000;

/** Why a schema cannot be compiled in reasonable time, as the rest of a sentence that begins with the schema. */
export function sizeProblem(schema: object): string | null {
  return countParts(schema as JsonObject, PARTS_MAX + 1) > PARTS_MAX
    ? `must NOT have more than ${PARTS_MAX} schemas in it`
    : null;
}

/** Counts the parts, at most up to `max`. */
function countParts(schema: JsonObject, max: number): number {
  let count = 1;
  for (const [, part] of partsOf(schema)) {
    if (count >= max) break;
    count += countParts(part, max - count);
  }
  return count;
}

/**
 * The location of a second `$anchor` of the same name for another schema of one resource; `null` if there is none. A
 * reference to it could not be resolved.
 */
export function repeatedAnchor(schema: object): readonly string[] | null {
  return findRepeatedAnchor(schema as JsonObject, [], new Map());
}

function findRepeatedAnchor(
  schema: JsonObject,
  path: readonly string[],
  above: Map<string, string>,
): readonly string[] | null {
  // A schema with an id of its own is another resource.
  const anchors = typeof schema["$id"] === "string" ? new Map<string, string>() : above;
  const anchor = schema["$anchor"];
  if (typeof anchor === "string") {
    const text = JSON.stringify(schema);
    if ((anchors.get(anchor) ?? text) !== text) return [...path, "$anchor"];
    anchors.set(anchor, text);
  }
  for (const [at, part] of partsOf(schema)) {
    const found = findRepeatedAnchor(part, [...path, ...at], anchors);
    if (found !== null) return found;
  }
  return null;
}

/** The location of a pattern that cannot be used, and the reason; `null` if there is none. */
export function patternProblem(schema: object): { readonly path: readonly string[]; readonly problem: string } | null {
  return findPatternProblem(schema as JsonObject, []);
}

function findPatternProblem(schema: JsonObject, path: readonly string[]): ReturnType<typeof patternProblem> {
  const patterns: [string, readonly string[]][] = [];
  if (typeof schema["pattern"] === "string") patterns.push([schema["pattern"], [...path, "pattern"]]);
  const named = schema["patternProperties"];
  if (isJsonObject(named))
    for (const name of Object.keys(named)) patterns.push([name, [...path, "patternProperties", name]]);
  for (const [pattern, at] of patterns) {
    try {
      compilePattern(pattern);
    } catch (error) {
      return { path: at, problem: (error as Error).message };
    }
  }
  for (const [below, part] of partsOf(schema)) {
    const found = findPatternProblem(part, [...path, ...below]);
    if (found !== null) return found;
  }
  return null;
}

/** The direct subschemas of a schema, with their paths. */
function partsOf(schema: JsonObject): readonly (readonly [readonly string[], JsonObject])[] {
  const parts: [readonly string[], unknown][] = ONE_SCHEMA.map((name) => [[name], schema[name]]);
  for (const name of MANY_SCHEMAS) {
    const list = schema[name];
    if (Array.isArray(list)) parts.push(...list.map((part, at): [string[], unknown] => [[name, String(at)], part]));
  }
  for (const name of NAMED_SCHEMAS) {
    const named = schema[name];
    if (isJsonObject(named))
      parts.push(...Object.entries(named).map(([key, part]): [string[], unknown] => [[name, key], part]));
  }
  return parts.filter((entry): entry is [readonly string[], JsonObject] => isJsonObject(entry[1]));
}
