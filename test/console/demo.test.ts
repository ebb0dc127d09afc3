import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startCommand } from "../rig/command.ts";
import { Secrets } from "../rig/secrets.ts";
import type { TestService } from "../rig/service.ts";

test("a newcomer with the demo's address has run five sources after two clicks", { skip: NO_BROWSER }, async (t) => {
  const demo = await startCommand(t, ["--demo"]);
  const [, code] = /\/console\/(#code=\S+)/.exec(demo.stderr())!;
  const service = { adminUrl: demo.adminUrl, secrets: new Secrets() } as TestService;
  const page = await openConsole(t, service, { as: null, at: `/run${code}` });
  await page.getByText("Simulated. No vendor is asked").waitFor();

  await page.getByRole("button", { name: "Try 5 sources with examples" }).click();
  await page.getByRole("button", { name: "Run simulated" }).click();
  await page.getByRole("status").filter({ hasText: /^5 found\. Answered in/ }).waitFor(); // prettier-ignore
  assert.equal(await page.getByRole("region", { name: "Answer" }).getByRole("region").count(), 5);
  await page.getByRole("link", { name: "The run's timeline" }).waitFor();

  // And one more shows what a failure looks like.
  await page.getByLabel("Simulated vendor").selectOption("gleif__lei_record");
  await page.getByLabel("What it does").selectOption("never answers");
  await page.getByRole("button", { name: "Run simulated" }).click();
  await page.getByRole("status").filter({ hasText: /4 found/ }).waitFor(); // prettier-ignore
  await page.getByRole("region", { name: "Legal entity by LEI" }).getByText("timed out").waitFor();
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/demo.png`, fullPage: true });
});

test(
  "the demo's address opens the Overview, which leads to a first run and its timeline",
  { skip: NO_BROWSER },
  async (t) => {
    const demo = await startCommand(t, ["--demo"]);
    const [, code] = /\/console\/(#code=\S+)/.exec(demo.stderr())!;
    const service = { adminUrl: demo.adminUrl, secrets: new Secrets() } as TestService;
    const page = await openConsole(t, service, { as: null, at: `/${code}` });
    await page.getByText("demo owner").waitFor();
    assert.equal(page.url(), `${demo.adminUrl}/console/`);
    await page.getByRole("link", { name: "Ask five sources with examples" }).click();
    // The examples are filled in as soon as they have come.
    const email = page.getByLabel("Email (required)");
    while ((await email.inputValue()) === "") await page.waitForTimeout(20);
    await page.getByRole("button", { name: "Run simulated" }).click();
    await page.getByText("5 found.").waitFor();
    const timeline = page.getByRole("link", { name: "The run's timeline" });
    const transaction = /trx_\w{32}/.exec((await timeline.getAttribute("href"))!)![0];
    await timeline.click();
    await page.waitForURL(new RegExp(`/console/runs/${transaction}$`));
  },
);
