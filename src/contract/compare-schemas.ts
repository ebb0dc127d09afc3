import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { stepInto, stepsOf } from "../terms/json/json-pointer.ts";
import { KIND } from "./deployment-contract.ts";

/** Whether a client sends what the schema describes, or receives it. */
export type Direction = "request" | "response";

/** A schema without alternatives and references, and its location. */
interface Subschema {
  readonly schema: JsonObject;
  readonly at: string;
}

/** The parts that hold together. */
type Leaf = readonly Subschema[];

/** A schema as its alternatives. No alternative: no value is valid. */
export type Alternatives = readonly Leaf[];

/** Beyond this many alternatives, further ones are not compared. */
const LEAVES_MAX = 200;

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"] as const;

/** Bounds of values, by whether a larger or a smaller one accepts less. */
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const CONDITIONS = ["pattern", "format", "multipleOf", "uniqueItems"];

/** Compares schemas of two documents, and reports what a client of the first may fail with. */
export class SchemaComparison {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #report: (path: string, change: string) => void;
  /** Names of members that are reported already. */
  readonly #removed: ReadonlySet<string>;
  readonly #compared = new Set<string>();

  constructor(
    before: JsonObject,
    after: JsonObject,
    report: (path: string, change: string) => void,
    removed: ReadonlySet<string>,
  ) {
    this.#before = before;
    this.#after = after;
    this.#report = report;
    this.#removed = removed;
  }

  /** `path` names the schema in reports. */
  compare(before: Alternatives, after: Alternatives, direction: Direction, path: string): void {
    // A schema may contain itself.
    const key = [direction, locationsOf(before), locationsOf(after)].join(" ");
    if (this.#compared.has(key)) return;
    this.#compared.add(key);
    const here = after[0]?.[0]?.at ?? path;
    if (!this.#compareTypes(before, after, direction, here)) return;
    this.#compareValues(before, after, direction, here);
    this.#compareRequired(before, after, direction, here);
    this.#compareMembers(before, after, direction);
    if (direction === "request") this.#compareBounds(before, after, here);
  }

  /** Returns whether anything further can be compared. */
  #compareTypes(before: Alternatives, after: Alternatives, direction: Direction, path: string): boolean {
    const [earlier, later] = [typesOf(before), typesOf(after)];
    const [wide, narrow] = direction === "request" ? [later, earlier] : [earlier, later];
    if (without(narrow, wide).size === 0) return true;
    this.#report(path, `the type changed from ${say(earlier)} to ${say(later)}`);
    return common(earlier, later).size > 0;
  }

  #compareValues(before: Alternatives, after: Alternatives, direction: Direction, path: string): void {
    const [earlier, later] = [valuesOf(before), valuesOf(after)];
    if (direction === "request" && !later.closed) return;
    if (direction === "request" && !earlier.closed) {
      return this.#report(path, `only listed values are accepted now: ${[...later.listed].join(", ")}`);
    }
    for (const value of without(earlier.listed, later.listed)) this.#report(path, `the value ${value} was removed`);
  }

