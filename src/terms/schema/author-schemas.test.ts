import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchemas, createBoundedSchemas } from "./author-schemas.ts";
import { patternProblem } from "./schema-parts.ts";
import { leastCpuMs } from "../platform/cpu-time.kit.ts";
import { describeProblem } from "./schema-problem.ts";

const schemas = createBoundedSchemas();
const problemOf = (schema: object, value: unknown) => {
  const fits = schemas.compile(schema);
  return fits(value) ? null : fits.errors![0]!.message;
};
const TOO_LARGE = "is too large to be checked";

let deep: object = {};
for (let level = 0; level < 60; level += 1) deep = { c: deep };
const doubled = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `d${at}`,
    { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
  ]),
);
const numbers = Array.from({ length: 60_000 }, (_, at) => at);
const objects = Array.from({ length: 8_000 }, (_, at) => ({ id: at }));
const members = Object.fromEntries(numbers.slice(0, 9_000).map((at) => [`key_${"a".repeat(20)}_${at}`, at]));
const times = <Part>(count: number, part: (at: number) => Part) => Array.from({ length: count }, (_, at) => part(at));

/** The longest time for which one validation may block the event loop, in ms. */
const HELD_MS_MAX = 50;

/** Validations that take seconds to minutes without a limit on steps. */
const ENDLESS: Readonly<Record<string, readonly [schema: object, value: unknown]>> = {
  "references that double on each level": [{ $ref: "#/$defs/d0", $defs: { ...doubled, d40: { type: "object" } } }, {}],
  "a recursion that doubles on each level of the value": [
    {
      $ref: "#/$defs/n",
      $defs: {
        n: {
          properties: { c: { anyOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] } },
          not: { required: ["d"], maxProperties: 0 },
          minProperties: 1,
        },
      },
    },
    deep,
  ],
  "references in a circle": [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, 1],
  "many alternatives for many entries": [
    { items: { anyOf: times(1_000, (at) => ({ const: `x${at}` })) } },
    numbers
      .map(String)
      .map((text) => `x999${text}`)
      .fill("x999"),
  ],
  "a long list of constants for many entries": [
    { items: { enum: times(30_000, (at) => ({ a: at })) } },
    times(20_000, () => ({ a: 29_999 })),
  ],
  "many patterns for many names": [
    { patternProperties: Object.fromEntries(times(200, (at) => [`^(a+)+${at}$`, {}])) },
    members,
  ],
  "names gone through again and again": [
    {
      anyOf: times(300, () => ({ additionalProperties: { type: "integer" }, minProperties: 10_000 })).concat(
        [] as never,
      ),
      minProperties: 1,
      allOf: times(300, () => ({ additionalProperties: { type: "integer" } })),
    },
    members,
  ],
  "members that are counted again and again": [
    { items: { anyOf: times(100, () => ({ maxProperties: 3 })) } },
    [members],
  ],
  "one entry among many alternatives": [
    { items: { anyOf: times(1_000, (at) => ({ const: `x${at}` })) } },
    times(900, () => "x999"),
  ],
  "short entries that have to differ": [{ uniqueItems: true }, times(48_000, (at) => [at])],
  "entries with members that have to differ": [{ uniqueItems: true }, times(48_000, (at) => ({ at }))],
  "a pattern whose states have no end": [
    { items: { pattern: "(a|b)*a(a|b){20}c$" } },
    times(20, (at) => times(20_000, (place) => ((place * place + at) % 7 < 3 ? "a" : "b")).join("") + "c "),
  ],
};

/** Texts near the limit of their format, up to ten megabytes together. */
const LONG_ONES: Readonly<Record<string, string>> = {
  url: `http://a@${":".repeat(4_080)}\u0000`,
  uri: `http://a@${"1".repeat(16_370)} `,
  "uri-reference": `http://a@${"1".repeat(16_370)} `,
  "date-time": `${"t".repeat(16_379)} `,
  "iso-date-time": `${"t".repeat(16_379)} `,
  regex: `a@${"(a".repeat(8_100)} `,
};

for (const [format, text] of Object.entries(LONG_ONES)) {
  test(`long texts of the format ${format} are checked in bounded time, however many they are`, () => {
    const fits = schemas.compile({ items: { not: { format } } });
    const short = text.slice(0, 9) + text.slice(-240);
    for (const list of [times(640, (at) => text + at), times(40_000, (at) => short + at)]) {
      leastCpuMs(HELD_MS_MAX, () => assert.ok(!fits(list)));
      assert.equal(fits.errors![0]!.message, TOO_LARGE);
    }
  });
}

test("an address is judged alike, whether it is short or long", () => {
  const judge = (url: string) => problemOf({ format: "url" }, url) === null;
  for (const host of ["10.1.1.1", "11.1.1.1", "host", "ADA:b@Exämple.org:80", "a.b-c.de", "-a.b.co", "172.16.0.1"]) {
    const [short, long] = [`HTTP://${host}/x`, `HTTP://${host}/${"x".repeat(4_000)}`];
    assert.equal(judge(short), judge(long), host);
    assert.equal(judge(long), !/^10|^172|^host$|^-/.test(host), host);
  }
});

for (const [what, [schema, value]] of Object.entries(ENDLESS)) {
  test(`${what} end as "${TOO_LARGE}" or sooner, in bounded time`, () => {
    const fits = schemas.compile(schema);
    leastCpuMs(HELD_MS_MAX, () => assert.equal(fits(value), false));
  });
}

