import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, problemsAt, readTexts } from "./form-fields.ts";

const named = (schema: object) => Object.fromEntries(fieldsOf(schema).map((field) => [field.name, field]));

test("a field for every property, also of the forms that only some objects have", () => {
  const fields = named({
    type: "object",
    required: ["lei"],
    properties: {
      lei: { type: "string", title: "LEI", description: "ISO 17442", examples: ["529900T8BM49AURSDO55"] },
      kind: { $ref: "#/$defs/kind", description: "Which register" },
    },
    $defs: { kind: { enum: ["bank", 7, true] } },
    allOf: [{ required: ["city"], properties: { city: { type: "string" } } }],
    anyOf: [
      { required: ["npi"], properties: { npi: { type: "string", minLength: 2 }, lei: {} } },
      { properties: { last_name: { type: "string" } } },
    ],
  });
  assert.deepEqual(
    Object.values(fields).map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired]),
    [
      ["lei", "LEI", "text", true],
      ["kind", "Kind", "choice", false],
      ["city", "City", "text", true],
      ["npi", "NPI", "text", false],
      ["last_name", "Last name", "text", false],
    ],
  );
  assert.deepEqual(fields["lei"]!.examples, ["529900T8BM49AURSDO55"]);
  assert.deepEqual(fields["kind"]!.choices, ["bank", "7", "true"]);
  assert.equal(fields["kind"]!.description, "Which register");
});

test("keys in PEM have several lines, and what is only written is secret", () => {
  const fields = named({
    properties: {
      key: { type: "string", writeOnly: true, examples: ["-----BEGIN\nexample"] },
      authority: { type: "string", description: "PEM" },
      password: { type: "string", format: "password" },
    },
  });
  assert.deepEqual([fields["key"]!.kind, fields["key"]!.isSecret], ["lines", true]);
  assert.deepEqual([fields["authority"]!.kind, fields["authority"]!.isSecret], ["lines", false]);
  assert.deepEqual([fields["password"]!.kind, fields["password"]!.isSecret], ["text", true]);
});

test("texts become the values of the schema, or a problem at their field", () => {
  const fields = fieldsOf({
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      rate: { type: ["number", "null"] },
      active: { type: "boolean" },
      level: { enum: [1, "1", "two"] },
      tags: { type: "array" },
      address: { type: "object" },
      anything: {},
      empty: { type: "string" },
    },
  });
  const read = (texts: Record<string, string>) => readTexts(fields, texts);
  assert.deepEqual(
    read({
      name: " Ada ",
      age: "42",
      rate: "-.5e1",
      active: "false",
      level: "two",
      tags: '["a"]',
      address: '{"city":"Rom"}',
      anything: "null",
      empty: "  ",
      other: "not of the form",
    }),
    {
      values: {
        name: " Ada ",
        age: 42,
        rate: -5,
        active: false,
        level: "two",
        tags: ["a"],
        address: { city: "Rom" },
        anything: null,
      },
      problems: {},
    },
  );
  const { values, problems } = read({ age: "0x10", level: "3", tags: '{"a":1}', address: "[1", anything: "{" });
  assert.deepEqual(values, {});
  assert.match(problems["age"]!, /number/);
  assert.match(problems["level"]!, /not one of the allowed values/);
  assert.match(problems["tags"]!, /a list/);
  assert.match(problems["address"]!, /^is not JSON/);
  assert.match(problems["anything"]!, /^is not JSON/);
});

test("a refusal's problems are at the fields that they are about", () => {
  const problems = [
    { path: "/fields/api_key", message: "is required" },
    { path: "/fields/a~1b/0", message: "must be text" },
    { path: "/org", message: "must be an id" },
  ];
  assert.deepEqual(problemsAt({ problems }, "/fields"), { api_key: "is required", "a/b": "0 must be text" });
  assert.deepEqual(problemsAt(undefined, "/fields"), {});
});
