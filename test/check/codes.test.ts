import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECKS } from "../../src/composition/commands/check/findings.ts";
import { FIXTURES } from "./fixtures.ts";
import { check, placeOf, refusalOf, stopping } from "./place.ts";

/** The first fixture of each code. `findings.test.ts` has all of them, and more that is asked of each. */
const FIRST = [...Map.groupBy(FIXTURES, ({ code }) => code).values()].map(([first]) => first!);

for (const fixture of FIRST) {
  const { code, name, says, also = [] } = fixture;
  test(`${code} is found, and nothing else: ${name}`, async (t) => {
    const prepared = await placeOf(t, fixture);
    const findings = await check(prepared);
    const found = [...new Set(findings.map((finding) => finding.code))];
    assert.deepEqual(found.sort(), [code, ...also].sort(), JSON.stringify(findings));
    assert.match(findings.find((finding) => finding.code === code)!.says, says);
    // What a start refuses costs no start.
    if ("stopsStart" in CHECKS[code])
      assert.deepEqual([...stopping(findings)].sort(), [...(await refusalOf(prepared))].sort(), "what a start says");
  });
}