test("a validation that costs too much is reported, and the next one starts again", () => {
  const fits = schemas.compile(ENDLESS["references that double on each level"]![0]);
  assert.equal(fits({}), false);
  assert.equal(fits.errors![0]!.message, TOO_LARGE);
  assert.equal(problemOf({ items: { type: "integer" } }, numbers), null);
});

test("a large schema is compiled when it is loaded, not at its first use", () => {
  const part = { type: "object", required: ["a"], properties: { a: { maxLength: 9 }, b: { type: "integer" } } };
  const large = { properties: Object.fromEntries(times(100, (at) => [`p${at}`, part])) };
  const value = Object.fromEntries(times(100, (at) => [`p${at}`, { a: "x", b: 1 }]));
  const validators = times(4, () => createSchemas().validator(large, "first use"));
  leastCpuMs(HELD_MS_MAX / 2, () => assert.equal(validators.pop()?.(value) ?? null, null));
});

test("large valid values pass", () => {
  assert.equal(problemOf({ type: "array", uniqueItems: true, items: { type: "integer", minimum: 0 } }, numbers), null);
  assert.equal(
    problemOf({ type: "array", uniqueItems: true, items: { type: "object", required: ["id"] } }, objects),
    null,
  );
  assert.equal(problemOf({ propertyNames: { pattern: "^key_a+_[0-9]+$" } }, members), null);
  assert.equal(problemOf({ pattern: "^[a-z]+$" }, "a".repeat(1_000_000)), null);
});

test("entries are compared as JSON values, whatever the order of their members", () => {
  const unique = { uniqueItems: true };
  for (const equal of [
    [1, 1],
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [[], []],
    [null, null],
    ["a", "a"],
    [0, -0],
    [{ a: { c: 1, b: 2 } }, { a: { b: 2, c: 1 } }],
  ]) {
    assert.equal(problemOf(unique, equal), "must not have duplicate items", JSON.stringify(equal));
  }
  for (const different of [
    [1, "1"],
    [null, "null"],
    [[], {}],
    ["[]", []],
    [true, 1, "true"],
    [{ a: 1 }, { b: 1 }],
    [["a,b"], ["a", "b"]],
  ]) {
    assert.equal(problemOf(unique, different), null, JSON.stringify(different));
  }
  assert.equal(problemOf({ uniqueItems: false }, [1, 1]), null);
});

test("lengths count characters, and read the whole text only if necessary", () => {
  const faces = "😀".repeat(5);
  for (const [schema, fits] of [
    [{ maxLength: 5 }, true],
    [{ maxLength: 4 }, false],
    [{ minLength: 5 }, true],
    [{ minLength: 6 }, false],
    [{ minLength: 0, maxLength: 10 }, true],
  ] as const) {
    assert.equal(problemOf(schema, faces) === null, fits, JSON.stringify(schema));
  }
  assert.equal(problemOf({ maxLength: 3 }, "abcd"), "must NOT have more than 3 characters");
  assert.equal(problemOf({ minLength: 3 }, "ab"), "must NOT have fewer than 3 characters");
  assert.equal(problemOf({ minLength: 3 }, 12), null, "which is not a text");
});

test("the patterns of a schema are not confused with each other", () => {
  const schema = { properties: { a: { pattern: "^a$" }, b: { pattern: "^b$" } } };
  assert.equal(problemOf(schema, { a: "a", b: "b" }), null);
  assert.notEqual(problemOf(schema, { a: "a", b: "a" }), null);
});

test("formats keep their meaning, up to a length that no real value has", () => {
  assert.equal(problemOf({ format: "email" }, "ada@example.org"), null);
  assert.equal(problemOf({ format: "date", formatMinimum: "2024-01-01" }, "2024-02-29"), null);
  assert.notEqual(problemOf({ format: "date" }, "2023-02-29"), null);
  assert.equal(problemOf({ format: "byte" }, "AAAA".repeat(50_000)), null);
  assert.equal(problemOf({ format: "none-such" }, "x".repeat(50_000)), null);
  for (const format of ["url", "uri", "uri-reference", "uri-template", "email", "hostname", "regex", "json-pointer"]) {
    assert.notEqual(problemOf({ format }, `http://${"::".repeat(200_000)} `), null, format);
  }
});

test("a pattern that cannot be matched in linear time is found anywhere in a schema, and reported with its location", () => {
  const bad = { pattern: "(a)\\1" };
  const places: readonly (readonly [object, readonly string[]])[] = [
    [bad, ["pattern"]],
    [{ properties: { a: bad } }, ["properties", "a", "pattern"]],
    [{ anyOf: [{}, { items: bad }] }, ["anyOf", "1", "items", "pattern"]],
    [{ patternProperties: { "(a)\\1": {} } }, ["patternProperties", "(a)\\1"]],
    [{ $defs: { x: { not: { propertyNames: bad } } } }, ["$defs", "x", "not", "propertyNames", "pattern"]],
  ];
  for (const [schema, path] of places) assert.deepEqual(patternProblem(schema)?.path, path);
  assert.equal(patternProblem({ properties: { pattern: { const: "(a)\\1" } }, examples: [bad] }), null);
});

test("a long list of constants is shortened in messages", () => {
  const fits = schemas.compile({ enum: times(30_000, (at) => `value ${at}`) });
  assert.equal(fits("none"), false);
  const { message } = describeProblem(fits.errors);
  assert.match(message, /^must be one of value 0, value 1, .*, value 49, …$/);
});
