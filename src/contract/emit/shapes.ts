import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { ExactNumber } from "../../terms/json/exact-number.ts";
import { resolveLocal } from "../../terms/schema/schema-names.ts";

/**
 * What a schema accepts, without a language. A type is a union of conjunctions of schemas: `properties.a` of two schemas
 * below one `allOf` is one conjunction. It is read lazily, one level at a time, so that recursive schemas end, and
 * identified by its key, so that a schema that is used often is named once.
 *
 * A shape accepts every value that the schema accepts. What a type system cannot say (`not`, patterns, formats, bounds,
 * `contains`, `dependentSchemas`, references to other documents) accepts more.
 */
export interface SchemaType {
  readonly key: string;
  readonly anyOf: readonly (readonly JsonObject[])[];
}

export interface Shape {
  /** Every value. The other fields are then empty. */
  readonly isUnknown: boolean;
  readonly kinds: ReadonlySet<PlainKind>;
  readonly literals: readonly Literal[];
  readonly arrays: readonly ArrayShape[];
  readonly objects: readonly ObjectShape[];
}

export type PlainKind = "null" | "boolean" | "integer" | "number" | "string";
export type Literal = string | number | boolean;

export interface ArrayShape {
  /** The types of the first entries. */
  readonly prefix: readonly SchemaType[];
  /** How many of them every list has. */
  readonly min: number;
  /** The type of all further entries; `null` if there are none. */
  readonly rest: SchemaType | null;
}

export interface ObjectShape {
  readonly properties: readonly PropertyShape[];
  /** The type of the members that `properties` lacks; `null` if there are none. */
  readonly rest: SchemaType | null;
  /** Whether the schema says so (`additionalProperties`, `patternProperties`). Otherwise `rest` accepts every value. */
  readonly restIsSaid: boolean;
}

export interface PropertyShape {
  readonly name: string;
  readonly type: SchemaType;
  readonly isRequired: boolean;
  /** The text for its comment; empty if there is none. */
  readonly says: string;
  readonly isDeprecated: boolean;
}

export interface SchemaReader {
  /** The type of the values that all the given schemas accept. */
  readonly root: SchemaType;
  shapeOf(type: SchemaType): Shape;
  /** The name of the definition that a type is, if a `$ref` leads to it: `Address` for `#/$defs/Address`. */
  definitionName(type: SchemaType): string | undefined;
}

/** More alternatives of one value are not told apart. */
const ALTERNATIVES_MAX = 64;
const KINDS = ["null", "boolean", "number", "string", "array", "object"] as const;
type Kind = (typeof KINDS)[number];
/** Branches of a schema of which one has to be valid; all the schemas of a branch apply together. */
interface BranchChoice {
  readonly of: JsonObject;
  readonly branches: readonly (readonly unknown[])[];
}

/** A schema that accepts nothing, as the only entry of a conjunction. */
const NEVER: JsonObject = { not: {} };
const UNKNOWN: SchemaType = { key: "", anyOf: [[]] };
const OBJECT: JsonObject = { type: "object" };
/** A pattern of `patternProperties` that every name matches. */
const EVERY_NAME = /^\^?(\.\*|\(\.\*\))?\$?$/;