  /** For a request: the names that each way to write it before must have now in addition. */
  #compareRequired(before: Alternatives, after: Alternatives, direction: Direction, path: string): void {
    const [earlier, later] = [before, after].map((shape) => shape.filter(mayBeObject).map(requiredOf)) as [
      Set<string>[],
      Set<string>[],
    ];
    if (direction === "response") {
      const names = without(inAll(earlier), inAll(later));
      for (const name of names)
        if (membersOf(after).has(name)) this.#report(path, `${name} is not always there any more`);
      return;
    }
    for (const names of earlier) {
      const more = later.map((others) => without(others, names)).sort((one, other) => one.size - other.size);
      for (const name of more[0] ?? []) this.#report(path, `${name} is required now`);
    }
  }

  #compareMembers(before: Alternatives, after: Alternatives, direction: Direction): void {
    const [earlier, later] = [membersOf(before), membersOf(after)];
    for (const [name, parts] of earlier) {
      if (this.#removed.has(name)) continue;
      const there = later.get(name);
      const path = parts[0]![0]!.at;
      if (there === undefined) this.#report(path, "the field was removed");
      else this.compare(this.#expandBefore(parts), this.#expandAfter(there), direction, there[0]![0]!.at);
    }
    const closes = (shape: Alternatives) => shape.some(mayBeObject) && shape.filter(mayBeObject).every(isClosed);
    if (direction === "request" && closes(after) && !closes(before))
      this.#report(after[0]![0]!.at, "further fields are not accepted any more");
    for (const keyword of ["items", "additionalProperties"]) {
      const [old, fresh] = [inside(before, keyword), inside(after, keyword)];
      if (old.length > 0 && fresh.length > 0)
        this.compare(this.#expandBefore(old), this.#expandAfter(fresh), direction, fresh[0]![0]!.at);
    }
  }

  /** Bounds are compared alternative by alternative, if there are as many as before. */
  #compareBounds(before: Alternatives, after: Alternatives, path: string): void {
    if (before.length !== after.length) return;
    for (const [index, leaf] of before.entries()) {
      for (const [keyword, text] of narrowed(leaf, after[index]!)) this.#report(path, `${keyword} ${text}`);
    }
  }

  #expandBefore(leaves: readonly Leaf[]): Alternatives {
    return leaves.flatMap((leaf) => expandAll(this.#before, leaf, []));
  }

  #expandAfter(leaves: readonly Leaf[]): Alternatives {
    return leaves.flatMap((leaf) => expandAll(this.#after, leaf, []));
  }
}

/** The schema at a location, or `null` if there is none. */
export function schemaAt(document: JsonObject, pointer: string): Alternatives | null {
  const schema = resolve(document, pointer);
  return schema === undefined ? null : expand(document, { schema: schema as JsonObject, at: pointer }, []);
}

/** In place of a missing schema: any object. */
export function anyObject(at: string): Alternatives {
  return [[{ schema: { type: "object" }, at }]];
}

/** The value at a JSON pointer. */
export function resolve(document: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isJsonObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

function expandAll(document: JsonObject, leaf: Leaf, within: readonly string[]): Alternatives {
  return leaf.reduce<Alternatives>((shape, part) => joined(shape, expand(document, part, within)), [[]]);
}

function expand(document: JsonObject, { schema, at }: Subschema, within: readonly string[]): Alternatives {
  const value = schema as Json;
  if (value === false) return [];
  if (!isJsonObject(value)) return [[{ schema: {}, at }]];
  const { $ref, allOf, anyOf, oneOf, ...own } = value;
  let shape: Alternatives = [[{ schema: own, at }]];
  if (typeof $ref === "string" && $ref.startsWith("#") && !within.includes($ref)) {
    const target = decodeURIComponent($ref.slice(1));
    const found = resolve(document, target);
    if (found !== undefined && !isDeclared(document, target)) {
      // The location of what is referred to stands first, because a report of it is the same for every reference.
      shape = joined(expand(document, { schema: found as JsonObject, at: target }, [...within, $ref]), shape);
    }
  }
  const partsOf = (list: Json | undefined, keyword: string) =>
    Array.isArray(list)
      ? list.map((one, index) => ({ schema: one as JsonObject, at: `${at}/${keyword}/${index}` }))
      : [];
  for (const part of partsOf(allOf, "allOf")) shape = joined(shape, expand(document, part, within));
  for (const [keyword, list] of [
    ["anyOf", anyOf],
    ["oneOf", oneOf],
  ] as const) {
    const alternatives = partsOf(list, keyword).flatMap((part) => expand(document, part, within));
    if (Array.isArray(list)) shape = joined(shape, alternatives);
  }
  return shape;
}

/** Inputs, credentials and outputs of sources and functions are compared by themselves. */
function isDeclared(document: JsonObject, target: string): boolean {
  const [, id] = /^(\/components\/schemas\/[^/.]+)\.(?:inputs|credentials|output)$/.exec(target) ?? [];
  const declared = id === undefined ? undefined : resolve(document, id);
  return isJsonObject(declared) && KIND in declared;
}

function joined(shape: Alternatives, more: Alternatives): Alternatives {
  return shape.flatMap((leaf) => more.map((other) => [...leaf, ...other])).slice(0, LEAVES_MAX);
}

function locationsOf(shape: Alternatives): string {
  return shape.map((leaf) => leaf.map(({ at }) => at).join("&")).join("|");
}

function typesOf(shape: Alternatives): ReadonlySet<string> {
  return new Set(shape.flatMap((leaf) => [...typesOfLeaf(leaf)]));
}

function typesOfLeaf(leaf: Leaf): ReadonlySet<string> {
  return leaf.reduce<ReadonlySet<string>>((types, { schema }) => common(types, typesOfPart(schema)), new Set(TYPES));
}

function typesOfPart({ type, enum: values, const: value }: JsonObject): ReadonlySet<string> {
  const listed = value !== undefined ? [value] : Array.isArray(values) ? values : undefined;
  if (listed !== undefined) return new Set(listed.flatMap(typesOfValue));
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? (type as string[]) : [...TYPES];
  return new Set(types.flatMap((one) => (one === "number" ? ["number", "integer"] : [one])));
}

function typesOfValue(value: Json): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number") return Number.isInteger(value) ? ["integer"] : ["number"];
  return [typeof value];
}

function say(types: ReadonlySet<string>): string {
  const shown = TYPES.filter((type) => types.has(type) && !(type === "integer" && types.has("number")));
  return shown.length === 0 ? "nothing" : shown.length === TYPES.length - 1 ? "anything" : shown.join(" or ");
}

/** The listed values of all alternatives, and whether there are no others. */
function valuesOf(shape: Alternatives): { readonly listed: ReadonlySet<string>; readonly closed: boolean } {
  const lists = shape.map((leaf) =>
    leaf.flatMap(({ schema: { enum: values, const: value } }) =>
      value !== undefined ? [[value]] : Array.isArray(values) ? [values] : [],
    ),
  );
  const listed = new Set(lists.flatMap((list) => (list[0] ?? []).map((value) => JSON.stringify(value))));
  return { listed, closed: lists.every((list) => list.length > 0) };
}

function mayBeObject(leaf: Leaf): boolean {
  return typesOfLeaf(leaf).has("object");
}

function isClosed(leaf: Leaf): boolean {
  return leaf.some(({ schema }) => schema["additionalProperties"] === false);
}

function requiredOf(leaf: Leaf): Set<string> {
  return new Set(leaf.flatMap(({ schema: { required } }) => (Array.isArray(required) ? (required as string[]) : [])));
}

function inAll([first = new Set(), ...others]: readonly Set<string>[]): Set<string> {
  return others.reduce(common, first);
}

function without(names: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...names].filter((name) => !others.has(name)));
}

