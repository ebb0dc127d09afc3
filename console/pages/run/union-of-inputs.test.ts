import assert from "node:assert/strict";
import { test } from "node:test";
import { toText } from "../../parts/form-fields.ts";
import { assignRefusals, unionOfInputs, withExamples } from "./union-of-inputs.ts";

const readers = [
  {
    source: "acme__people",
    inputs: { properties: { name: { type: "string" }, level: { enum: [1, 2] }, id: { type: "integer" } } },
  },
  {
    source: "bell__phone",
    inputs: {
      required: ["phone"],
      properties: {
        name: { type: "string", title: "Full name", examples: ["Ada"] },
        level: { enum: [2, "three"] },
        id: { type: "string", description: "As the vendor writes it" },
        phone: { type: "string" },
      },
    },
  },
];

test("one field for every name, with what any source says of it and who reads it", () => {
  const fields = unionOfInputs(readers);
  assert.deepEqual(
    fields.map(({ name, label, kind, readBy, requiredBy }) => [name, label, kind, readBy.length, requiredBy]),
    [
      ["phone", "Phone", "text", 1, ["bell__phone"]],
      ["name", "Full name", "text", 2, []],
      ["level", "Level", "choice", 2, []],
      ["id", "ID", "text", 2, []],
    ],
  );
  assert.deepEqual(fields.find(({ name }) => name === "level")!.choices, ["1", "2", "three"]);
  assert.deepEqual(fields.find(({ name }) => name === "name")!.examples, ["Ada"]);
});

test("what a source refuses is at its field, and what is about none of them is said of the whole", () => {
  const { problems, elsewhere } = assignRefusals(
    [
      { source: "carl__registry", path: "", message: "has none of the forms that it may have" },
      { source: "acme__people", path: "/name", message: "must have at least 2 characters" },
      { source: "bell__phone", path: "/name/0", message: "must be text" },
      { source: "bell__phone", path: "/phone", message: "is required" },
      { source: "bell__phone", path: "", message: "has none of the forms that it may have" },
    ],
    [
      ...readers,
      { source: "carl__registry", inputs: { anyOf: [{ required: ["npi"] }, { required: ["first", "last"] }] } },
    ],
  );
  assert.deepEqual(problems, {
    name: "must have at least 2 characters (acme__people); 0 must be text (bell__phone)",
    phone: "is required",
  });
  assert.deepEqual(elsewhere, [
    "carl__registry needs npi, or first and last.",
    "bell__phone says of the inputs: has none of the forms that it may have",
  ]);
});

test("examples fill what is empty, and change nothing that was typed", () => {
  const examples = [
    { name: "Ada", tags: ["a"] },
    { name: "Grace", phone: 7 },
  ];
  assert.deepEqual(withExamples({ name: "Mine", phone: " " }, examples, toText), {
    name: "Mine",
    tags: '[\n  "a"\n]',
    phone: "7",
  });
});
