import type { JsonObject } from "../json/json.ts";
import { stepsOf } from "../json/json-pointer.ts";

/** Keywords whose value is one schema that describes the same object. */
const ONE_BRANCH = ["if", "then", "else"] as const;
/** Keywords whose value is a list of schemas that describe the same object. */
const MANY_BRANCHES = ["oneOf", "anyOf", "allOf"] as const;

/**
 * The property names that a schema declares for its object: those of its own `properties` and of every branch that
 * describes the same object, at any nesting of these keywords. Names inside nested objects, `not` and
 * `patternProperties` do not determine what may be sent at the top level.
 */
export function declaredNames(schema: object): readonly string[] {
  const names = new Set<string>();
  for (const branch of branchesOf(schema as JsonObject, [schema])) {
    const properties = own(branch, "properties");
    if (isObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  }
  return [...names];
}

/** The declared names whose schema has this keyword with the value true. */
export function namesMarked(schema: object, keyword: string): readonly string[] {
  const names = new Set<string>();
  for (const branch of branchesOf(schema as JsonObject, [schema])) {
    const properties = own(branch, "properties");
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties))
      if (isObject(property) && own(property, keyword) === true) names.add(name);
  }
  return [...names];
}

/**
 * A location in a value, in a readable form that repeats no name which the schema does not have: `people.*.age`. Where
 * a schema allows any names, they may be data, such as the names of people.
 */
export function declaredField(schema: object, value: unknown, pointer: string): string {
  const root = schema as JsonObject;
  let branches = branchesOf(root, [root]);
  let part = value;
  const shown = stepsOf(pointer).map((step) => {
    const isEntry = Array.isArray(part);
    const known = isEntry || [...branches].some((branch) => hasName(branch, step));
    const inner = [...branches].flatMap((branch) => (isEntry ? entriesOf(branch) : membersOf(branch, step)));
    branches = branchesOf(root, inner);
    part = typeof part === "object" && part !== null ? own(part as JsonObject, step) : undefined;
    return known ? step : "*";
  });
  return shown.join(".");
}

function hasName(branch: JsonObject, name: string): boolean {
  const properties = own(branch, "properties");
  const required = own(branch, "required");
  return (
    (isObject(properties) && Object.hasOwn(properties, name)) || (Array.isArray(required) && required.includes(name))
  );
}

/** The schemas of a member of this name: its own, or those for any name. */
function membersOf(branch: JsonObject, name: string): readonly unknown[] {
  const properties = own(branch, "properties");
  if (isObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  const patterns = own(branch, "patternProperties");
  return [
    own(branch, "additionalProperties"),
    own(branch, "unevaluatedProperties"),
    ...(isObject(patterns) ? Object.values(patterns) : []),
  ];
}

/** The schemas that an entry of a list may have. */
function entriesOf(branch: JsonObject): readonly unknown[] {
  return ["items", "prefixItems", "contains", "unevaluatedItems"].flatMap((keyword) => own(branch, keyword));
}

/** These schemas and all of their branches that describe the same value. */
function branchesOf(root: JsonObject, schemas: readonly unknown[]): ReadonlySet<JsonObject> {
  const seen = new Set<JsonObject>();

  function visit(branch: unknown): void {
    if (!isObject(branch) || seen.has(branch)) return;
    seen.add(branch);
    for (const keyword of ONE_BRANCH) visit(own(branch, keyword));
    for (const keyword of MANY_BRANCHES) {
      const branches = own(branch, keyword);
      if (Array.isArray(branches)) branches.forEach(visit);
    }
    const dependent = own(branch, "dependentSchemas");
    if (isObject(dependent)) Object.values(dependent).forEach(visit);
    const reference = own(branch, "$ref");
    if (typeof reference === "string") visit(resolveLocal(root, reference));
  }

  schemas.forEach(visit);
  return seen;
}

/** Resolves a local reference: `#`, a JSON pointer, or the name of a `$anchor`. Other references are not followed. */
export function resolveLocal(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const fragment = decodeFragment(reference.slice(1));
  if (fragment === undefined) return undefined;
  if (fragment === "") return root;
  // An id of its own makes a part another resource, whose anchors count only if the root has no such anchor.
  if (!fragment.startsWith("/"))
    return findAnchor(root, fragment, new Set(), true) ?? findAnchor(root, fragment, new Set(), false);
  let value: unknown = root;
  for (const name of stepsOf(fragment)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = own(value as JsonObject, name);
  }
  return value;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function findAnchor(value: unknown, anchor: string, seen: Set<object>, inOneResource: boolean): unknown {
  if (typeof value !== "object" || value === null || seen.has(value)) return undefined;
  if (inOneResource && seen.size > 0 && typeof own(value as JsonObject, "$id") === "string") return undefined;
  seen.add(value);
  if (!Array.isArray(value) && own(value as JsonObject, "$anchor") === anchor) return value;
  for (const part of Object.values(value)) {
    const found = findAnchor(part, anchor, seen, inOneResource);
    if (found !== undefined) return found;
  }
  return undefined;
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A separate copy, because this file is also bundled for isolates, which have no modules of Node. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
