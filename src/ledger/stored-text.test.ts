import assert from "node:assert/strict";
import test from "node:test";
import * as fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { toStored } from "./stored-text.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("\0", "\ud800", "\udc00", "\\", "u", "0", "a", "\n", "\u2028", "\u202e"), { maxLength: 8 })
    .map((parts) => parts.join("")),
);

test("two different texts are stored differently", () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => assert.equal(toStored(one) === toStored(other), one === other)),
  );
});

test("a stored text comes back from the database as it went in, on one line", () => {
  const database = new DatabaseSync(":memory:");
  const echo = database.prepare("SELECT ? AS text");
  fc.assert(
    fc.property(anyText, (text) => {
      const stored = toStored(text);
      assert.equal((echo.get(stored) as { text: string }).text, stored);
      assert.ok(stored.isWellFormed());
      assert.doesNotMatch(stored, /[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
  database.close();
});

test("an ordinary id is stored unchanged", () => {
  for (const id of ["companies_house__company_profile", "https://api.acme.example:8443", "größe__名前"]) {
    assert.equal(toStored(id), id);
  }
});
