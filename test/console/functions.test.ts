import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { startService } from "../rig/service.ts";
import { until } from "../rig/until.ts";

const CODE = `// Adds two numbers. <script>alert(1)</script>
export default {
  id: "dfunc_sum",
  title: "Adds <b>two</b>",
  description: "Adds. See [x](javascript:alert(1)) and https://acme.example/sum.",
  inputs: { type: "object", properties: { a: { type: "number", examples: [1] }, b: { type: "number" } }, required: ["a"] },
  run: ({ inputs, log }) => { log.info("adding"); return { output: { sum: inputs.a + inputs.b } }; },
  cases: [
    { name: "adds", inputs: { a: 1, b: 2 }, expect: { output: { sum: 3 } } },
    { name: "adds wrongly", inputs: { a: 1, b: 2 }, expect: { output: { sum: 4 } } },
  ],
};
`;

function projectWith(t: TestContext, file: string, text: string): string {
  const project = mkdtempSync(join(tmpdir(), "datarun-functions-"));
  t.after(() => rmSync(project, { recursive: true }));
  mkdirSync(join(project, "functions"));
  writeFileSync(join(project, "functions", file), text);
  return project;
}

test("a function shows its code as written, and runs its cases", { skip: NO_BROWSER }, async (t) => {
  const { service, verb } = await startWorld(t, "none", { project: projectWith(t, "sum.mjs", CODE) });
  const run = (inputs: object) => service.post("/func", { config: { data_func: "dfunc_sum" }, inputs });
  await Promise.all([run({ a: 1, b: 2 }), run({ a: 2, b: 3 }), run({ a: "not a number" })]);
  const lastDay = async () => (await verb("function activity", { function: "dfunc_sum" })).activity[0]?.runs;
  await until(async () => (await lastDay()) === 3);
  const page = await openConsole(t, service, { as: "operator", at: "/functions" });
  await page.getByRole("row", { name: /Adds <b>two<\/b> .* 3 1 0 [\d.]+ m?s/ }).waitFor();
  await page.getByLabel("Find").fill("nothing");
  await page.getByText("No function matches the filter.").waitFor();
  await page.getByLabel("Find").fill("sum");
  await assertUsableEverywhere(page);
  await page.getByRole("link", { name: "Adds <b>two</b>" }).click();
  await page.getByRole("heading", { level: 1, name: "Adds <b>two</b>" }).waitFor();

  const day = page.getByRole("region", { name: "Runs", exact: true });
  await day.getByText("2 (67 %)").waitFor();
  await day.getByText("1 function.").waitFor();
  await page.getByText("nothing in the last 28 days, 3 runs").waitFor();
  await day.getByRole("link", { name: "Show the runs" }).click();
  await page.waitForURL(/\/runs\?function=dfunc_sum&range=24h$/);
  await until(async () => (await page.getByRole("table", { name: "Runs" }).getByRole("row").count()) === 4);
  await page.getByRole("combobox", { name: "Function" }).fill("dfunc_none");
  await page.keyboard.press("Enter");
  await page.getByText("datarun ledger list --function dfunc_none").waitFor();
  await page.goBack();
  await page.goBack();

  const code = page.getByRole("region", { name: "Code of dfunc_sum" });
  assert.equal(await code.textContent(), CODE);
  assert.equal(await code.locator(".code-line").count(), CODE.trimEnd().split("\n").length);
  assert.equal(
    await page.getByRole("link", { name: "Open in Run" }).getAttribute("href"),
    "/console/run?function=dfunc_sum",
  );
  assert.equal(await page.locator("main b, main script").count(), 0);
  const outward = page.locator("main a[target=_blank]");
  assert.deepEqual(await outward.evaluateAll((links) => links.map((link) => link.getAttribute("href"))), [
    "https://acme.example/sum",
  ]);

  await page.getByRole("button", { name: "Run its cases" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("2 cases ran: 1 differ.").waitFor();
  const cases = page.getByRole("table", { name: "Cases" });
  await cases.getByRole("row", { name: /^adds .* success as expected$/ }).waitFor();
  await cases
    .getByRole("row", { name: /adds wrongly .* differs output\/sum: expected 4, found 3 info: adding/ })
    .waitFor();
  await assertUsableEverywhere(page);
});

test("where there is no function, the page says how to write the first", { skip: NO_BROWSER }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, {
    as: "viewer",
    at: "/functions",
    failing: /function\/(show|activity|versions)/,
  });
  await page.getByText("There is no function yet.").waitFor();
  await page.goto(`${service.adminUrl}/console/functions/dfunc_none`);
  await page.getByRole("alert").filter({ hasText: "There is no function" }).waitFor();
});

test("a function shows what its shadow runs found", { skip: NO_BROWSER }, async (t) => {
  const { service } = await startWorld(t, "none", { project: projectWith(t, "sum.mjs", CODE) });
  const { workflow } = service.a;
  const [version] = await service.operator.versionsOf("dfunc_sum");
  const named = `1 (${version!.slice(0, 6)})`;
  const ids = Array.from({ length: 30 }, (_, at) => `trx_${String(at).padStart(32, "0")}`);
  const counts = { same: 7, different: 30, missing: 0, added: 0, failed: 2, unrecorded: 1 };
  const about = { workflowId: workflow, functionId: "dfunc_sum", version: version!, counts };
  await service.operator.addShadowResults([
    { ...about, field: "", transactionIds: ids },
    { ...about, field: "sum", transactionIds: ids.slice(1) },
  ]);
  const page = await openConsole(t, service, { as: "viewer", at: "/functions/dfunc_sum" });
  const table = page.getByRole("table", { name: "Shadow runs" });
  await table.getByRole("row", { name: `${workflow} ${named} the whole result 7 30 0 0 2 1` }).waitFor();
  await table.getByRole("row", { name: `${workflow} ${named} sum 7 30 0 0 2 1` }).waitFor();
  const differing = page.getByRole("table", { name: "Runs that differ" });
  await differing.getByRole("row", { name: `${ids[0]} ${named} the result as a whole` }).waitFor();
  await differing.getByRole("row", { name: `${ids[1]} ${named} sum` }).waitFor();
  assert.equal(await differing.getByRole("row").count(), 21, "its head and the newest");
  await assertUsableEverywhere(page);
});

test("a function without cases shows the sources that its newest runs called", { skip: NO_BROWSER }, async (t) => {
  const code = `export default { id: "dfunc_ask", title: "Asks", inputs: {},
    async run({ run }) { return { output: { found: (await run("registry__company", { number: "1" })).match } }; } };`;
  const { service, verb } = await startWorld(t, "none", { project: projectWith(t, "ask.mjs", code) });
  const page = await openConsole(t, service, { as: "viewer", at: "/functions/dfunc_ask" });
  await page.getByText("unknown: it has no cases and no runs").waitFor();
  await service.post("/func", { config: { data_func: "dfunc_ask" }, inputs: {} });
  await until(async () => (await verb("ledger list", { function: "dfunc_ask" })).runs.length === 1);
  await page.reload();
  await page.getByText("in its newest runs").waitFor();
  await page.getByRole("main").getByRole("link", { name: "registry__company" }).waitFor();
});
