import { ExactNumber } from "../../terms/json/exact-number.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { alternativesOf, namesOf } from "./alternatives.ts";
import { NEVER, SchemaGraph } from "./schema-graph.ts";
import {
  isOfKinds,
  isText,
  isWhole,
  kindsOf,
  listOf,
  objectIn,
  own,
  schemaOfValue,
  valuesOf,
} from "./schema-keywords.ts";
import {
  NOTHING,
  type ArrayShape,
  type ObjectShape,
  type PropertyShape,
  type SchemaType,
  type Shape,
  union,
  UNKNOWN,
} from "./shape.ts";

export interface SchemaReader {
  /** The type of the values that all the given schemas accept. */
  readonly root: SchemaType;
  shapeOf(type: SchemaType): Shape;
  /** The name of the definition that a type is, if a `$ref` leads to it: `Address` for `#/$defs/Address`. */
  definitionName(type: SchemaType): string | undefined;
}

const OBJECT: JsonObject = { type: "object" };
/** A pattern of `patternProperties` that every name matches. */
const EVERY_NAME = /^\^?(\.\*|\(\.\*\))?\$?$/;
const REST_KEYWORDS = ["additionalProperties", "patternProperties"];

/** @param isObject whether only objects are meant, whatever the schemas say */
export function readSchemas(schemas: readonly unknown[], { isObject = false } = {}): SchemaReader {
  const graph = new SchemaGraph();
  const ofLiterals = new Map<object, JsonObject>();
  const shapes = new Map<string, Shape>();
  const reading = new Set<string>();

  function typeOf(alternatives: readonly (readonly JsonObject[])[]): SchemaType {
    const known = alternatives.map((schemas) => graph.withoutReferences(schemas));
    if (known.some((schemas) => schemas.length === 0)) return UNKNOWN;
    return { key: known.map((schemas) => graph.keyOf(schemas)).join("|"), anyOf: known };
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
    const names = namesOf(graph, schemas);
    return alternativesOf(graph, schemas).map((set) => shapeOfSet(set, names));
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
    return union(shapesOf([graph.enter(schema, undefined)!]));
  }

  function objectOf(set: ReadonlySet<JsonObject>, names: ReadonlySet<string>): ObjectShape | undefined {
    const declared = new Set([...set].flatMap((schema) => Object.keys(objectIn(schema, "properties"))));
    const required = new Set([...set].flatMap((schema) => listOf(schema, "required").filter(isText)));
    const properties: PropertyShape[] = [];
    for (const name of new Set([...declared, ...required, ...names])) {
      const parts = [...set].map((schema) => {
        const own = objectIn(schema, "properties");
        return Object.hasOwn(own, name) ? one(graph.enter(own[name], schema)) : restOf(schema);
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
      isRestDeclared: [...set].some((schema) => REST_KEYWORDS.some((keyword) => own(schema, keyword) !== undefined)),
    };
  }

  /** The type of members that a schema does not declare. */
  function restOf(schema: JsonObject): SchemaType {
    const additional = own(schema, "additionalProperties");
    const otherwise = additional === undefined ? UNKNOWN : one(graph.enter(additional, schema));
    const patterns = Object.entries(objectIn(schema, "patternProperties"));
    if (patterns.length === 0) return otherwise;
    const every = patterns.find(([pattern]) => EVERY_NAME.test(pattern));
    if (every !== undefined) return one(graph.enter(every[1], schema));
    return either([...patterns.map(([, part]) => one(graph.enter(part, schema))), otherwise]);
  }

  function arrayOf(set: ReadonlySet<JsonObject>): ArrayShape {
    const lists = [...set].map((schema) => ({ schema, prefix: listOf(schema, "prefixItems") }));
    const length = Math.max(0, ...lists.map(({ prefix }) => prefix.length));
    const entry = (at: number): SchemaType =>
      lists
        .map(({ schema, prefix }) => {
          const items = own(schema, "items");
          return one(graph.enter(at < prefix.length ? prefix[at] : Array.isArray(items) ? true : items, schema));
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

  const given = schemas.map((schema) => graph.enter(schema, undefined)).filter((schema) => schema !== undefined);
  const root = typeOf([given]);
  const isOfObjects = given.some((schema) => own(schema, "type") === "object");
  return {
    root: isObject && !isOfObjects ? typeOf([[graph.enter({ ...OBJECT }, undefined)!, ...given]]) : root,
    shapeOf,
    definitionName: ({ key }) => graph.definitionName(key),
  };
}

function commentOf(set: ReadonlySet<JsonObject>, name: string): Pick<PropertyShape, "comment" | "isDeprecated"> {
  const parts = [...set].map((schema) => own(objectIn(schema, "properties"), name)).filter(isJsonObject);
  const comment = parts.flatMap((part) => [own(part, "description"), own(part, "title")]).find(isText);
  return { comment: comment ?? "", isDeprecated: parts.some((part) => own(part, "deprecated") === true) };
}
