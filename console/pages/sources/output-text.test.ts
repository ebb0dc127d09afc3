import assert from "node:assert/strict";
import { test } from "node:test";
import { outputText } from "./output-text.ts";

test("a record without declared fields is the vendor's reply only where neither a map nor code makes it", () => {
  const request = { url: "https://api.acme.example/v1" };
  const mapped = "The record is made from the vendor's reply by the map below. No fields are declared.";
  assert.equal(outputText({ request, match: { record: "true" } }), "The vendor's reply, unchanged.");
  assert.equal(outputText({ request, map: { name: "body.name" } }), mapped);
  assert.equal(outputText({ request, map: "body.company" }), mapped);
  assert.equal(
    outputText("written in TypeScript"),
    "The record is defined by the code of the source. No fields are declared.",
  );
});