/** @param isObject whether only objects are meant, whatever the schemas say */
export function readSchemas(schemas: readonly unknown[], { isObject = false } = {}): SchemaReader {
  const ids = new Map<JsonObject, number>();
  /** The document that the references of a schema begin from. */
  const roots = new Map<JsonObject, JsonObject>();
  const definitions = new Map<string, string>();
  const ofLiterals = new Map<object, JsonObject>();
  const shapes = new Map<string, Shape>();
  const reading = new Set<string>();

  /** Adds a schema; `true`, and what is no schema, accepts everything. */
  function enter(schema: unknown, from: JsonObject | undefined): JsonObject | undefined {
    if (schema === false) return NEVER;
    if (!isJsonObject(schema)) return undefined;
    if (!ids.has(schema)) {
      ids.set(schema, ids.size + 1);
      const isRoot = from === undefined || /^[^#]/.test(textOf(schema, "$id"));
      roots.set(schema, isRoot ? schema : roots.get(from)!);
    }
    return schema;
  }

  function typeOf(alternatives: readonly (readonly JsonObject[])[]): SchemaType {
    const known = alternatives.map(withoutReferences);
    if (known.some((schemas) => schemas.length === 0)) return UNKNOWN;
    const keys = known.map((schemas) => schemas.map((schema) => ids.get(schema) ?? 0).join("&"));
    return { key: keys.join("|"), anyOf: known };
  }

  /** Replaces schemas that only refer to others, so that a definition has one key wherever it is used. */
  function withoutReferences(schemas: readonly JsonObject[]): readonly JsonObject[] {
    const found = new Set<JsonObject>();
    for (let schema of schemas) {
      for (const seen = new Set<JsonObject>(); isReference(schema) && !seen.has(schema);) {
        seen.add(schema);
        const target = targetOf(schema);
        if (target === undefined) break;
        schema = target;
      }
      if (!(isReference(schema) && targetOf(schema) === undefined)) found.add(schema);
    }
    return found.has(NEVER) ? [NEVER] : [...found].sort((a, b) => (ids.get(a) ?? 0) - (ids.get(b) ?? 0));
  }

  function targetOf(schema: JsonObject): JsonObject | undefined {
    const reference = own(schema, "$ref");
    if (typeof reference !== "string") return undefined;
    const root = roots.get(schema)!;
    const target = enter(resolveLocal(root, reference), root);
    const name = /[^/#]+$/.exec(reference)?.[0];
    if (target !== undefined && name !== undefined && ids.has(target)) definitions.set(String(ids.get(target)), name);
    return target;
  }

  /** Adds schemas and everything that applies together with them; `false` if nothing can be valid. */
  function addAll(
    set: Set<JsonObject>,
    schemas: readonly unknown[],
    from: JsonObject,
    pending: BranchChoice[],
  ): boolean {
    for (const each of schemas) {
      const schema = enter(each, from);
      if (schema === undefined || set.has(schema)) continue;
      if (schema === NEVER) return false;
      set.add(schema);
      const values = constantsOf(schema);
      if (values === undefined) pending.push(...choicesOf(schema));
      else set.add(enter(values, schema)!);
      const target = targetOf(schema);
      if (target !== undefined && !addAll(set, [target], target, pending)) return false;
      if (!addAll(set, listOf(schema, "allOf"), schema, pending)) return false;
    }
    return true;
  }

  /** The alternatives of a conjunction, each as all the schemas that apply together. */
  function alternativesOf(schemas: readonly JsonObject[]): readonly ReadonlySet<JsonObject>[] {
    const pending: BranchChoice[] = [];
    const first = new Set<JsonObject>();
    if (schemas.some((schema) => !addAll(first, [schema], schema, pending))) return [];
    const done: ReadonlySet<JsonObject>[] = [];
    const open: { set: ReadonlySet<JsonObject>; pending: readonly BranchChoice[] }[] = [{ set: first, pending }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [choice, ...others] = next.pending;
      if (choice === undefined) {
        done.push(next.set);
        continue;
      }
      const { set } = next;
      const alternatives = choice.branches.flatMap((branch) => {
        const extended = new Set(set);
        const further: BranchChoice[] = [];
        const isPossible = addAll(extended, branch, choice.of, further) && kindsOf(extended).size > 0;
        return isPossible ? [{ set: extended, pending: [...others, ...further] }] : [];
      });
      const tooMany = done.length + open.length + alternatives.length > ALTERNATIVES_MAX;
      open.push(...(tooMany ? [{ set, pending: others }] : alternatives.toReversed()));
    }
    return done;
  }

  /** `if` is a choice: both it and `then`, or `else`. */
  function choicesOf(schema: JsonObject): readonly BranchChoice[] {
    const found: BranchChoice[] = [];
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = listOf(schema, keyword);
      if (branches.length > 0) found.push({ of: schema, branches: branches.map((branch) => [branch]) });
    }
    const [condition, then = true, otherwise = true] = ["if", "then", "else"].map((keyword) => own(schema, keyword));
    if (condition !== undefined && otherwise !== true)
      found.push({ of: schema, branches: [[condition, then], [otherwise]] });
    return found;
  }

  function shapeOf(type: SchemaType): Shape {
    const known = shapes.get(type.key);
    if (known !== undefined) return known;
    reading.add(type.key);
    const shape = union(type.anyOf.flatMap((schemas) => shapesOf(schemas)));
    reading.delete(type.key);
    shapes.set(type.key, shape);
    return shape;
  }

  function shapesOf(schemas: readonly JsonObject[]): readonly Shape[] {
    if (schemas.includes(NEVER)) return [];
    const names = namesOf(schemas);
    return alternativesOf(schemas).map((set) => shapeOfSet(set, names));
  }

  function shapeOfSet(set: ReadonlySet<JsonObject>, names: ReadonlySet<string>): Shape {
    const kinds = kindsOf(set);
    const values = valuesOf(set);
    if (values !== undefined) return union(values.filter((value) => isOfKinds(value, set, kinds)).map(shapeOfValue));
    const plain = [...kinds].filter((kind) => kind !== "array" && kind !== "object");
    const object = kinds.has("object") ? objectOf(set, names) : undefined;
    return {
      ...NOTHING,
      kinds: new Set(plain.map((kind) => (kind === "number" && isWhole(set) ? "integer" : kind))),
      arrays: kinds.has("array") ? [arrayOf(set)] : [],
      objects: object === undefined ? [] : [object],
    };
  }

  function shapeOfValue(value: Json): Shape {
    if (value instanceof ExactNumber) return { ...NOTHING, kinds: new Set(["number"] as const) };
    if (value === null) return { ...NOTHING, kinds: new Set(["null"] as const) };
    if (typeof value === "number" && !Number.isFinite(value))
      return { ...NOTHING, kinds: new Set(["number"] as const) };
    if (typeof value !== "object") return { ...NOTHING, literals: [value] };
    let schema = ofLiterals.get(value);
    if (schema === undefined) {
      schema = schemaOfValue(value);
      ofLiterals.set(value, schema);
    }
    return union(shapesOf([enter(schema, undefined)!]));
  }

  function objectOf(set: ReadonlySet<JsonObject>, names: ReadonlySet<string>): ObjectShape | undefined {
    const declared = new Set([...set].flatMap((schema) => Object.keys(objectIn(schema, "properties"))));
    const required = new Set([...set].flatMap((schema) => listOf(schema, "required").filter(isText)));
    const properties: PropertyShape[] = [];
    for (const name of new Set([...declared, ...required, ...names])) {
      const parts = [...set].map((schema) => {
        const own = objectIn(schema, "properties");
        return Object.hasOwn(own, name) ? one(enter(own[name], schema)) : restOf(schema);
      });
      const type = parts.reduce(both, UNKNOWN);
      const isRequired = required.has(name);
      if (isNever(type)) {
        if (isRequired) return undefined;
        if (!declared.has(name)) continue;
      }
      properties.push({ name, type, isRequired, ...commentOf(set, name) });
    }
    const rest = [...set].map(restOf).reduce(both, UNKNOWN);
    return {
      properties,
      rest: isNever(rest) ? null : rest,
      restIsSaid: [...set].some((schema) => SAYS_REST.some((keyword) => own(schema, keyword) !== undefined)),
    };
  }

  /** The type of members that a schema does not declare. */
  function restOf(schema: JsonObject): SchemaType {
    const additional = own(schema, "additionalProperties");
    const otherwise = additional === undefined ? UNKNOWN : one(enter(additional, schema));
    const patterns = Object.entries(objectIn(schema, "patternProperties"));
    if (patterns.length === 0) return otherwise;
    const every = patterns.find(([pattern]) => EVERY_NAME.test(pattern));
    if (every !== undefined) return one(enter(every[1], schema));
    return either([...patterns.map(([, part]) => one(enter(part, schema))), otherwise]);
  }

  function arrayOf(set: ReadonlySet<JsonObject>): ArrayShape {
    const lists = [...set].map((schema) => ({ schema, prefix: listOf(schema, "prefixItems") }));
    const length = Math.max(0, ...lists.map(({ prefix }) => prefix.length));
    const entry = (at: number): SchemaType =>
      lists
        .map(({ schema, prefix }) => {
          const items = own(schema, "items");
          return one(enter(at < prefix.length ? prefix[at] : Array.isArray(items) ? true : items, schema));
        })
        .reduce(both, UNKNOWN);
    const prefix = Array.from({ length }, (_, at) => entry(at));
    const rest = entry(length);
    // A list ends before an entry for which no value is valid.
    const end = prefix.findIndex(isNever);
    const min = Math.max(0, ...[...set].map((schema) => Number(own(schema, "minItems") ?? 0) || 0));
    const shown = end < 0 ? prefix : prefix.slice(0, end);
    return { prefix: shown, min: Math.min(min, shown.length), rest: end >= 0 || isNever(rest) ? null : rest };
  }

  function one(schema: JsonObject | undefined): SchemaType {
    return schema === undefined ? UNKNOWN : typeOf([[schema]]);
  }

  function both(a: SchemaType, b: SchemaType): SchemaType {
    if (a === UNKNOWN || b === UNKNOWN) return a === UNKNOWN ? b : a;
    return typeOf(a.anyOf.flatMap((first) => b.anyOf.map((second) => [...first, ...second])));
  }

  function either(types: readonly SchemaType[]): SchemaType {
    const possible = types.filter((type) => !isNever(type));
    if (possible.includes(UNKNOWN)) return UNKNOWN;
    return possible.length === 0 ? one(NEVER) : typeOf(possible.flatMap(({ anyOf }) => anyOf));
  }

  /** A type that is being read counts as possible. */
  function isNever(type: SchemaType): boolean {
    if (type === UNKNOWN || reading.has(type.key)) return false;
    const { isUnknown, kinds, literals, arrays, objects } = shapeOf(type);
    return !isUnknown && kinds.size + literals.length + arrays.length + objects.length === 0;
  }

  /** The names that any branch of a conjunction declares for its object. */
  function namesOf(schemas: readonly JsonObject[]): ReadonlySet<string> {
    const names = new Set<string>();
    const seen = new Set<JsonObject>();
    const visit = (part: unknown, from: JsonObject): void => {
      const schema = enter(part, from);
      if (schema === undefined || seen.has(schema)) return;
      seen.add(schema);
      for (const [name, property] of Object.entries(objectIn(schema, "properties")))
        if (property !== false) names.add(name);
      for (const keyword of ["allOf", "anyOf", "oneOf"])
        for (const branch of listOf(schema, keyword)) visit(branch, schema);
      for (const keyword of ["if", "then", "else"]) visit(own(schema, keyword), schema);
      for (const branch of Object.values(objectIn(schema, "dependentSchemas"))) visit(branch, schema);
      const target = targetOf(schema);
      if (target !== undefined) visit(target, target);
    };
    for (const schema of schemas) visit(schema, schema);
    return names;
  }

  const given = schemas.map((schema) => enter(schema, undefined)).filter((schema) => schema !== undefined);
  const root = typeOf([given]);
  const isOfObjects = given.some((schema) => own(schema, "type") === "object");
  return {
    root: isObject && !isOfObjects ? typeOf([[enter({ ...OBJECT }, undefined)!, ...given]]) : root,
    shapeOf,
    definitionName: ({ key }) => definitions.get(key),
  };
}

const SAYS_REST = ["additionalProperties", "patternProperties"];
const NOTHING: Shape = { isUnknown: false, kinds: new Set(), literals: [], arrays: [], objects: [] };

/** The union of shapes, each alternative once. */
function union(shapes: readonly Shape[]): Shape {
  const kinds = new Set(shapes.flatMap((shape) => [...shape.kinds]));
  if (kinds.has("number")) kinds.delete("integer");
  const arrays = distinct(shapes.flatMap((shape) => shape.arrays));
  const objects = distinct(shapes.flatMap((shape) => shape.objects));
  const anyArray = arrays.find(({ prefix, rest }) => prefix.length === 0 && rest === UNKNOWN);
  const anyObject = objects.find(({ properties, rest }) => properties.length === 0 && rest === UNKNOWN);
  const isUnknown =
    shapes.some((shape) => shape.isUnknown) ||
    ((["null", "boolean", "number", "string"] as const).every((kind) => kinds.has(kind)) &&
      anyArray !== undefined &&
      anyObject !== undefined);
  if (isUnknown) return { ...NOTHING, isUnknown };
  const literals = [...new Set(shapes.flatMap((shape) => shape.literals))].filter(
    (literal) => !coversLiteral(kinds, literal),
  );
  return {
    isUnknown,
    kinds,
    literals,
    arrays: anyArray === undefined ? arrays : [anyArray],
    objects: anyObject === undefined ? objects : [anyObject],
  };
}

function coversLiteral(kinds: ReadonlySet<PlainKind>, literal: Literal): boolean {
  if (typeof literal !== "number") return kinds.has(typeof literal as "string" | "boolean");
  return kinds.has("number") || (kinds.has("integer") && Number.isInteger(literal));
}

function distinct<Part extends ArrayShape | ObjectShape>(parts: readonly Part[]): readonly Part[] {
  return [...new Map(parts.map((part) => [JSON.stringify(part, keysOnly), part])).values()];
}

/** Types are compared by their keys. */
function keysOnly(name: string, value: unknown): unknown {
  return name === "anyOf" ? undefined : value;
}

function kindsOf(set: ReadonlySet<JsonObject>): ReadonlySet<Kind> {
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
function isWhole(set: ReadonlySet<JsonObject>): boolean {
  return [...set].some((schema) => {
    const said = new Set([own(schema, "type")].flat());
    return said.has("integer") && !said.has("number");
  });
}

/** The values that `enum` and `const` leave; `undefined` if no schema has one of them. */
function valuesOf(set: ReadonlySet<JsonObject>): readonly Json[] | undefined {
  let values: readonly Json[] | undefined;
  for (const schema of set) {
    const constant = own(schema, "const");
    const lists = [own(schema, "enum"), constant === undefined ? undefined : [constant]];
    for (const list of lists.filter((list): list is readonly Json[] => Array.isArray(list))) {
      const allowed = new Set(list.map(canonical));
      values = (values ?? list).filter((value) => allowed.has(canonical(value)));
    }
  }
  return values;
}

/** One text for equal values. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function isOfKinds(value: Json, set: ReadonlySet<JsonObject>, kinds: ReadonlySet<Kind>): boolean {
  if (typeof value === "number" && isWhole(set) && !Number.isInteger(value)) return false;
  return kinds.has(kindOf(value));
}

function kindOf(value: Json): Kind {
  if (value instanceof ExactNumber) return "number";
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : (typeof value as Kind);
}

/** All values that the branches of a choice between constants leave, as one schema. */
function constantsOf(schema: JsonObject): JsonObject | undefined {
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

function schemaOfValue(value: readonly Json[] | JsonObject): JsonObject {
  if (Array.isArray(value)) {
    const prefixItems = value.map((entry): JsonObject => ({ const: entry }));
    return { type: "array", prefixItems, items: false, minItems: value.length };
  }
  const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, { const: member }]));
  return { type: "object", properties, required: Object.keys(value), additionalProperties: false };
}

