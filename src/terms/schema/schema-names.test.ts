import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredField } from "./schema-names.ts";

const PERSON = { type: "object", properties: { age: {} } };
const ANY_NAMES = { type: "object", additionalProperties: PERSON };
const ADA = { Ada: { age: 5 } };

test("a location has the names that its schema declares, and a star for each other one", () => {
  for (const [schema, value, pointer, field] of [
    [PERSON, { age: 5 }, "/age", "age"],
    [PERSON, { age: 5 }, "", ""],
    [PERSON, { Ada: 5 }, "/Ada", "*"],
    [ANY_NAMES, ADA, "/Ada/age", "*.age"],
    [ANY_NAMES, { age: { age: { Ada: 5 } } }, "/age/age/Ada", "*.age.*"],
    [{ properties: { age: {} }, additionalProperties: PERSON }, { age: { age: 5 } }, "/age/age", "age.*"],
    [{ unevaluatedProperties: PERSON }, ADA, "/Ada/age", "*.age"],
    [{ patternProperties: { "^A": PERSON } }, ADA, "/Ada/age", "*.age"],
    [{ additionalProperties: { required: ["born"] } }, ADA, "/Ada/born", "*.born"],
    [{ propertyNames: { maxLength: 2 } }, ADA, "/Ada", "*"],
    [true, ADA, "/Ada/age", "*.*"],
    [{ properties: { "a/b": PERSON } }, { "a/b": ADA }, "/a~1b/Ada", "a/b.*"],
    [PERSON, { constructor: 5 }, "/constructor", "*"],
    [PERSON, { ["a".repeat(300)]: 5 }, `/${"a".repeat(199)}…`, "*"],
  ] as const)
    assert.equal(declaredField(schema as object, value, pointer), field, JSON.stringify([schema, pointer]));
});

test("the place in a list is shown, and a number that is the name of a member is not", () => {
  const list = { properties: { list: { items: PERSON } } };
  assert.equal(declaredField(list, { list: [{}, { Ada: 5 }] }, "/list/1/Ada"), "list.1.*");
  assert.equal(declaredField(list, { list: [{}, { age: 5 }] }, "/list/1/age"), "list.1.age");
  assert.equal(declaredField(list, { list: { 19151210: 5 } }, "/list/19151210"), "list.*");
  for (const schema of [{ prefixItems: [{}, PERSON] }, { contains: PERSON }, { unevaluatedItems: PERSON }])
    assert.equal(declaredField(schema, [{}, { age: 5 }], "/1/age"), "1.age", JSON.stringify(schema));
  assert.equal(declaredField({ items: PERSON, additionalProperties: {} }, ADA, "/Ada/age"), "*.*");
});

test("a name that any branch or reference declares for the same value is declared", () => {
  const branches = {
    $ref: "#/$defs/named",
    anyOf: [{ allOf: [{ properties: { b: { oneOf: [PERSON, {}] } } }] }],
    if: { properties: { c: {} } },
    dependentSchemas: { a: { properties: { d: {} } } },
    not: { properties: { hidden: {} } },
    $defs: { named: { properties: { a: { $ref: "#/$defs/named" } } } },
  };
  const value = { a: { a: 1, b: 1 }, b: { age: 1, Ada: 1 }, c: 1, d: 1, hidden: 1 };
  const fields = ["/a", "/a/a", "/a/b", "/b/age", "/b/Ada", "/c", "/d", "/hidden"];
  assert.deepEqual(
    fields.map((pointer) => declaredField(branches, value, pointer)),
    ["a", "a.a", "a.*", "b.age", "b.*", "c", "d", "*"],
  );
});
