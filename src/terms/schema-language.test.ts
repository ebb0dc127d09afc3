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