function commentOf(set: ReadonlySet<JsonObject>, name: string): Pick<PropertyShape, "says" | "isDeprecated"> {
  const parts = [...set].map((schema) => own(objectIn(schema, "properties"), name)).filter(isJsonObject);
  const says = parts.flatMap((part) => [own(part, "description"), own(part, "title")]).find(isText);
  return { says: says ?? "", isDeprecated: parts.some((part) => own(part, "deprecated") === true) };
}

/** Whether a schema consists of `$ref` and annotations. */
function isReference(schema: JsonObject): boolean {
  return (
    typeof own(schema, "$ref") === "string" &&
    Object.keys(schema).every((keyword) => keyword === "$ref" || ANNOTATIONS.has(keyword))
  );
}

const ANNOTATIONS = new Set("title description examples deprecated readOnly writeOnly $comment default".split(" "));

function own(schema: JsonObject, keyword: string): Json | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

function listOf(schema: JsonObject, keyword: string): readonly unknown[] {
  const list = own(schema, keyword);
  return Array.isArray(list) ? list : [];
}

function objectIn(schema: JsonObject, keyword: string): JsonObject {
  const value = own(schema, keyword);
  return isJsonObject(value) ? value : {};
}

function textOf(schema: JsonObject, keyword: string): string {
  const value = own(schema, keyword);
  return isText(value) ? value : "";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
