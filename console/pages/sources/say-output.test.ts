import assert from "node:assert/strict";
import { test } from "node:test";
import { sayOutput } from "./say-output.ts";

test("a record without declared fields is the vendor's reply only where neither a map nor code makes it", () => {
  const request = { url: "https://api.acme.example/v1" };
  const mapped = "Its map, shown below, makes a record of the vendor's reply. No fields are declared.";
  assert.equal(sayOutput({ request, match: { record: "true" } }), "The vendor's own reply, unchanged.");
  assert.equal(sayOutput({ request, map: { name: "body.name" } }), mapped);
  assert.equal(sayOutput({ request, map: "body.company" }), mapped);
  assert.equal(sayOutput("written in TypeScript"), "Its code says what a record is. No fields are declared.");
});
