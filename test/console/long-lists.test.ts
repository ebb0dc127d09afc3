import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { chooseOrganization, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const skip = NO_BROWSER;

/** Lists come with so few rows a page that a handful is more than a page has. Tells which pages were asked for. */
async function shorten(page: Page, path: string, rows: number): Promise<(string | null)[]> {
  const asked: (string | null)[] = [];
  await page.route(`**/api/${path}`, async (route) => {
    const input = route.request().postDataJSON() as { readonly limit?: number; readonly after?: string };
    asked.push(input.after ?? null);
    await route.continue({ postData: JSON.stringify({ ...input, limit: Math.min(input.limit ?? rows, rows) }) });
  });
  return asked;
}

test("where one of many workflows or credentials is chosen or counted, none is left out", { skip }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "none");
  const { workflow: trial } = await verb("workflow create", { org: acme.id, name: "trial", simulated: true });
  for (let at = 1; at <= 4; at += 1) await verb("workflow create", { org: acme.id, name: `live ${at}` });
  for (const note of ["one", "two", "three"])
    await verb("credential create", {
      org: acme.id,
      source: "registry__company",
      fields: { api_key: service.secrets.add(`key-number-${note}`) },
    });
  await verb("org rename", { org: acme.id, name: "Acme Lending" });
  const page = await openConsole(t, service, { at: "/audit" });
  const asked = await shorten(page, "workflow/list", 2);
  for (const path of ["credential/list", "credential/matrix", "operator/list"]) await shorten(page, path, 2);

  await page.goto(`${service.adminUrl}/console/run`);
  // The page chooses one by itself first.
  await page.waitForURL((url) => url.searchParams.has("workflow"));

  // The one simulated workflow is the oldest but one of six: it is chosen, since it is the safest.
  await chooseOrganization(page, "Acme Lending");
  await until(async () => new Set(asked).size >= 3);
  await page.waitForURL((url) => url.searchParams.get("workflow") === trial);
  const optionsOf = (label: string) => page.getByLabel(label, { exact: true }).locator("option").allTextContents();

  // Of many workflows the newest are offered, and any other is found by the beginning of its name or of its id.
  const { workflow: second } = (await verb("workflow list", { org: acme.id })).workflows.at(-3);
  const field = page.getByRole("combobox", { name: "Workflow" });
  const options = page.getByRole("listbox", { name: "Choices" }).getByRole("option");
  for (const at of ["/run", `/runs?org=${acme.id}`, `/sources/registry__company?ask=live&org=${acme.id}`]) {
    if (at !== "/run") await page.goto(`${service.adminUrl}/console${at}`);
    await field.fill("LIVE 1");
    await options.filter({ hasText: "live 1" }).waitFor();
    await field.fill("");
    await page.getByText("Type the beginning of a name or an id to find any other.").waitFor({ timeout: 15_000 });
    await options.filter({ hasText: "live 4" }).waitFor();
    await field.fill("LIVE 1");
    await options.filter({ hasText: "live 1" }).waitFor();
    await until(async () => (await options.count()) === 1);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => ![null, trial].includes(url.searchParams.get("workflow")));
    await field.fill(second.slice(0, -1));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("workflow") === second);
    await field.fill("nobody");
    await page.getByText("No workflow has a name or an id that begins like this.").waitFor();
    await page.keyboard.press("Escape");
  }

  await page.goto(`${service.adminUrl}/console/money/budgets?org=${acme.id}`);
  await page.getByRole("button", { name: "Set a budget" }).click();
  await until(async () => (await optionsOf("Credential")).length === 4);
  await field.fill("LIVE 1");
  await options.filter({ hasText: "live 1" }).waitFor();
  await page.keyboard.press("Enter");
  await until(async () => (await field.inputValue()) === "live 1");
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await options.filter({ hasText: "live 4" }).waitFor();
  await options.filter({ hasText: "all" }).click();
  await until(async () => (await field.inputValue()) === "");
  await page.goto(`${service.adminUrl}/console/credentials?org=${acme.id}&view=matrix`);
  await page
    .getByRole("definition")
    .filter({ hasText: /^live 4, live 3, live 2, live 1/ })
    .waitFor();
  await page
    .getByRole("definition")
    .filter({ hasText: /^trial$/ })
    .waitFor();
  await page.getByRole("row").filter({ hasText: "registry__company" }).waitFor();
  for (const name of ["zoe", "yan", "xia"]) await service.operator.appoint("viewer", name);
  await page.goto(`${service.adminUrl}/console/audit`);
  await until(async () => (await page.locator("datalist").first().locator("option").count()) >= 5);
});

