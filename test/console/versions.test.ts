import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";

const CODE = (decision: string) => `// Decides. <script>alert(1)</script>
export default {
  id: "dfunc_v",
  title: "Decides",
  run: async ({ run }) => {
    await run("ok__echo", {});
    return { output: { decision: "${decision}", reason: "the longest of all reasons, which no narrow window shows on one line" } };
  },
};
`;

test(
  "a function shows its versions and how two differ, and a run shows the versions that made it",
  { skip: NO_BROWSER },
  async (t) => {
    const folder = project(t, { "functions/v.mjs": CODE("APPROVE") });
    const { service, verb } = await startWorld(t, "none", { project: folder });
    const run = async () => {
      const reply = await service.post("/func", { config: { data_func: "dfunc_v" }, inputs: {} });
      return String(reply.json().transaction_id);
    };
    const first = await run();
    writeFileSync(join(folder, "functions/v.mjs"), CODE("DECLINE"));
    await service.reload();
    await run();
    await until(async () => (await verb("ledger list", { function: "dfunc_v" })).runs.length === 2);
    const { versions } = await verb("function versions", { function: "dfunc_v" });
    const [newer, older] = versions.map(({ version }: { version: string }) => version) as [string, string];

    const page = await openConsole(t, service, { as: "viewer", at: "/functions/dfunc_v", failing: /source\/diff$/ });
    const table = page.getByRole("table", { name: "Versions" });
    await table.getByRole("row", { name: `${newer} runs now` }).waitFor();
    await table.getByRole("row", { name: `${older} ` }).waitFor();
    await assertUsableEverywhere(page);

    await table.getByRole("link", { name: "Changes from version 1 to 2" }).click();
    await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
    const diff = page.getByRole("region", { name: "Changes of functions/v.mjs", exact: true });
    await diff.locator("del").getByText('decision: "APPROVE"').waitFor();
    await diff.locator("ins").getByText('decision: "DECLINE"').waitFor();
    assert.match((await diff.textContent())!, /^@@ -4,6 \+4,6 @@\n {3}title: "Decides",\n/);
    assert.equal(await page.locator("main script").count(), 0);
    await assertUsableEverywhere(page);
    await page.getByLabel("From version").selectOption({ label: newer });
    await page.getByText("These are the same version.").waitFor();
    await page.goBack();
    await diff.waitFor();
    await page.goBack();

    await table.getByRole("link", { name: "Runs of version 1" }).click();
    const runs = page.getByRole("table", { name: "Runs" });
    await runs.getByRole("row", { name: /dfunc_v version 1/ }).waitFor();
    assert.equal(await runs.getByRole("row").count(), 2, "its head and one run");
    await page.getByLabel("Function version").fill("2");
    await page.keyboard.press("Enter");
    await runs.getByRole("row", { name: /dfunc_v version 2/ }).waitFor();
    await assertUsableEverywhere(page);

    await page.goto(`${service.adminUrl}/console/runs/${first}?open=0,1`);
    await page.getByText("Version of the source: 1 (").waitFor();
    await assertUsableEverywhere(page);
    await page.getByRole("link", { name: older }).click();
    const row = table.locator("tr[aria-current=true]");
    await row.waitFor();
    assert.match((await row.textContent())!, new RegExp(`^${older.replaceAll(/[()]/g, "\\$&")}`));

    await page.route("**/api/ledger/show", async (route) => {
      const answer = await route.fetch();
      const shown = await answer.json();
      Object.assign(shown.run, { function_version: null, function_version_number: null, build: null });
      for (const call of shown.calls) Object.assign(call, { source_version: null, source_version_number: null });
      await route.fulfill({ response: answer, json: shown });
    });
    await page.goto(`${service.adminUrl}/console/runs/${first}?open=0,1`);
    await page.getByText("Version of the source: before versions were recorded").waitFor();
    assert.equal(await page.getByText("before versions were recorded").count(), 2);

    await page.goto(`${service.adminUrl}/console/sources/ok__echo`);
    await table.getByRole("row", { name: /^1 \(.{6}\) runs now/ }).waitFor();
    await page.goto(`${service.adminUrl}/console/sources/ok__echo/diff?before=1&after=9`);
    await page.getByRole("alert").filter({ hasText: "ok__echo has no version 9" }).waitFor();
  },
);
