import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../terms/json/json.ts";
import { compareShapes } from "./compare-shapes.ts";
import { createMasking, maskText, maskValues } from "./mask-values.ts";

test("a masked text keeps its form and nothing of its data", () => {
  assert.equal(maskText("Ada Lovelace, 12 St. James's"), "Xxx Xxxxxxxx, 12 Xx. Xxxxx'x");
  assert.equal(maskText("GB 987-65"), "XX 123-45");
  assert.equal(maskText("Ærøskøbing 東京"), "Xxxxxxxxxx xx");
  assert.equal(maskText("1862-05-01"), "2001-02-03");
  assert.equal(maskText("1862-05-01T11:22:33.456Z"), "2001-02-03T04:05:06.000Z");
  assert.equal(maskText("1862-05-01T11:22+02:00"), "2001-02-03T04:05+00:00");
  assert.equal(maskText("https://ada.example/me?x=1"), "https://vendor.example/xx?x=1");
});

test("words that are kept, flags and single digits stay; keys that are data do not", () => {
  const masked = maskValues(
    { result: "FOUND", valid: true, count: 3, score: 87.5, "ada@home.example": null },
    createMasking(new Set(["FOUND"]), new Set()),
  );
  assert.deepEqual(masked, { result: "FOUND", valid: true, count: 3, score: 12.3, "xxx@xxxx.xxxxxxx": null });
});

test("no letter of any text survives, and the shape does, whatever the answer", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 20 });
  const answers = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b_c", "D"), tie("tree")),
    ) as fc.Arbitrary<Json>,
  })).tree;
  fc.assert(
    fc.property(answers, (answer) => {
      const masked = maskValues(answer, createMasking(new Set(), new Set(["D"])));
      assert.deepEqual(compareShapes(answer, masked), []);
      for (const text of textsIn(masked)) {
        if (!text.startsWith("https://vendor.example/"))
          assert.match(text.replaceAll(/^2001-02-03[T ]?|Z$/g, ""), /^[^\p{Lu}\p{Ll}]*$|^(?:[Xx]|\P{L})*$/u);
      }
    }),
  );
});

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((part) => textsIn(part as Json))
    : [];
}

test("answers are compared by their shape: items of a list together, null as any type", () => {
  const says = compareShapes(
    { a: 1, list: [{ b: "x" }, { b: "y", c: null }], gone: {} },
    { a: "1", list: [{ b: "z", c: 2, d: true }] },
  );
  assert.deepEqual(says, [
    "a is a number in the case and a string in the reply",
    "gone is in the case but not in the reply",
    "list.*.d is in the reply but not in the case",
  ]);
});
