import assert from "node:assert/strict";
import { test } from "node:test";
import { firstJsonError } from "./first-json-error.ts";

test("a text stops being JSON where the first wrong token begins, or at the end", () => {
  const places: Record<string, string> = {
    '{"a": 1,}': "line 1, column 9",
    '{\n  "a": x\n}': "line 2, column 8",
    '{"a": tru}': "line 1, column 7",
    '{"a" 1}': "line 1, column 6",
    "[1 2]": "line 1, column 4",
    "[1,]": "line 1, column 4",
    '{"a": 1': "line 1, column 8",
    "": "line 1, column 1",
    "{} x": "line 1, column 4",
    "[1}": "line 1, column 3",
    "{1: 2}": "line 1, column 2",
    '["a\nb"]': "line 1, column 2",
    "01": "line 1, column 2",
    "{'a': 1}": "line 1, column 2",
  };
  for (const [text, place] of Object.entries(places)) assert.equal(firstJsonError(text), place, text);
});

test("a location is found in exactly the texts that the platform refuses", () => {
  const pieces = ["{", "}", "[", "]", ",", ":", '"a"', "1", "-0.5e3", "true", "null", " ", "\n", "tru", '"', "01", "-"];
  let seed = 7;
  const chance = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const good = { a: [1, { b: [] }, {}, "x\\u00e9", null], c: -1.5e-3 };
  let right = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const text =
      round % 2 === 0
        ? Array.from({ length: 1 + chance(7) }, () => pieces[chance(pieces.length)]).join("")
        : slipped(JSON.stringify(good), chance);
    if (isJson(text)) right += 1;
    assert.equal(firstJsonError(text) === null, isJson(text), text);
  }
  assert.ok(right > 100, "some of the texts are JSON");
});

/** The text with one character removed, or unchanged. */
function slipped(text: string, chance: (below: number) => number): string {
  const at = chance(text.length + 5);
  return text.slice(0, at) + text.slice(at + 1);
}
