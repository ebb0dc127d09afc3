import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { Type as Library, type TSchema } from "typebox";
import { Type } from "./type.ts";

type Maker = typeof Library;
/** A call that creates a schema, for both libraries. */
type Recipe = (make: Maker) => TSchema;

const options = fc.option(
  fc.dictionary(
    fc.constantFrom("description", "title", "minLength", "x-says", "additionalProperties"),
    fc.jsonValue(),
    {
      noNullPrototype: true,
    },
  ),
  { nil: undefined },
);
const literal = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const name = fc.stringMatching(/^[a-z_]{1,8}$/);

const { recipe } = fc.letrec<{ recipe: Recipe }>((tie) => {
  const inner = tie("recipe");
  const plain = fc.constantFrom("Unknown", "Null", "Boolean", "Integer", "Number", "String" as const);
  return {
    recipe: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.tuple(plain, options).map(
        ([kind, given]): Recipe =>
          (make) =>
            make[kind](given),
      ),
      fc.tuple(literal, options).map(
        ([value, given]): Recipe =>
          (make) =>
            make.Literal(value, given),
      ),
      fc.tuple(fc.array(fc.string()), options).map(
        ([values, given]): Recipe =>
          (make) =>
            make.Enum(values, given),
      ),
      fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }).map(
        (schema): Recipe =>
          (make) =>
            make.Unsafe(schema),
      ),
      fc.tuple(inner, options).map(
        ([one, given]): Recipe =>
          (make) =>
            make.Array(one(make), given),
      ),
      fc.tuple(fc.array(inner), options).map(
        ([list, given]): Recipe =>
          (make) =>
            make.Union(
              list.map((one) => one(make)),
              given,
            ),
      ),
      inner.map(
        (one): Recipe =>
          (make) =>
            make.Optional(one(make)),
      ),
      fc.tuple(fc.constantFrom({}, { pattern: "^x-" }), inner, options).map(
        ([names, one, given]): Recipe =>
          (make) =>
            make.Record(make.String(names), one(make), given),
      ),
      fc
        .tuple(fc.dictionary(name, inner, { noNullPrototype: true }), options, fc.boolean())
        .map(([properties, given, partial]): Recipe => (make) => {
          const made = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, one(make)]));
          return partial ? make.Partial(make.Object(made), given) : make.Object(made, given);
        }),
    ),
  };
});

/** Every property, including those that are not enumerable, in any order. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  return new Map(properties.map(([key, { value: held, ...flags }]) => [key, { ...flags, held: bare(held) }]));
}

test("a schema made here equals the library's, in every property and when serialised", () => {
  fc.assert(
    fc.property(recipe, (make) => {
      assert.deepEqual(bare(make(Type)), bare(make(Library)));
      assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(Library)));
    }),
    { numRuns: 500 },
  );
});

test("other schemas are made by the library, from schemas made here", () => {
  const made = (make: Maker) => [
    make.Enum({ One: "one", Two: 2 }),
    make.Literal(10n),
    make.Record(make.Integer(), make.Null()),
    make.Record(make.Enum(["a", "b"]), make.String()),
    make.Partial(make.Union([make.Object({ a: make.String() }), make.Object({ b: make.Null() })])),
    make.Intersect([make.Object({ a: make.String() }), make.Object({ b: make.Optional(make.Null()) })]),
    make.Omit(make.Object({ a: make.String(), b: make.Null() }), ["a"]),
    make.Optional(make.Tuple([make.Any(), make.Optional(make.Integer())])),
  ];
  assert.deepEqual(made(Type).map(bare), made(Library).map(bare));
  assert.deepEqual(Object.keys(Type), Object.keys(Library));
  assert.ok("Intersect" in Type && !("Nonsense" in Type));
});

test("making a schema does not load the library", () => {
  const url = new URL("./type.ts", import.meta.url).href;
  const asked = (expression: string) => `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ load: (url, context, next) => ((loaded += 1), next(url, context)) });
    const { Type } = await import(${JSON.stringify(url)});
    ${expression};
    process.stdout.write(String(loaded));`;
  const loadedBy = (expression: string) =>
    Number(
      spawnSync(process.execPath, ["--input-type=module", "-e", asked(expression)], {
        cwd: fileURLToPath(new URL("../../..", import.meta.url)),
        encoding: "utf8",
      }).stdout,
    );
  const alone = loadedBy("Type.Object({ a: Type.Optional(Type.Record(Type.String(), Type.Enum(['a']))) })");
  assert.equal(alone, 1);
  assert.ok(loadedBy("Type.Tuple([])") > 300);
});
