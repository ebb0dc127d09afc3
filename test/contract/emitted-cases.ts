import type { SchemaUse } from "../../src/contract/emit/type-module.ts";

/** A schema, and values that its emitted type has to accept and to refuse. */
export interface EmittedCase {
  readonly says: string;
  readonly schema: object;
  readonly use?: SchemaUse;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly unknown[];
  /** What Python's types cannot say: a TypedDict has no members without a name. */
  readonly acceptedInPython?: readonly unknown[];
}

const text = { type: "string" };
const object = (properties: object, keywords: object = {}) => ({ type: "object", properties, ...keywords });
const HOSTILE = `*/ """ ''' \\ \\u0041 \${x} \u2028 \u0000 \ud800 # type: int\r\nsecond line`;

export const CASES: readonly EmittedCase[] = [
  {
    says: "a misspelt or missing input is an error",
    schema: object({ lei: text, country: text }, { required: ["lei"] }),
    accepts: [{ lei: "x" }, { lei: "x", country: "GB" }],
    refuses: [{ lie: "x" }, { lei: "x", contry: "GB" }, {}, { lei: 1 }],
  },
  {
    says: "undeclared inputs of a source are dropped, so they are an error even if the schema accepts them",
    schema: object({ lei: text }, { additionalProperties: true, patternProperties: { "^l": text } }),
    accepts: [{ lei: "x" }, {}],
    refuses: [{ lie: "x" }],
  },
  {
    says: "inputs of a function are passed on, so its schema decides",
    schema: object({ lei: text }, { additionalProperties: { type: "number" } }),
    use: "function inputs",
    accepts: [{ lei: "x", other: 1 }],
    refuses: [{ other: [1] }],
    acceptedInPython: [{ other: [1] }],
  },
  {
    says: "one of several fields is required",
    schema: object({ phone: text, email: text }, { anyOf: [{ required: ["phone"] }, { required: ["email"] }] }),
    accepts: [{ phone: "1" }, { email: "a@b" }, { phone: "1", email: "a@b" }],
    refuses: [{}, { emial: "a@b" }],
  },
  {
    says: "fields that only a branch declares are declared",
    schema: object(
      { kind: text },
      { if: { properties: { kind: { const: "a" } } }, then: { properties: { a: text } }, allOf: [object({ b: text })] },
    ),
    accepts: [{ kind: "a", a: "x", b: "y" }],
    refuses: [{ kind: "a", c: "x" }, { b: 1 }],
  },
  {
    says: "if, then and else are a choice",
    schema: object(
      { kind: text },
      { if: object({ kind: { const: "a" } }), then: { required: ["kind"] }, else: object({ b: { type: "number" } }) },
    ),
    accepts: [{ kind: "a" }, { kind: "b", b: 1 }],
    refuses: [{ kind: 1 }],
  },
  {
    says: "branches are told apart by a constant",
    schema: {
      oneOf: [
        object({ kind: { const: "person" }, name: text }, { required: ["kind", "name"] }),
        object({ kind: { const: "company" }, number: { type: "integer" } }, { required: ["kind", "number"] }),
      ],
    },
    accepts: [
      { kind: "person", name: "Ada" },
      { kind: "company", number: 1 },
    ],
    refuses: [{ kind: "person", number: 1 }, { kind: "other" }],
  },
  {
    says: "all schemas of allOf apply to a field",
    schema: { type: "object", allOf: [object({ a: { enum: ["x", "y", 1] } }), object({ a: { type: "string" } })] },
    accepts: [{ a: "x" }, { a: "y" }],
    refuses: [{ a: 1 }, { a: "z" }],
  },
  {
    says: "constants with titles are a union, however many",
    schema: object({ a: { oneOf: Array.from({ length: 300 }, (_, at) => ({ const: `c${at}`, title: `C ${at}` })) } }),
    accepts: [{ a: "c0" }, { a: "c299" }],
    refuses: [{ a: "c300" }],
  },
  {
    says: "more branches than can be told apart accept every object",
    schema: {
      type: "object",
      properties: { a: text },
      allOf: Array.from({ length: 8 }, (_, at) => ({
        anyOf: [object({ [`x${at}`]: text }), object({ [`y${at}`]: text })],
      })),
    },
    accepts: [{ a: "1", x7: "1", y7: "1" }],
    refuses: [{ a: 1 }, { z: "1" }],
  },
  {
    says: "recursive definitions",
    schema: object(
      { tree: { $ref: "#/$defs/a~1tree" }, self: { $ref: "#" }, again: { $ref: "#named" } },
      {
        $defs: {
          "a/tree": object({ children: { type: "array", items: { $ref: "#/$defs/a~1tree" } }, value: text }),
          named: { $anchor: "named", type: ["string", "null"] },
        },
      },
    ),
    accepts: [{ tree: { children: [{ children: [], value: "x" }] }, self: { self: { again: null } } }],
    refuses: [{ tree: { children: [{ childs: [] }] } }, { self: { self: { again: 1 } } }],
  },
  {
    says: "a reference to itself, and one to another document, accept everything",
    schema: object(
      { loop: { $ref: "#/$defs/loop" }, other: { $ref: "https://example.com/schema" }, missing: { $ref: "#/nothing" } },
      { $defs: { loop: { $ref: "#/$defs/loop" } } },
    ),
    accepts: [{ loop: 1, other: [], missing: null }],
    refuses: [{ lop: 1 }],
  },
  {
    says: "keywords beside a reference apply as well",
    schema: object(
      { a: { $ref: "#/$defs/named", required: ["x"], properties: { y: text } } },
      { $defs: { named: object({ x: text }) } },
    ),
    accepts: [{ a: { x: "1", y: "2" } }],
    refuses: [{ a: { y: "2" } }, { a: { x: "1", z: "2" } }],
  },
  {
    says: "names that are no identifiers, or mean something else",
    schema: object(
      {
        "not-a-name": { type: "integer" },
        class: text,
        __private: text,
        int: { type: "integer" },
        str: text,
        Literal: { const: 1 },
        'with "quotes" and \\': text,
        größe: text,
        toString: text,
        constructor: { type: "number" },
      },
      { required: ["not-a-name", "int"] },
    ),
    accepts: [{ "not-a-name": 1, class: "c", __private: "p", int: 1, str: "s", Literal: 1, größe: "g" }],
    refuses: [{ "not-a-name": "1", int: 1 }, { int: 1 }, { "not-a-name": 1, int: "1" }],
  },
  {
    says: "an empty name",
    schema: object({ "": text }),
    accepts: [{ "": "x" }],
    refuses: [{ a: "x" }],
    acceptedInPython: [{ a: "x" }],
  },
  {
    says: "texts of any kind in comments and constants",
    schema: {
      title: HOSTILE,
      ...object({
        a: { type: "string", description: HOSTILE, deprecated: true },
        "b-c": { const: HOSTILE.toWellFormed(), title: HOSTILE },
      }),
    },
    accepts: [{ a: "x" }, { "b-c": HOSTILE.toWellFormed() }],
    refuses: [{ "b-c": "x" }],
  },
  {
    says: "schemas that are true, false or empty",
    schema: object({ any: true, none: false, empty: {}, list: { type: "array", items: false } }),
    accepts: [{ any: 1, empty: null, list: [] }],
    refuses: [{ none: 1 }, { list: [1] }],
  },
  {
    says: "maps, lists, lists of different entries, and null",
    schema: object({
      map: { type: "object", additionalProperties: { type: "number" } },
      record: { type: "object", patternProperties: { "^.*$": text } },
      list: { type: ["array", "null"], items: object({ x: { type: ["integer", "null"] } }) },
      pair: { type: "array", prefixItems: [text, { type: "number" }], items: false, minItems: 1 },
      free: { type: "object" },
    }),
    accepts: [
      { map: { a: 1 }, record: { a: "1" }, list: [{ x: null }, {}], pair: ["a", 1], free: { a: [{}] } },
      { list: null, pair: ["a"] },
    ],
    refuses: [{ map: { a: "1" } }, { record: { a: 1 } }, { list: [{ y: 1 }] }, { pair: [[]] }],
  },
  {
    says: "values of enum that are objects and lists",
    schema: object({ a: { enum: [{ x: 1, y: [true, null] }, [], "text", 0.5, null] } }),
    accepts: [{ a: { x: 1, y: [true, null] } }, { a: [] }, { a: "text" }, { a: 0.5 }, { a: null }],
    refuses: [{ a: { x: 2, y: [true, null] } }, { a: "other" }, { a: [1] }],
  },
  {
    says: "what cannot be valid is no alternative",
    schema: object(
      { a: text },
      {
        required: ["a"],
        anyOf: [{ properties: { a: { type: "number" } } }, { required: ["b"], properties: { b: text } }],
      },
    ),
    accepts: [{ a: "x", b: "y" }],
    refuses: [{ a: "x" }, { a: 1, b: "y" }],
  },
  {
    says: "deep nesting",
    schema: object({ a: nested(60) }),
    accepts: [{ a: { a: { a: {} } } }],
    refuses: [{ a: { a: { b: {} } } }],
  },
  {
    says: "not, patterns, formats and bounds accept more",
    schema: object({
      a: { type: "string", pattern: "^x$", format: "date", minLength: 3, not: { const: "y" } },
      b: { type: "array", items: text, minItems: 2, uniqueItems: true, contains: { const: "z" } },
    }),
    accepts: [{ a: "", b: ["q"] }],
    refuses: [{ a: 1 }, { b: [1] }],
  },
];

function nested(depth: number): object {
  return object({ a: depth === 0 ? text : nested(depth - 1) });
}
