import { createRequire } from "node:module";
import type { TSchema, Type as Library } from "typebox";

type Options = Readonly<Record<string, unknown>>;
type Schema = TSchema & Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);
/** Loads some seven hundred modules, which most starts and most verbs do not need. */
const library = () => (require("typebox") as { readonly Type: typeof Library }).Type;

/** A schema is plain JSON Schema. As in the library, its other properties are not enumerable. */
function schemaOf(kind: string, keywords: object, options: Options = {}): Schema {
  return hide({ ...keywords, ...options }, "~kind", kind);
}

function hide(schema: object, name: string, value: unknown): Schema {
  return Object.defineProperty(schema, name, { configurable: true, writable: true, value }) as Schema;
}

/** A copy that includes non-enumerable properties. */
function copyOf(schema: object): object {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema));
}

function optional(schema: object): Schema {
  return hide(copyOf(schema), "~optional", true);
}

function objectOf(properties: Readonly<Record<string, object>>, options?: Options): Schema {
  const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name]!, "~optional"));
  return schemaOf("Object", { type: "object", ...(required.length > 0 ? { required } : {}), properties }, options);
}

/**
 * The types that almost all schemas consist of. For arguments that the library treats specially, the library is called.
 */
const OWN = {
  Unknown: (options?: Options) => schemaOf("Unknown", {}, options),
  Null: (options?: Options) => schemaOf("Null", { type: "null" }, options),
  Boolean: (options?: Options) => schemaOf("Boolean", { type: "boolean" }, options),
  Integer: (options?: Options) => schemaOf("Integer", { type: "integer" }, options),
  Number: (options?: Options) => schemaOf("Number", { type: "number" }, options),
  String: (options?: Options) => schemaOf("String", { type: "string" }, options),
  Array: (items: object, options?: Options) => schemaOf("Array", { type: "array", items }, options),
  Union: (anyOf: readonly object[], options?: Options) => schemaOf("Union", { anyOf }, options),
  Object: objectOf,
  Optional: optional,
  Unsafe: (schema: object) => hide(copyOf(schema), "~unsafe", null),

  Literal(value: never, options?: Options) {
    const isOwn = ["string", "number", "boolean"].includes(typeof value);
    return isOwn
      ? schemaOf("Literal", { type: typeof value, const: value }, options)
      : library().Literal(value, options);
  },
  Enum(values: never, options?: Options) {
    return Array.isArray(values) ? schemaOf("Enum", { enum: values }, options) : library().Enum(values, options);
  },
  Record(names: Schema, value: Schema, options?: Options) {
    const { pattern = "^.*$" } = names;
    if (names["~kind"] !== "String" || typeof pattern !== "string") return library().Record(names, value, options);
    return schemaOf("Record", { type: "object", patternProperties: { [pattern]: value } }, options);
  },
  Partial(schema: Schema, options?: Options) {
    if (schema["~kind"] !== "Object") return library().Partial(schema, options);
    const properties = Object.entries(schema["properties"] as Readonly<Record<string, object>>);
    return objectOf(Object.fromEntries(properties.map(([name, one]) => [name, optional(one)])), options);
  },
};

/**
 * A replacement for TypeBox's `Type` that creates identical schemas. Common types are implemented here; for others the
 * library is loaded at first use.
 */
export const Type = new Proxy(OWN, {
  get: (own, name) => (Object.hasOwn(own, name) ? own : (library() as object))[name as never],
  has: (own, name) => Object.hasOwn(own, name) || name in library(),
  ownKeys: () => Reflect.ownKeys(library()),
  getOwnPropertyDescriptor: (own, name) => describe((Object.hasOwn(own, name) ? own : library()) as object, name),
}) as unknown as typeof Library;

function describe(holder: object, name: string | symbol): PropertyDescriptor | undefined {
  if (!Object.hasOwn(holder, name)) return undefined;
  return { configurable: true, enumerable: true, writable: true, value: holder[name as never] };
}
