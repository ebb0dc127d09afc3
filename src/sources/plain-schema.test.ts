import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isPlainSchema } from "./plain-schema.ts";
import { problemByMetaSchema } from "./schema-language.ts";

const KEYWORDS = `type properties required additionalProperties items allOf anyOf oneOf not enum const minLength
  maxLength minItems maxItems minProperties maxProperties uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum
  format pattern title description default examples $ref $id $defs multipleOf patternProperties readOnly x-mine`
  .trim()
  .split(/\s+/);

/** Each value is valid for some keywords and invalid for others. */
const EDGES: readonly unknown[] = [
  ["string", "object", "strings", "", "(", "[a-z]+$", "\\Z", "#", "email", 0, -0, -1, 1, 1.5, 1e300, true, false],
  [null, [], {}, ["string"], ["string", "string"], ["string", 1], ["a", "b"], ["", ""], [true], [{}], undefined],
  [Number.NaN, Number.POSITIVE_INFINITY, ["null", "array"], { a: true }, { a: 1 }, [[]], [null]],
].flat(1);
const value = fc.oneof(fc.constantFrom(...EDGES), fc.jsonValue({ maxDepth: 2 }));

const { schema } = fc.letrec<{ schema: object; part: unknown }>((tie) => ({
  schema: fc.dictionary(
    fc.constantFrom(...KEYWORDS),
    fc.oneof(
      { weight: 3, arbitrary: value },
      { weight: 2, arbitrary: tie("part") },
      { weight: 1, arbitrary: fc.array(tie("part"), { maxLength: 2 }) },
      { weight: 1, arbitrary: fc.dictionary(fc.constantFrom("a", "b/c"), tie("part"), { maxKeys: 2 }) },
    ),
    { maxKeys: 4 },
  ),
  part: fc.oneof({ maxDepth: 3 }, fc.boolean(), tie("schema")),
}));

test("what is taken for plain is correct by the meta-schema", () => {
  let plain = 0;
  fc.assert(
    fc.property(schema, (any) => {
      if (!isPlainSchema(any)) return;
      plain += 1;
      assert.equal(problemByMetaSchema(any), null);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(plain > 300, `${plain} were plain`);
});

test("each keyword is taken with a value that it may have, and left to the meta-schema with any other", () => {
  const right: Readonly<Record<string, unknown>> = {
    type: ["string", "null"],
    properties: { name: { type: "string", pattern: "^[A-Z]+$", maxLength: 20 }, any: true },
    required: ["name"],
    additionalProperties: false,
    items: { enum: ["a", 1, null] },
    anyOf: [{ const: 1 }, { minimum: -1.5 }],
    minLength: 0,
    format: "email",
    pattern: "\\p{L}",
    examples: [],
    default: {},
  };
  for (const [name, its] of Object.entries(right)) assert.equal(isPlainSchema({ [name]: its }), true, name);
  const wrong = {
    type: [["text"], [], ["string", "string"], 1],
    properties: [{ name: 1 }, [], { name: { minLength: -1 } }],
    required: ["name", ["a", "a"], [1]],
    anyOf: [[], {}, [1]],
    minLength: ["1", 1.5, -1],
    pattern: ["(", 1],
    minimum: [Number.NaN, "1"],
    $ref: ["#/$defs/a"],
    "x-mine": [1],
  };
  for (const [name, all] of Object.entries(wrong))
    for (const its of all) assert.equal(isPlainSchema({ [name]: its }), false, `${name}: ${JSON.stringify(its)}`);
});
