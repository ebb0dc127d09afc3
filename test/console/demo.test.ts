import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startCommand } from "../rig/command.ts";
import { Secrets } from "../rig/secrets.ts";
import type { TestService } from "../rig/service.ts";
import { until } from "../rig/until.ts";

test("a newcomer with the demo's address has run five sources after two clicks", { skip: NO_BROWSER }, async (t) => {
  const demo = await startCommand(t, ["--demo"]);
  const [, code] = /\/console\/(#code=\S+)/.exec(demo.stderr())!;
  const service = { adminUrl: demo.adminUrl, secrets: new Secrets() } as TestService;
  const page = await openConsole(t, service, { as: null, at: `/${code}` });
  await page.getByRole("link", { name: "Run five sources with examples" }).click();
  await page.getByText("Simulated. No vendor is called").waitFor();
  // The examples are filled in as soon as they have come.
  await until(async () => (await page.getByRole("textbox", { name: /^Email/ }).inputValue()) !== "");

  await page.getByRole("button", { name: "Run simulated" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: /^5 found\. Answered in/ })
    .waitFor();
  assert.equal(await page.getByRole("region", { name: "Answer" }).getByRole("region").count(), 5);
  await page.getByRole("link", { name: "Timeline of the run" }).waitFor();

  // And one more shows what a failure looks like.
  await page.getByLabel("Simulated vendor").selectOption("gleif__lei_record");
  await page.getByLabel("Behaviour").selectOption("never responds");
  await page.getByRole("button", { name: "Run simulated" }).click();
  await page
    .getByRole("status")
    .filter({ hasText: /4 found/ })
    .waitFor();
  await page.getByRole("region", { name: "Legal entity by LEI" }).getByText("timed out").waitFor();
  const id = await page.getByText(/^trx_/).innerText();
  await page.getByRole("link", { name: "Timeline of the run" }).click();
  await page.getByText(id).first().waitFor();
  await page.getByText("gleif__lei_record").first().waitFor();
  assert.equal(new URL(page.url()).pathname, `/console/runs/${id}`);
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/demo.png`, fullPage: true });
  // Before the service ends, which whatever the page still asks would not outlive.
  await page.context().close();
});