test(
  "a row that an address names is shown from far below, as it is now, and never said to be missing unless it is",
  { skip },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "none");
    const made: string[] = [];
    for (let at = 1; at <= 5; at += 1)
      made.push((await verb("workflow create", { org: acme.id, name: `w${at}` })).workflow);
    const ada = await service.operator.appoint("owner", "ada");
    const page = await openConsole(t, service, { as: ada, at: "/audit", failing: /workflow\/list/ });
    await shorten(page, "workflow/list", 2);
    const workflows = page.getByRole("table", { name: "Workflows" }).getByRole("row");
    const names = async () => (await workflows.allTextContents()).slice(1).map((text) => /^w\d|^/.exec(text)![0]);
    const missing = page.getByText("which is not in this list");

    // What cannot be looked up is neither shown nor said to be missing, until the list is asked again.
    let isDown = true;
    await page.route("**/api/workflow/list", async (route) => {
      const { limit } = route.request().postDataJSON() as { readonly limit?: number };
      await (isDown && limit === 1 ? route.abort() : route.fallback());
    });
    const lookedUp = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/workflow/list"));
    await page.goto(`${service.adminUrl}/console/access?org=${acme.id}&workflow=${made[1]}`);
    await lookedUp;
    await page.getByRole("button", { name: "Show more" }).first().waitFor();
    assert.deepEqual(await names(), ["w5", "w4"]);
    assert.equal(await missing.count(), 0);
    isDown = false;
    const dialog = page.getByRole("dialog");
    await workflows.filter({ hasText: "w5" }).getByRole("button", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    const named = workflows.and(page.locator("[aria-current=true]"));
    await named.filter({ hasText: "w2" }).waitFor();
    assert.deepEqual(await names(), ["w2", "w5", "w4"]);

    // What is done to it shows, and when its page comes it stands where it belongs, once.
    await named.getByRole("button", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    await named.getByText("disabled").waitFor();
    const more = page.getByRole("region", { name: "Workflows" }).getByRole("button", { name: "Show more" });
    await more.click();
    await until(async () => (await names()).join() === "w5,w4,w3,w2");

    // A list whose session has ended is asked again for what it was asked, and shows nothing twice.
    let isOver = true;
    await page.route("**/api/workflow/list", async (route) => {
      const body = JSON.stringify({ error: { code: "unauthenticated", message: "The session has ended." } });
      await (isOver ? route.fulfill({ status: 401, contentType: "application/json", body }) : route.fallback());
    });
    await workflows.filter({ hasText: "w4" }).getByRole("button", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    const ended = page.getByRole("dialog", { name: "Your session has ended" });
    await ended.waitFor();
    isOver = false;
    service.secrets.add(ada.token);
    await ended.getByLabel("Operator token").fill(ada.token);
    await page.keyboard.press("Enter");
    await workflows.filter({ hasText: "w4" }).getByText("disabled").waitFor();
    await until(async () => (await names()).join() === "w2,w5,w4");
  },
);

test("what a month was spent on is in the order of its amounts, however many lines there are", { skip }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "little");
  await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === 4);
  const page = await openConsole(t, service, { at: "/audit" });
  await shorten(page, "ledger/spend", 1);
  await page.goto(`${service.adminUrl}/console/money?by=source`);
  const sources = page.getByRole("table", { name: "Spend by source" }).locator("tbody td:first-child");
  await until(async () => (await sources.count()) === 4);
  assert.deepEqual(await sources.allInnerTexts(), [
    "bureau__credit_report",
    "registry__company",
    "register__insolvency",
    "lists__sanctions",
  ]);
});

test(
  "the charges of one organization are asked for, and not looked for among the first of all",
  { skip },
  async (t) => {
    const { service, verb } = await startWorld(t, "little");
    const { id: org } = service.b;
    await service.run({ lists__sanctions: true }, { name: "A. Person" }, { as: service.b });
    await until(async () => (await verb("ledger list", { org })).runs.length === 1);
    const page = await openConsole(t, service, { at: "/audit" });
    await shorten(page, "ledger/summary", 1);
    await page.goto(`${service.adminUrl}/console/money/invoice?org=${org}`);
    await page
      .getByRole("table", { name: "Charges by source and credential" })
      .getByRole("row")
      .filter({ hasText: "lists__sanctions" })
      .waitFor();
  },
);

test(
  "of budgets, which are in the order of their use, the one that the address names is shown",
  { skip },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "none");
    const made: string[] = [];
    for (const source of ["registry__company", "bureau__credit_report", "lists__sanctions", "register__insolvency"])
      made.push((await verb("budget set", { org: acme.id, source, per: "day", calls: 5 })).budget);
    const page = await openConsole(t, service, { at: "/audit" });
    await shorten(page, "budget/list", 2);
    await page.goto(`${service.adminUrl}/console/money/budgets?budget=${made[3]}`);
    const rows = page.getByRole("table", { name: "Budgets" }).getByRole("row");
    await rows.and(page.locator("[aria-current=true]")).filter({ hasText: "register__insolvency" }).waitFor();
    assert.equal(await rows.count(), 5, "the head and all, because the order of pages is another");
    const none = `bud_${"0".repeat(32)}`;
    await page.goto(`${service.adminUrl}/console/money/budgets?budget=${none}`);
    await page
      .getByRole("status")
      .filter({ hasText: `refers to ${none}, which is not in this list` })
      .waitFor();
    await page.goto(`${service.adminUrl}/console/money/budgets?budget=`);
    await rows.first().waitFor();
    assert.equal(await page.getByText("The address refers to").count(), 0);
  },
);
