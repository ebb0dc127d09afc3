import assert from "node:assert/strict";
import { test } from "node:test";
import { displayWidth } from "./align-columns.ts";
import { renderResult } from "./cli/render.ts";

test("a text is as wide as a terminal shows it", () => {
  for (const [text, width] of [
    ["", 0],
    ["plain", 5],
    ["Zoë", 3],
    ["Zoe\u0308", 3],
    ["\u0308", 0],
    ["株式会社", 8],
    ["ｶﾌﾞ", 3],
    ["한국", 4],
    ["\u1112\u1161\u11ab", 2],
    ["Ｗ", 2],
    ["👩‍👩‍👧", 2],
    ["🇳🇱", 2],
    ["❤️", 2],
    ["❤", 1],
    ["a\u200bb", 2],
    ["→", 1],
    ["Ελλάς", 5],
    ["𠮷", 2],
  ] as const)
    assert.equal(displayWidth(text), width, JSON.stringify(text));
});

test("the columns of a table stand below each other, whatever is in them", () => {
  const rows = ["Acme", "株式会社", "👩‍👩‍👧 und Zoe\u0308"].map((name) => ({ name, id: "x" }));
  const lines = renderResult({ rows }).trimEnd().split("\n");
  const starts = lines.map((line) => displayWidth(line.slice(0, line.search(/\S+$/))));
  assert.deepEqual(new Set(starts).size, 1, lines.join("\n"));
});
