import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECK_CODES } from "../../src/composition/commands/check/findings.ts";
import { FIXTURES, onStore, sourceText, write } from "./fixtures.ts";
import { check, place, placeOf, refusalOf, stopping } from "./place.ts";

/** Only a whole process can show what fails after a file was loaded: see `command.test.ts`. */
const OF_A_PROCESS = "project.failed_afterwards";

test("every code has a fixture", () => {
  const shown = new Set<string>(FIXTURES.map(({ code }) => code));
  assert.deepEqual(
    CHECK_CODES.filter((code) => !shown.has(code)),
    [OF_A_PROCESS],
  );
});

test("nothing is found where nothing is wrong, with everything asked for", async (t) => {
  const { options, project, dataDir } = place(t, { production: true, connect: true });
  write(project, { "datarun.config.mjs": `export default { catalog: ["iso__*"] };` });
  const environment = { ...options.environment, ...(await onStore(dataDir, async () => {})) };
  assert.deepEqual(await check({ ...options, environment }), []);
  assert.deepEqual(await refusalOf({ ...options, environment }), []);
});

test("plain http to this machine, and from a source without inputs, is no finding", async (t) => {
  const { options, project } = place(t, { production: true });
  const inputs = `inputs: { type: "object", properties: { number: { type: "string" } } },`;
  write(project, {
    "sources/here.mjs": sourceText(
      "acme__here",
      `${inputs} origins: ["http://localhost:8080", "http://127.0.0.2", "http://[::1]:81", "http://v.localhost"],`,
    ),
    "sources/rates.mjs": sourceText("acme__rates", `origins: ["http://rates.example"],`),
    "sources/safe.mjs": sourceText("acme__safe", `${inputs} origins: ["https://a.example", "https://*.b.example"],`),
  });
  const plain = (await check(options)).filter(({ code }) => code === "production.plain_http");
  assert.deepEqual(plain, []);
});

for (const fixture of FIXTURES) {
  test(`${fixture.code}: ${fixture.name}`, async (t) => {
    const prepared = await placeOf(t, fixture);

    const findings = await check(prepared);

    const codes = new Set(findings.map(({ code }) => code));
    assert.deepEqual([...codes].sort(), [fixture.code, ...(fixture.also ?? [])].sort(), JSON.stringify(findings));
    const found = findings.find(({ code }) => code === fixture.code)!;
    assert.match(found.says, fixture.says);
    if (fixture.line !== undefined) assert.equal(found.line, fixture.line);
    // With whatever is wrong, more can be asked for, and finds at least the same.
    const more = await check({ ...prepared, production: true });
    if (fixture.asked !== "connect") assert.ok(more.some(({ code }) => code === fixture.code));
    const refusal = await refusalOf(prepared);
    assert.deepEqual([...stopping(findings)].sort(), [...refusal].sort(), "what a start says");
  });
}
