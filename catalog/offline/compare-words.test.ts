import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { compareWords } from "./compare-words.ts";
import { wordsOfName } from "./fold-name.ts";
import { partCompanyName } from "./legal-forms.ts";

const words = (name: string) => wordsOfName(name, "parts");
const same = () => 1;
const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc
    .array(fc.constantFrom("ada", "ada", "adam", "müller", "mueller", "muller", "j", "van", "smyth", "smith", "2"), {
      maxLength: 6,
    })
    .map((parts) => parts.join(" ")),
);

test("a score lies between 0 and 1 and a name equals itself", () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      const { score } = compareWords(words(a), words(b), same, 0.5);
      assert.ok(score >= 0 && score <= 1);
      if (words(a).length > 0) assert.equal(compareWords(words(a), words(a), same, 0.5).score, 1);
    }),
  );
});

test("it does not matter which name is named first", () => {
  fc.assert(
    fc.property(name, name, (a, b) => {
      assert.equal(
        compareWords(words(a), words(b), same, 0.5).score,
        compareWords(words(b), words(a), same, 0.5).score,
      );
    }),
  );
});

test("the order of words does not matter, and is told", () => {
  const { score, same_order } = compareWords(words("ada berta example"), words("example ada berta"), same, 0.5);
  assert.deepEqual([score, same_order], [1, false]);
});

test("a name of a few characters that unfold into phrases stays short", () => {
  const unfolded = words("\ufdfa".repeat(200));
  assert.ok(unfolded.map((word) => word.text).join(" ").length <= 256);
});

test("a legal form is taken off once, the longest that fits", () => {
  const parted = partCompanyName(wordsOfName("Example GmbH & Co. KG", "joins"));
  assert.equal(parted.form?.form, "GmbH & Co. KG");
  assert.deepEqual(
    parted.words.map((word) => word.text),
    ["example"],
  );
});
