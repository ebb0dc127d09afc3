import assert from "node:assert/strict";
import { test } from "node:test";
import { idsIn, splitByIds } from "./split-by-ids.ts";

test("a sentence is split at its ids, and what only looks like one is text", () => {
  const [org, workflow] = [`org_${"0".repeat(32)}`, `wfl_${"a".repeat(32)}`];
  const sentence = `The budget of ${org}, ${workflow} (org_1) is used, ${org}.`;
  assert.deepEqual(splitByIds(sentence), ["The budget of ", org, ", ", workflow, " (org_1) is used, ", org, "."]);
  assert.deepEqual(idsIn(sentence), [org, workflow, org]);
  assert.equal(splitByIds(sentence).join(""), sentence);
  assert.deepEqual([splitByIds(""), idsIn(`x${org}`)], [[], []]);
});