function common(names: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...names].filter((name) => others.has(name)));
}

/** The declared members with their schemas, one for each alternative that has the member. */
function membersOf(shape: Alternatives): ReadonlyMap<string, readonly Leaf[]> {
  const members = new Map<string, Leaf[]>();
  for (const leaf of shape) {
    const own = new Map<string, Subschema[]>();
    for (const { schema, at } of leaf) {
      const { properties } = schema;
      if (!isJsonObject(properties)) continue;
      for (const [name, member] of Object.entries(properties)) {
        const part = { schema: member as JsonObject, at: stepInto(`${at}/properties`, name) };
        own.set(name, [...(own.get(name) ?? []), part]);
      }
    }
    for (const [name, parts] of own) members.set(name, [...(members.get(name) ?? []), parts]);
  }
  return members;
}

/** The schemas that alternatives have for their items or for further members. */
function inside(shape: Alternatives, keyword: string): readonly Leaf[] {
  return shape.flatMap((leaf) => {
    const parts = leaf.flatMap(({ schema, at }) => {
      const inner = schema[keyword];
      return isJsonObject(inner) ? [{ schema: inner, at: `${at}/${keyword}` }] : [];
    });
    return parts.length === 0 ? [] : [parts];
  });
}

/** The keywords by which an alternative accepts less than before. */
function narrowed(before: Leaf, after: Leaf): readonly (readonly [keyword: string, text: string])[] {
  const found: (readonly [string, string])[] = [];
  const numbers = (leaf: Leaf, keyword: string) =>
    leaf.flatMap(({ schema }) => (typeof schema[keyword] === "number" ? [schema[keyword]] : []));
  const changed = (old: number, now: number) =>
    Number.isFinite(old) ? `changed from ${old} to ${now}` : `${now} is new`;
  for (const keyword of LOWER_BOUNDS) {
    const [old, now] = [Math.max(...numbers(before, keyword)), Math.max(...numbers(after, keyword))];
    // Zero is no bound of a size.
    if (now > old && !(now === 0 && keyword !== "minimum" && keyword !== "exclusiveMinimum"))
      found.push([keyword, changed(old, now)]);
  }
  for (const keyword of UPPER_BOUNDS) {
    const [old, now] = [Math.min(...numbers(before, keyword)), Math.min(...numbers(after, keyword))];
    if (now < old) found.push([keyword, changed(old, now)]);
  }
  const texts = (leaf: Leaf, keyword: string) =>
    new Set(leaf.flatMap(({ schema }) => (schema[keyword] === undefined ? [] : [JSON.stringify(schema[keyword])])));
  for (const keyword of CONDITIONS) {
    const [old, now] = [texts(before, keyword), texts(after, keyword)];
    now.delete("false");
    for (const value of without(now, old))
      found.push([keyword, old.size === 0 ? `${value} is new` : `changed from ${[...old].join(" and ")} to ${value}`]);
  }
  return found;
}
