import { createSchemas } from "../terms/schema/author-schemas.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";

/**
 * A value that the schema allows, from the first of: `proposed`, the schema's own examples, made-up values. `null` if
 * none is valid.
 */
export function exampleFor(schema: JsonObject, proposed: readonly Json[] = []): Json {
  return examplesFor(schema, proposed)[0] ?? null;
}

/**
 * A value other than `first`: the one with this number among the known ones, from 1, or the last if there are fewer.
 * `first` itself if no other valid value is known.
 */
export function otherExample(schema: JsonObject, first: Json, number = 1): Json {
  const known = examplesFor(schema, typeof first === "string" ? ["nobody"] : []);
  const others = known.filter((value) => JSON.stringify(value) !== JSON.stringify(first));
  return others[number - 1] ?? others.at(-1) ?? first;
}

const SCHEMAS = createSchemas();

/** Whether the schema can be compiled to check values. */
export function canCheck(schema: JsonObject): boolean {
  try {
    SCHEMAS.validator(schema);
    return true;
  } catch {
    return false;
  }
}

function examplesFor(schema: JsonObject, proposed: readonly Json[]): Json[] {
  const problemOf = SCHEMAS.validator(schema);
  return [...proposed, ...namedBy(schema), ...madeUp(schema)].filter((value) => problemOf(value) === null);
}

function namedBy(schema: JsonObject): Json[] {
  const lists = ["enum", "examples"].flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as Json[]) : []));
  return [...["const", "default"].flatMap((name) => (Object.hasOwn(schema, name) ? [schema[name]!] : [])), ...lists];
}

function madeUp(schema: JsonObject): Json[] {
  const types = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"] ?? "string"];
  for (const part of ["oneOf", "anyOf"]) {
    const options = schema[part];
    if (Array.isArray(options)) return options.filter(isJsonObject).flatMap((option) => madeUp(option));
  }
  return types.flatMap((type) => (typeof type === "string" ? (MADE_UP.get(type)?.(schema) ?? []) : []));
}

const DIGITS = "1234567890".repeat(4);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".repeat(2);
const TEXTS = [
  "example",
  "2001-02-03",
  "2004-05-06",
  "2001-02-03T04:05:06Z",
  "2004-05-06T07:08:09Z",
  "04:05:06Z",
  "ada@vendor.example",
  "nobody@vendor.example",
  "https://vendor.example/",
  "https://vendor.example/nobody",
  "vendor.example",
  "192.0.2.1",
  "192.0.2.2",
  "2001:db8::1",
  "11111111-1111-4111-8111-111111111111",
  "22222222-2222-4222-8222-222222222222",
  "DE89370400440532013000",
  "+442079460018",
  "GB123456789",
  "A1B2C3D4",
  "AB123456",
  "SW1A 1AA",
  "1A",
  "true",
  "ZXhhbXBsZQ==",
];

const MADE_UP: ReadonlyMap<string, (schema: JsonObject) => Json[]> = new Map(
  Object.entries<(schema: JsonObject) => Json[]>({
    string: ({ minLength }) => {
      const long = typeof minLength === "number" && minLength < 10_000 ? ["example".padEnd(minLength, "x")] : [];
      const counted = Array.from({ length: DIGITS.length }, (_, at) => at + 1);
      return [
        ...long,
        ...TEXTS,
        ...counted.flatMap((length) => [
          DIGITS.slice(0, length),
          "0".repeat(length),
          LETTERS.slice(0, length),
          LETTERS.slice(0, length).toLowerCase(),
        ]),
      ];
    },
    integer: numbers,
    number: numbers,
    boolean: () => [true, false],
    array: ({ items, minItems }) => {
      const entry = isJsonObject(items) ? exampleFor(items) : "example";
      return [Array.from({ length: typeof minItems === "number" ? Math.min(minItems, 100) || 1 : 1 }, () => entry)];
    },
    object: ({ properties, required }) => {
      const known = isJsonObject(properties) ? Object.entries(properties) : [];
      const made = (entries: typeof known) =>
        Object.fromEntries(
          entries.map(([name, schema]) => [name, isJsonObject(schema) ? exampleFor(schema) : "example"]),
        );
      const needed = new Set(Array.isArray(required) ? required : []);
      return [made(known), made(known.filter(([name]) => needed.has(name)))];
    },
  }),
);

function numbers(schema: JsonObject): number[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const bounds = [minimum, maximum, multipleOf].filter((bound) => typeof bound === "number");
  const within = [
    [exclusiveMinimum, 1],
    [exclusiveMaximum, -1],
  ] as const;
  const beside = within.flatMap(([bound, step]) =>
    typeof bound === "number" ? [bound + step, bound + step / 10] : [],
  );
  return [1, 2, 10, 100, ...bounds, ...bounds.map((bound) => bound + 1), ...beside];
}
