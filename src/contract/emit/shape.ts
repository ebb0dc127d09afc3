import type { JsonObject } from "../../terms/json/json.ts";

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
  /** Whether the schema declares it (`additionalProperties`, `patternProperties`). Otherwise `rest` accepts every value. */
  readonly isRestDeclared: boolean;
}

export interface PropertyShape {
  readonly name: string;
  readonly type: SchemaType;
  readonly isRequired: boolean;
  /** Its description or title; empty if it has none. */
  readonly comment: string;
  readonly isDeprecated: boolean;
}

export const UNKNOWN: SchemaType = { key: "", anyOf: [[]] };
export const NOTHING: Shape = { isUnknown: false, kinds: new Set(), literals: [], arrays: [], objects: [] };

/** The union of shapes, each alternative once. */
export function union(shapes: readonly Shape[]): Shape {
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
