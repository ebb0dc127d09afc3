import assert from "node:assert/strict";
import { after, test } from "node:test";
import { join } from "node:path";
import { renderFunctionReport, runFunctionCases } from "../../src/simulation/run-function-cases.ts";
import { openSources } from "../../src/project/open-catalogs.ts";
import { openFunctions } from "../../src/project/open-functions.ts";
import { PACKAGE_ROOT } from "../../src/project/package-root.ts";
import { systemClock } from "../../src/terms/time/clock.ts";

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };
const { all } = await openSources(undefined);
const functions = await openFunctions({
  catalog: join(PACKAGE_ROOT, "catalog"),
  project: undefined,
  clock: systemClock,
  log: QUIET,
  dataDirs: [],
  processes: 1,
  spare: false,
});
// Before the first test: when those that there are have ended, the functions are closed.
const listed = await Promise.all(functions.list().map(async (each) => ({ ...each, own: await each.readCases() })));
after(() => functions.close());
const parts = { functions, sources: { find: (id: string) => all.get(id)?.source }, clock: systemClock };

test("every function file of the catalog can be used and lies where its id says", () => {
  assert.deepEqual(functions.problems, []);
  assert.ok(functions.list().length >= 3);
});

for (const { id, own, description, inputs, output } of listed) {
  test(`${id} does in every case what the case says`, async () => {
    const report = await runFunctionCases(id, own, parts);
    assert.ok(report.passed, renderFunctionReport(report));
  });

  test(`${id} has at least eight cases: some with scripted sources, some with real ones, one that fails`, () => {
    assert.ok(own.length >= 8);
    assert.ok(own.some(({ sources }) => sources !== undefined));
    assert.ok(own.some(({ sources, expect }) => sources === undefined && (expect.called?.length ?? 0) > 0));
    assert.ok(own.some(({ expect }) => expect.success === false));
  });

  test(`${id} says what it does and what comes out`, () => {
    assert.ok((description ?? "").length > 300);
    assert.ok(output !== undefined);
    assert.ok(inputs !== undefined || (description ?? "").includes("inputs"));
  });
}

test("each reason code that a function can give is in its description", async () => {
  for (const { id, file, description } of functions.list()) {
    const { readFileSync } = await import("node:fs");
    const codes = [...readFileSync(file, "utf8").matchAll(/\.(?:find|miss)\(\s*"\w+",\s*"(\w+)"/g)].map(
      (match) => match[1]!,
    );
    for (const code of codes.filter(
      (code) => !/_not_(checked|compared|recognised)$|_assumed$|_needs_country$/.test(code),
    ))
      assert.ok(description?.includes(`\`${code}\``), `${id}: ${code}`);
  }
});
