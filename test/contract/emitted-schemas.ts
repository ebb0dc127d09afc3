import { readdirSync, readFileSync } from "node:fs";

/** A schema of draft 2020-12, and values that it accepts. */
export interface SchemaInstances {
  readonly says: string;
  readonly schema: object | boolean;
  readonly valid: readonly unknown[];
}

interface SuiteGroup {
  readonly description: string;
  readonly schema: object;
  readonly tests: readonly { readonly data: unknown; readonly valid: boolean }[];
}

const DRAFT_4 = new URL("tests/draft4/", import.meta.resolve("json-schema-test-suite/package.json"));

/** The files and groups of the official suite of draft 4 that are not used, each with the difference to draft 2020-12. */
const LEFT_OUT = new Map([
  ["additionalItems", "the keyword is gone, and `items` with a list is `prefixItems`"],
  ["definitions", "refers to the metaschema of draft 4"],
  ["dependencies", "the keyword is `dependentRequired` or `dependentSchemas`"],
  ["items: an array of schemas for items", "is `prefixItems`"],
  ["maximum: exclusiveMaximum validation", "`exclusiveMaximum` is a number"],
  ["minimum: exclusiveMinimum validation", "`exclusiveMinimum` is a number"],
  ["ref: relative pointer ref to array", "`items` with a list is `prefixItems`"],
  ["ref: remote ref, containing refs itself", "refers to the metaschema of draft 4"],
  ["refRemote", "refers to documents of draft 4 on a server, and by `id`, which is `$id`"],
  ["optional/bignum", "no difference, but JSON.parse rounds its numbers"],
  ["optional/zeroTerminatedFloats", "1.0 is an integer"],
]);

