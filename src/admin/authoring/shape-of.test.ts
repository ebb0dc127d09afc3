import assert from "node:assert/strict";
import { test } from "node:test";
import { shapeOf } from "./shape-of.ts";

test("a shape has paths and types, and lists are one path for all their items", () => {
  const document = { name: "Ada", age: 36, tags: ["a", null], firms: [{ lei: "x" }, { lei: null, active: true }] };
  assert.deepEqual(shapeOf(document, new Set()), {
    "": "object",
    name: "text",
    age: "number",
    tags: "list",
    "tags[]": "null or text",
    firms: "list",
    "firms[]": "object",
    "firms[].lei": "null or text",
    "firms[].active": "boolean",
  });
  assert.deepEqual(shapeOf("x", new Set()), { "": "text" });
});

test("names that may be data are not in a shape, unless the source's file has them", () => {
  const data = { "ada@example.com": 1, "Ada Lovelace": 1, Ada: 1, "00000006": 1, p123456: 1, x: 1, BODS: 1, "@id": 1 };
  assert.deepEqual(shapeOf(data, new Set(["BODS"])), {
    "": "object",
    "*": "number",
    x: "number",
    BODS: "number",
    "@id": "number",
  });
  const map = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${"abcdefghij"[at % 10]}${at % 11}x`, at]));
  const shown = Object.keys(
    shapeOf(
      {
        by: {
          ...map,
          ...Object.fromEntries([...Array(101).keys()].map((at) => [`n${"a".repeat(at % 30)}${at % 7}`, at])),
        },
      },
      new Set(),
    ),
  );
  assert.deepEqual(shown, ["", "by", "by.*"]);
});

test("a shape is bounded", () => {
  const deep = Object.fromEntries(
    [..."abcdefghijklmnopqrstuvwxyz"].map((one) => [
      one,
      Object.fromEntries([..."abcdefghijklmnopqrstuvwxyz"].map((two) => [two, 1])),
    ]),
  );
  assert.equal(Object.keys(shapeOf(deep, new Set())).length, 500);
});
