import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULTS as WORDS } from "../../console/pages/runs/fault-words.ts";
import { FAULTS } from "../../src/terms/fault.ts";

test("a run's page has words for every kind of failure that a call can end with, and for no other", () => {
  const kinds = Object.values(FAULTS).flatMap(({ surface, kind }) => (surface === "source" ? [kind] : []));
  assert.deepEqual(Object.keys(WORDS).toSorted(), [...new Set<string>(kinds)].toSorted());
});
