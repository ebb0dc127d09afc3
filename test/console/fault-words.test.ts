import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FAULT_NAMES, FAULTS as WORDS } from "../../console/pages/runs/fault-words.ts";
import { MAGIC } from "../../src/simulation/magic-inputs.ts";
import { FAULTS } from "../../src/terms/fault.ts";

test("a run's page has words for every kind of failure that a call can end with, and for no other", () => {
  const kinds = Object.values(FAULTS).flatMap(({ surface, kind }) => (surface === "source" ? [kind] : []));
  for (const words of [WORDS, FAULT_NAMES])
    assert.deepEqual(Object.keys(words).toSorted(), [...new Set<string>(kinds)].toSorted());
});

test("the Run page offers every failure that can be simulated, and no other", () => {
  // Node does not read JSX, so the list is taken from the text of the module.
  const text = readFileSync(new URL("../../console/pages/run/simulate-fields.tsx", import.meta.url), "utf8");
  const [, list] = /const FAILURES = \{(.*?)\} as const/s.exec(text)!;
  const names = [...list!.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!);
  assert.deepEqual(names.toSorted(), MAGIC.toSorted());
});
