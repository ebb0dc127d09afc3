import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaProblem } from "./schema-language.ts";

test("a problem in a schema is reported with its location, in the same words as for values", () => {
  assert.equal(schemaProblem({ type: "object", properties: { name: { type: "string" } } }), null);
  assert.deepEqual(schemaProblem({ properties: { "a/b": { minLength: "2" } } }), {
    path: ["properties", "a/b", "minLength"],
    isPattern: false,
    message: "must be an integer",
  });
  const backReference = schemaProblem({ properties: { name: { pattern: "(a)\\1" } } });
  assert.deepEqual([backReference?.path, backReference?.isPattern], [["properties", "name", "pattern"], true]);
});

test("a schema that would take seconds to compile is refused", () => {
  const parts = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`p${at}`, {}]));
  assert.match(schemaProblem({ properties: parts })!.message, /^must NOT have more than 2000 schemas in it$/);
  const { p0: _, ...fewer } = parts;
  assert.equal(schemaProblem({ properties: fewer }), null);
});

test("one $anchor for two schemas is refused, unless they are the same or belong to other resources", () => {
  const twice = (more: object) => ({
    $defs: { a: { $anchor: "x", type: "string" }, b: { $anchor: "x", type: "string", ...more } },
    items: { $ref: "#x" },
  });
  assert.deepEqual(schemaProblem(twice({ type: "integer" })), {
    path: ["$defs", "b", "$anchor"],
    isPattern: false,
    message: "must NOT give one $anchor to two schemas",
  });
  assert.equal(schemaProblem(twice({})), null);
  assert.equal(schemaProblem(twice({ $id: "https://vendor.example/b", type: "integer" })), null);
});
