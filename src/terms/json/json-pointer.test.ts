import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fieldAt, stepInto, stepsOf } from "./json-pointer.ts";

test("a pointer leads to the names that it was made from, whatever they contain", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (names) => {
      assert.deepEqual(stepsOf(names.reduce(stepInto, "")), names);
    }),
  );
  assert.equal(fieldAt("/address/city"), "address.city");
  assert.equal(fieldAt(""), "");
});