/** The valid instances of the official suite of draft 4 whose schemas mean the same in draft 2020-12. */
export function suiteOfDraft4(): readonly SchemaInstances[] {
  const files = readdirSync(DRAFT_4, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  const unused = new Set(LEFT_OUT.keys());
  const isLeftOut = (name: string) => {
    unused.delete(name);
    return LEFT_OUT.has(name);
  };
  const groups = files.sort().flatMap((file) => {
    const keyword = file.slice(0, -".json".length);
    if (isLeftOut(keyword)) return [];
    return (JSON.parse(readFileSync(new URL(file, DRAFT_4), "utf8")) as readonly SuiteGroup[]).flatMap((group) => {
      const says = `${keyword}: ${group.description}`;
      const valid = group.tests.filter((test) => test.valid).map((test) => test.data);
      return isLeftOut(says) ? [] : [{ says, schema: group.schema, valid }];
    });
  });
  if (unused.size > 0) throw new Error(`The suite has no ${[...unused].join(", ")}.`);
  return groups;
}

const text = { type: "string" };
const whole = { type: "integer" };
const named = (name: string, schema: unknown) => ({ properties: { [name]: schema } });
const OTHERS = [null, true, 0, 1.5, "", "text", [], [null], {}, { other: [1, { deep: "x" }] }];
const NO_LISTS = OTHERS.filter((value) => !Array.isArray(value));
const NO_OBJECTS = OTHERS.filter((value) => typeof value !== "object" || value === null || Array.isArray(value));

/** What the suite of draft 4 lacks: later keywords, and more combinations, values and names. */
export const OWN_SCHEMAS: readonly SchemaInstances[] = [
  { says: "the schema true", schema: true, valid: OTHERS },
  { says: "the schema {}", schema: {}, valid: OTHERS },
  {
    says: "true and false for members",
    schema: { properties: { lei: true, retired: false } },
    valid: [{}, { lei: 1 }, { lei: null, name: "x" }, ...NO_OBJECTS],
  },
  {
    says: "false for all other members",
    schema: { ...named("lei", true), additionalProperties: false },
    valid: [{}, { lei: [] }],
  },
  {
    says: "true for all other members",
    schema: { ...named("lei", text), additionalProperties: true },
    valid: [{ lei: "x", name: 1 }],
  },
  {
    says: "false by a pattern",
    schema: { patternProperties: { "^x_": false, "^y_": true } },
    valid: [{}, { y_1: 1, z: 2 }],
  },
  { says: "items false", schema: { items: false }, valid: [[], ...NO_LISTS] },
  { says: "items true", schema: { items: true }, valid: OTHERS },
  { says: "allOf with true", schema: { allOf: [true, text] }, valid: ["x"] },
  { says: "anyOf with false", schema: { anyOf: [false, whole] }, valid: [1] },
  { says: "anyOf with true", schema: { anyOf: [true, whole] }, valid: OTHERS },
  { says: "oneOf with one true", schema: { oneOf: [false, true, false] }, valid: OTHERS },
  { says: "not false", schema: { not: false }, valid: OTHERS },

  { says: "const with a text", schema: { const: "GB" }, valid: ["GB"] },
  { says: "const with an empty text", schema: { const: "" }, valid: [""] },
  { says: "const with control characters", schema: { const: "a\u0000\n\t\u2028b" }, valid: ["a\u0000\n\t\u2028b"] },
  { says: "const with a number", schema: { const: 2 }, valid: [2] },
  { says: "const with zero", schema: { const: 0 }, valid: [0] },
  { says: "const with a negative fraction", schema: { const: -0.25 }, valid: [-0.25] },
  { says: "const with a large number", schema: { const: 9007199254740991 }, valid: [9007199254740991] },
  { says: "const with null", schema: { const: null }, valid: [null] },
  { says: "const with true", schema: { const: true }, valid: [true] },
  { says: "const with false", schema: { const: false }, valid: [false] },
  { says: "const with an empty list", schema: { const: [] }, valid: [[]] },
  { says: "const with a list", schema: { const: ["GB", 1, [false]] }, valid: [["GB", 1, [false]]] },
  { says: "const with an empty object", schema: { const: {} }, valid: [{}] },
  {
    says: "const with an object",
    schema: { const: { a: 1, b: [null] } },
    valid: [
      { a: 1, b: [null] },
      { b: [null], a: 1 },
    ],
  },
  { says: "const with a type", schema: { type: ["string", "null"], const: "x" }, valid: ["x"] },
  {
    says: "const for a member",
    schema: named("kind", { const: "company" }),
    valid: [{}, { kind: "company" }, { kind: "company", lei: "x" }, ...NO_OBJECTS],
  },
  {
    says: "const in all branches",
    schema: { anyOf: [{ const: "a" }, { const: 1 }, { const: null }] },
    valid: ["a", 1, null],
  },
  { says: "const and enum", schema: { enum: ["a", "b"], const: "b" }, valid: ["b"] },

  { says: "exclusiveMinimum with a number", schema: { exclusiveMinimum: 1.5 }, valid: [2, 1.75, "1", null] },
  { says: "exclusiveMaximum with a number", schema: { type: "number", exclusiveMaximum: 3 }, valid: [2, -1.5] },
  {
    says: "both exclusive bounds",
    schema: { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 3 },
    valid: [1, 2],
  },

  {
    says: "prefixItems",
    schema: { prefixItems: [text, whole] },
    valid: [[], ["GB"], ["GB", 1], ["GB", 1, null, { a: 1 }], ...NO_LISTS],
  },
  {
    says: "prefixItems of lists",
    schema: { type: "array", prefixItems: [text, whole] },
    valid: [[], ["GB"], ["GB", 1, true]],
  },
  {
    says: "prefixItems, then items",
    schema: { prefixItems: [text], items: whole },
    valid: [[], ["GB"], ["GB", 1, 2], "text"],
  },
  {
    says: "prefixItems, then items with other schemas",
    schema: { type: "array", prefixItems: [text, text], items: { type: ["null", "boolean"] } },
    valid: [["a", "b", null, true], ["a"]],
  },
  {
    says: "prefixItems, then nothing",
    schema: { prefixItems: [text, true, {}], items: false },
    valid: [[], ["a"], ["a", 1], ["a", 1, null]],
  },
  {
    says: "prefixItems with a length",
    schema: { type: "array", prefixItems: [text, whole], items: false, minItems: 2 },
    valid: [["a", 1]],
  },
  { says: "prefixItems that end with false", schema: { prefixItems: [true, false] }, valid: [[], ["a"]] },
  {
    says: "prefixItems of prefixItems",
    schema: { type: "array", prefixItems: [{ type: "array", prefixItems: [whole], items: text }], items: false },
    valid: [[], [[]], [[1, "a", "b"]]],
  },
  {
    says: "prefixItems in two schemas of allOf",
    schema: { type: "array", allOf: [{ prefixItems: [text] }, { prefixItems: [true, whole] }] },
    valid: [["a", 1], ["a"], []],
  },
  {
    says: "prefixItems of null",
    schema: { type: "array", prefixItems: [{ type: "null" }] },
    valid: [[null], [null, 1]],
  },

  {
    says: "contains",
    schema: { contains: { const: "active" } },
    valid: [["active"], [1, "active", null], ...NO_LISTS],
  },
  {
    says: "contains with items",
    schema: { type: "array", items: text, contains: { const: "a" } },
    valid: [["a"], ["b", "a"]],
  },
  {
    says: "contains with prefixItems",
    schema: { type: "array", prefixItems: [text], contains: whole },
    valid: [
      ["a", 1],
      ["a", null, 2],
    ],
  },
  { says: "contains none", schema: { contains: whole, minContains: 0 }, valid: [[], ["a"], [1]] },
  {
    says: "contains a number of",
    schema: { type: "array", contains: whole, minContains: 2, maxContains: 3 },
    valid: [
      [1, 2],
      [1, "a", 2, 3],
    ],
  },
  { says: "contains true", schema: { type: "array", contains: true }, valid: [[null], [1, "a"]] },
  { says: "contains false", schema: { contains: false }, valid: NO_LISTS },

  { says: "if alone", schema: { if: { const: 1 } }, valid: OTHERS },
  { says: "then without if", schema: { then: { const: 1 } }, valid: OTHERS },
  { says: "else without if", schema: { else: false }, valid: OTHERS },
  { says: "if and then", schema: { if: text, then: { minLength: 2 } }, valid: ["ab", 1, null, [], {}] },
  {
    says: "if and then of members",
    schema: {
      type: "object",
      if: { ...named("kind", { const: "a" }), required: ["kind"] },
      then: { required: ["lei"] },
    },
    valid: [{}, { kind: "b" }, { kind: "a", lei: 1 }],
  },
  { says: "if and else", schema: { if: text, else: whole }, valid: ["a", 1] },
  {
    says: "if, then and else",
    schema: {
      type: "object",
      if: { ...named("country", { const: "GB" }), required: ["country"] },
      then: { ...named("number", text), required: ["number"] },
      else: named("number", whole),
    },
    valid: [{ country: "GB", number: "x" }, { country: "DE", number: 1 }, { number: 1 }, {}],
  },
  { says: "if true", schema: { if: true, then: { const: "a" }, else: { const: "b" } }, valid: ["a"] },
  { says: "if false", schema: { if: false, then: { const: "a" }, else: { const: "b" } }, valid: ["b"] },
  { says: "then false", schema: { if: text, then: false }, valid: [1, null, [], {}] },
  { says: "else false", schema: { if: text, else: false }, valid: ["", "a"] },
  {
    says: "if in then",
    schema: { if: text, then: { if: { const: "a" }, then: true, else: { const: "b" } }, else: { type: "null" } },
    valid: ["a", "b", null],
  },
  {
    says: "if in allOf",
    schema: {
      allOf: [
        { if: text, else: whole },
        { if: { const: 1 }, then: true, else: text },
      ],
    },
    valid: ["a", 1],
  },

  {
    says: "dependentRequired",
    schema: { dependentRequired: { iban: ["bic", "holder"] } },
    valid: [{}, { bic: 1 }, { iban: 1, bic: "x", holder: null }, ...NO_OBJECTS],
  },
  {
    says: "dependentRequired of declared members",
    schema: { type: "object", properties: { iban: text, bic: text }, dependentRequired: { iban: ["bic"] } },
    valid: [{}, { bic: "x" }, { iban: "x", bic: "y" }],
  },
  {
    says: "dependentRequired of nothing",
    schema: { dependentRequired: { iban: [] } },
    valid: [{}, { iban: 1 }, { other: 1 }],
  },
  {
    says: "dependentRequired of unusual names",
    schema: { dependentRequired: { 'a"\n': ["b'\\"] } },
    valid: [{}, { 'a"\n': 1, "b'\\": 2 }],
  },

  {
    says: "dependentSchemas",
    schema: { dependentSchemas: { iban: { ...named("bic", text), required: ["bic"] } } },
    valid: [{}, { bic: 1 }, { iban: 1, bic: "x" }, ...NO_OBJECTS],
  },
  {
    says: "dependentSchemas of declared members",
    schema: { type: "object", properties: { iban: text }, dependentSchemas: { iban: named("bic", text) } },
    valid: [{}, { iban: "x", bic: "y" }, { iban: "x", other: 1 }],
  },
  {
    says: "dependentSchemas true and false",
    schema: { dependentSchemas: { iban: true, bic: false } },
    valid: [{}, { iban: 1 }, { other: [] }],
  },
  {
    says: "dependentSchemas that close the object",
    schema: { ...named("lei", {}), dependentSchemas: { iban: { ...named("iban", {}), additionalProperties: false } } },
    valid: [{ lei: 1 }, { iban: 1 }, { lei: 1, other: 2 }],
  },

  {
    says: "propertyNames with a length",
    schema: { propertyNames: { maxLength: 3 } },
    valid: [{}, { a: 1, lei: "x" }, ...NO_OBJECTS],
  },
  {
    says: "propertyNames with a pattern",
    schema: { type: "object", propertyNames: { pattern: "^[A-Z]{2}$" }, additionalProperties: whole },
    valid: [{}, { GB: 1, DE: 2 }],
  },
  {
    says: "propertyNames with enum",
    schema: { type: "object", propertyNames: { enum: ["GB", "DE"] } },
    valid: [{}, { GB: 1 }, { DE: "x", GB: null }],
  },
  { says: "propertyNames with const", schema: { propertyNames: { const: "GB" } }, valid: [{}, { GB: [] }] },
  { says: "propertyNames true", schema: { propertyNames: true }, valid: OTHERS },
  { says: "propertyNames false", schema: { propertyNames: false }, valid: [{}, ...NO_OBJECTS] },
  {
    says: "propertyNames with declared members",
    schema: { ...named("lei", text), propertyNames: { minLength: 2 } },
    valid: [{ lei: "x" }, { lei: "x", name: 1 }],
  },

  { says: "$ref to $defs", schema: { $defs: { code: text }, $ref: "#/$defs/code" }, valid: ["x"] },
  {
    says: "$ref beside a bound",
    schema: { $defs: { code: { type: ["string", "integer"] } }, $ref: "#/$defs/code", maxLength: 3 },
    valid: ["GB", 1000],
  },
  {
    says: "$ref beside a narrower type",
    schema: { $defs: { code: { type: ["string", "integer"] } }, $ref: "#/$defs/code", type: "string" },
    valid: ["GB"],
  },
  {
    says: "$ref beside members",
    schema: {
      $defs: { base: { type: "object", ...named("lei", text), required: ["lei"] } },
      $ref: "#/$defs/base",
      ...named("name", text),
      required: ["name"],
    },
    valid: [
      { lei: "x", name: "y" },
      { lei: "x", name: "y", other: 1 },
    ],
  },
  {
    says: "$ref beside allOf",
    schema: { $defs: { a: named("a", text), b: named("b", whole) }, $ref: "#/$defs/a", allOf: [{ $ref: "#/$defs/b" }] },
    valid: [{ a: "x", b: 1 }, {}, null],
  },
  {
    says: "$ref to a schema in a schema",
    schema: { $defs: { a: { $defs: { b: whole } } }, items: { $ref: "#/$defs/a/$defs/b" } },
    valid: [[1, 2], [], {}],
  },
  {
    says: "$ref from one definition to the next",
    schema: { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/c" }, c: whole }, $ref: "#/$defs/a" },
    valid: [1],
  },
  {
    says: "$ref to unusual names",
    schema: {
      $defs: { "a/b~c": text, "": whole, 'q"': { type: "null" } },
      properties: { a: { $ref: "#/$defs/a~1b~0c" }, b: { $ref: "#/$defs/" }, c: { $ref: "#/$defs/q%22" } },
    },
    valid: [{ a: "x", b: 1, c: null }, {}],
  },
  {
    says: "a tree",
    schema: {
      $defs: {
        node: {
          type: "object",
          properties: { value: whole, nodes: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["value"],
        },
      },
      $ref: "#/$defs/node",
    },
    valid: [
      { value: 1 },
      {
        value: 1,
        nodes: [
          { value: 2, nodes: [] },
          { value: 3, nodes: [{ value: 4 }] },
        ],
      },
    ],
  },
  {
    says: "two definitions that refer to each other",
    schema: {
      $defs: {
        company: { type: "object", properties: { owners: { type: "array", items: { $ref: "#/$defs/owner" } } } },
        owner: { type: "object", properties: { company: { $ref: "#/$defs/company" }, name: text } },
      },
      $ref: "#/$defs/company",
    },
    valid: [{}, { owners: [{ name: "x" }, { company: { owners: [] } }] }],
  },
  {
    says: "$ref to true and false",
    schema: {
      $defs: { any: true, none: false },
      properties: { a: { $ref: "#/$defs/any" }, b: { $ref: "#/$defs/none" } },
    },
    valid: [{}, { a: 1 }, { a: null, c: 1 }],
  },
  {
    says: "a member with the name $ref",
    schema: { type: "object", properties: { $ref: text } },
    valid: [{ $ref: "x" }, {}],
  },
  {
    says: "a member with the name $ref that is a reference",
    schema: { type: "object", $defs: { code: text }, properties: { $ref: { $ref: "#/$defs/code" } } },
    valid: [{ $ref: "x" }, {}],
  },
  {
    says: "$ref as a value is no reference",
    schema: { enum: [{ $ref: "#/$defs/code" }], $defs: { code: text } },
    valid: [{ $ref: "#/$defs/code" }],
  },
  {
    says: "$anchor",
    schema: { $defs: { code: { $anchor: "code", ...text } }, items: { $ref: "#code" } },
    valid: [["x"], []],
  },
  {
    says: "$ref by $id",
    schema: { $id: "https://datarun.example/root", $defs: { code: { $id: "code", ...text } }, items: { $ref: "code" } },
    valid: [["x"], []],
  },
  {
    says: "$ref below another $id",
    schema: {
      $id: "https://datarun.example/root",
      $defs: { part: { $id: "part", $defs: { code: whole }, items: { $ref: "#/$defs/code" } }, code: text },
      $ref: "#/$defs/part",
    },
    valid: [[1], []],
  },
  {
    says: "$dynamicRef",
    schema: { $defs: { code: { $dynamicAnchor: "code", ...text } }, items: { $dynamicRef: "#code" } },
    valid: [["x"], []],
  },
  {
    says: "$ref to $dynamicAnchor",
    schema: { $defs: { code: { $dynamicAnchor: "code", ...text } }, items: { $ref: "#code" } },
    valid: [["x"], []],
  },

  {
    says: "unevaluatedProperties false",
    schema: { ...named("lei", text), unevaluatedProperties: false },
    valid: [{}, { lei: "x" }, ...NO_OBJECTS],
  },
  {
    says: "unevaluatedProperties with a schema",
    schema: { ...named("lei", text), unevaluatedProperties: whole },
    valid: [{ lei: "x", other: 1 }],
  },
  {
    says: "unevaluatedProperties true",
    schema: { ...named("lei", text), unevaluatedProperties: true },
    valid: [{ lei: "x", other: [] }],
  },
  {
    says: "unevaluatedProperties and allOf",
    schema: { type: "object", allOf: [named("lei", text), named("name", text)], unevaluatedProperties: false },
    valid: [{ lei: "x", name: "y" }, {}],
  },
  {
    says: "unevaluatedProperties and anyOf",
    schema: {
      type: "object",
      ...named("lei", text),
      anyOf: [
        { ...named("a", whole), required: ["a"] },
        { ...named("b", whole), required: ["b"] },
      ],
      unevaluatedProperties: false,
    },
    valid: [{ lei: "x", a: 1 }, { b: 1 }, { a: 1, b: 2 }],
  },
  {
    says: "unevaluatedProperties and if",
    schema: {
      type: "object",
      if: { ...named("kind", { const: "a" }), required: ["kind"] },
      then: named("a", text),
      else: named("b", text),
      unevaluatedProperties: false,
    },
    valid: [{ kind: "a", a: "x" }, { b: "x" }, {}],
  },
  {
    says: "unevaluatedProperties and dependentSchemas",
    schema: {
      type: "object",
      ...named("iban", text),
      dependentSchemas: { iban: named("bic", text) },
      unevaluatedProperties: false,
    },
    valid: [{ iban: "x", bic: "y" }, {}],
  },
  {
    says: "unevaluatedProperties and $ref",
    schema: {
      $defs: { base: { type: "object", ...named("lei", text) } },
      $ref: "#/$defs/base",
      ...named("name", text),
      unevaluatedProperties: false,
    },
    valid: [{ lei: "x", name: "y" }, {}],
  },
  {
    says: "unevaluatedProperties and patterns",
    schema: { type: "object", patternProperties: { "^x_": whole }, unevaluatedProperties: text },
    valid: [{ x_1: 1, other: "x" }],
  },
  {
    says: "unevaluatedProperties below itself",
    schema: { type: "object", ...named("next", { $ref: "#" }), unevaluatedProperties: false },
    valid: [{}, { next: { next: {} } }],
  },
  {
    says: "unevaluatedItems false",
    schema: { prefixItems: [text], unevaluatedItems: false },
    valid: [[], ["a"], ...NO_LISTS],
  },
  {
    says: "unevaluatedItems with a schema",
    schema: { type: "array", prefixItems: [text], unevaluatedItems: whole },
    valid: [["a", 1, 2], []],
  },
  {
    says: "unevaluatedItems and allOf",
    schema: { type: "array", allOf: [{ prefixItems: [text, whole] }], unevaluatedItems: false },
    valid: [["a", 1], ["a"]],
  },
  {
    says: "unevaluatedItems and contains",
    schema: { type: "array", contains: text, unevaluatedItems: whole },
    valid: [["a", 1], ["a"]],
  },

  {
    says: "annotations",
    schema: { ...text, $comment: "c", title: "t", deprecated: true, readOnly: true, writeOnly: false, examples: [1] },
    valid: ["x"],
  },
  {
    says: "the content of a text",
    schema: { contentMediaType: "application/json", contentEncoding: "base64", contentSchema: whole },
    valid: ["not JSON", 1, {}],
  },
  { says: "a keyword that nobody knows", schema: { ...whole, "x-unit": "EUR" }, valid: [1] },

  {
    says: "enum of all kinds",
    schema: { enum: [null, false, 0, "", [], {}, [0], { a: 0 }] },
    valid: [null, false, 0, "", [], {}, [0], { a: 0 }],
  },
  { says: "enum with a type", schema: { type: ["string", "null"], enum: ["GB", null, 1] }, valid: ["GB", null] },
  {
    says: "enum of texts that need quotes",
    schema: { enum: ["a\nb", 'a"b', "a'b", "a\\b", "\u00e9", "\u0065\u0301"] },
    valid: ["a\nb", 'a"b', "a'b", "a\\b", "\u00e9", "\u0065\u0301"],
  },
  { says: "all types", schema: { type: ["null", "boolean", "number", "string", "array", "object"] }, valid: OTHERS },
  { says: "integer or number", schema: { type: ["integer", "number"] }, valid: [1, 1.5] },
  { says: "allOf in allOf", schema: { allOf: [{ allOf: [{ type: ["null", "string"] }] }, {}] }, valid: [null, "x"] },
  {
    says: "allOf, anyOf and oneOf",
    schema: {
      type: "object",
      allOf: [named("a", text)],
      anyOf: [named("b", whole), named("c", text)],
      oneOf: [{ required: ["d"] }, { required: ["e"] }],
    },
    valid: [{ a: "x", b: 1, c: "y", d: 1 }, { e: null }],
  },
  {
    says: "anyOf of types",
    schema: { anyOf: [text, { type: "array", items: text }, { type: "null" }] },
    valid: ["x", ["x"], [], null],
  },
  {
    says: "oneOf of objects",
    schema: {
      oneOf: [
        { ...named("a", text), required: ["a"] },
        { ...named("b", whole), required: ["b"] },
      ],
    },
    valid: [{ a: "x" }, { b: 1 }, { a: "x", b: "not whole" }],
  },
  {
    says: "oneOf with an optional member",
    schema: {
      type: "object",
      oneOf: [
        { properties: { a: true, b: true }, required: ["b"] },
        { ...named("c", true), required: ["c"] },
      ],
    },
    valid: [{ b: 1 }, { c: 1 }, { a: 1, c: 1 }],
  },
  { says: "not a member", schema: { type: "object", not: { required: ["lei"] } }, valid: [{}, { other: 1 }] },
  {
    says: "additionalProperties beside allOf",
    schema: { type: "object", allOf: [named("a", true)], additionalProperties: { type: ["boolean", "null"] } },
    valid: [{ a: true, b: null }, {}],
  },
  {
    says: "lists of lists",
    schema: { type: "array", items: { type: "array", items: { type: "array", items: whole } } },
    valid: [[], [[]], [[[1, 2], []], [[3]]]],
  },
  {
    says: "required members that are not declared",
    schema: { type: "object", required: ["a\nb", 'c"d', "e\\f"] },
    valid: [{ "a\nb": 1, 'c"d': null, "e\\f": [] }],
  },
  {
    says: "members that every object seems to have",
    schema: {
      properties: { ["__proto__"]: whole, toString: named("length", text), constructor: whole, hasOwnProperty: text },
    },
    valid: [
      JSON.parse('{"__proto__":1}'),
      { toString: { length: "x" } },
      { constructor: 1 },
      { hasOwnProperty: "x" },
      {},
      ...NO_OBJECTS,
    ],
  },
  {
    says: "members with unusual names",
    schema: {
      type: "object",
      properties: {
        "": whole,
        "a b": text,
        "a-b": text,
        1: text,
        "a\tb": text,
        'a"b': text,
        class: text,
        None: text,
        "\u{1f4a9}": text,
      },
    },
    valid: [
      { "": 1, "a b": "x", "a-b": "x", 1: "x", "a\tb": "x", 'a"b': "x", class: "x", None: "x", "\u{1f4a9}": "x" },
      {},
    ],
  },
  {
    says: "members of null",
    schema: { type: "object", properties: { a: { type: "null" } }, additionalProperties: { type: "null" } },
    valid: [{ a: null, b: null }, {}],
  },
  {
    says: "patterns of which several apply",
    schema: {
      type: "object",
      patternProperties: { "^a": { type: ["integer", "null"] }, b$: { type: ["integer", "string"] } },
      additionalProperties: false,
    },
    valid: [{ a: null, b: "x", ab: 1 }, {}],
  },
];
