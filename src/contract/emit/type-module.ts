import { readSchemas, type SchemaReader } from "./read-schemas.ts";
import type { SchemaType, Shape } from "./shape.ts";
import { typeNameOf, type ClaimName } from "./type-names.ts";

/**
 * What a type is for.
 * - `source inputs`: an object. The service drops names that the schema does not declare, so each of them is an error.
 * - `function inputs`: an object that is passed on whole. A name that the schema does not declare is an error unless the
 *   schema has `additionalProperties` or `patternProperties`.
 * - `output`: an object to be read. A name that the schema does not declare is an error when it is read.
 */
export type SchemaUse = "source inputs" | "function inputs" | "output";

/** The types of one generated file. */
export interface TypeModule {
  /**
   * Declares a type and returns its name, which is `name`, or `name` with a number if that is taken. Values have to be
   * valid for all the schemas; without one, for any object.
   */
  add(name: string, schema: object | boolean | undefined | readonly (object | boolean)[], use: SchemaUse): string;
  /** The declarations of all the types. */
  text(): string;
}

/** How a type is written. */
export interface Style {
  readonly isRead: boolean;
  /** Whether members that the schema does not declare are dropped, whatever it says of them. */
  readonly dropsUndeclared: boolean;
  /** Whether objects may have members of which the schema says nothing. */
  readonly isOpen: boolean;
}

export const STYLES: Readonly<Record<SchemaUse, Style>> = {
  "source inputs": { isRead: false, dropsUndeclared: true, isOpen: false },
  "function inputs": { isRead: false, dropsUndeclared: false, isOpen: false },
  output: { isRead: true, dropsUndeclared: false, isOpen: false },
};

export function readForUse(schema: Parameters<TypeModule["add"]>[1]): SchemaReader {
  return readSchemas(schema === undefined ? [] : Array.isArray(schema) ? schema : [schema], { isObject: true });
}

/** The types below a root that need a name, by key, in the order in which they are found. */
export interface NamedType {
  readonly type: SchemaType;
  readonly name: string;
  readonly isRecursive: boolean;
}

/**
 * Finds the types below a root that need a declaration: recursive ones, and those that `isDeclared` names.
 * `isDeclared` gets how often a type is used and whether a `$ref` leads to it.
 */
export function namedTypes(
  reader: SchemaReader,
  rootName: string,
  claim: ClaimName,
  isDeclared: (shape: Shape, use: { readonly isShared: boolean; readonly isDefinition: boolean }) => boolean,
): ReadonlyMap<string, NamedType> {
  const found = new Map<
    string,
    { readonly type: SchemaType; readonly hint: string; uses: number; isRecursive: boolean }
  >();
  const path = new Set<string>();

  function visit(type: SchemaType, hint: string): void {
    const known = found.get(type.key);
    if (known !== undefined) {
      known.uses += 1;
      known.isRecursive ||= path.has(type.key);
      return;
    }
    found.set(type.key, { type, hint, uses: 1, isRecursive: false });
    path.add(type.key);
    const { objects, arrays } = reader.shapeOf(type);
    for (const { properties, rest } of objects) {
      for (const property of properties) visit(property.type, hint + typeNameOf(property.name));
      if (rest !== null) visit(rest, `${hint}Value`);
    }
    for (const { prefix, rest } of arrays)
      for (const entry of rest === null ? prefix : [...prefix, rest]) visit(entry, `${hint}Item`);
    path.delete(type.key);
  }

  visit(reader.root, rootName);
  const named = new Map<string, NamedType>();
  for (const [key, { type, hint, uses, isRecursive }] of found) {
    const definition = reader.definitionName(type);
    const shape = reader.shapeOf(type);
    const use = { isShared: uses > 1, isDefinition: definition !== undefined };
    if (shape.isUnknown || key === reader.root.key || !(isRecursive || isDeclared(shape, use))) continue;
    const name = claim(definition === undefined ? hint : rootName + typeNameOf(definition));
    named.set(key, { type, name, isRecursive });
  }
  const root = found.get(reader.root.key)!;
  named.set(reader.root.key, { type: reader.root, name: rootName, isRecursive: root.isRecursive });
  return named;
}
