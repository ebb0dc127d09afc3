import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { fromStorable, toStorable } from "./storable-text.ts";

const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
const awkwardText = fc.string({ unit: fc.constantFrom("\u0000", "\u001a", "\ud800", "\udc00", "0", "a", "é") });

test("any text is read back as it was stored, in a form that both engines can store", () => {
  fc.assert(
    fc.property(fc.oneof(anyText, awkwardText), (text) => {
      const stored = toStorable(text);
      assert.ok(stored.isWellFormed());
      assert.ok(!stored.includes("\u0000"));
      assert.equal(fromStorable(stored), text);
    }),
  );
});

test("ordinary text is stored unchanged", () => {
  for (const text of ["", "Ada & Söhne 🦉", '{"a":"\\u0000"}', "C:\\path\n"]) assert.equal(toStorable(text), text);
});
