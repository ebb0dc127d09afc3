import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { adminPort } from "../rig/admin.ts";
import { assertUsableEverywhere, beginSession, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { startService } from "../rig/service.ts";
import { until } from "../rig/until.ts";

const skip = NO_BROWSER;
const HOSTILE = `<img src=x onerror="alert(1)">'"{{7*7}}`;

/** The dialog over the page, in which an act is asked for once. */
const dialog = (page: Page) => page.getByRole("dialog");

test("a token is shown once, is used, and is refused with 401 when it is revoked", { skip }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, { as: "operator", at: `/access/${service.a.id}` });
  await page.getByRole("button", { name: "New token" }).click();
  await dialog(page).getByRole("textbox", { name: /^Name/ }).fill("back end");
  await assertUsableEverywhere(page);
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "The new access token" });
  const token = service.secrets.add((await shown.locator("code").first().textContent())!);
  assert.match(token, /^drt_/);
  await shown.getByText("This secret is shown only once").waitFor();
  await assertUsableEverywhere(page);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await shown.getByRole("button", { name: "Copy the token" }).click();
  await shown.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), token);
  const as = { ...service.a, token };
  assert.equal((await service.run({}, {}, { as })).statusCode, 200);

  await shown.getByRole("button", { name: "I have saved it" }).click();
  await shown.waitFor({ state: "detached" });
  await page.reload();
  const row = page.getByRole("table", { name: "Access tokens" }).getByRole("row").filter({ hasText: "back end" });
  await row.waitFor();
  assert.ok(!(await page.content()).includes(token));
  assert.ok(!page.url().includes(token));

  await row.getByRole("button", { name: "Revoke" }).click();
  await dialog(page).getByText("Within a second, every request of A with this token gets 401").waitFor();
  await assertUsableEverywhere(page);
  await dialog(page).getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  await until(async () => (await service.post("/data", {}, { as })).statusCode === 401);
  await page.getByLabel("Show revoked and expired tokens").check();
  await row.getByText("revoked").waitFor();
  assert.match(page.url(), /tokens=all/);
});

test(
  "organizations and workflows are made, changed and disabled, and what cannot change is said",
  { skip },
  async (t) => {
    const service = await startService(t);
    const page = await openConsole(t, service, { as: "operator", at: "/access" });
    await page.getByRole("button", { name: "New organization" }).click();
    await dialog(page).getByRole("textbox", { name: /^Name/ }).fill(HOSTILE);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
    await page.getByText("This organization has no workflow yet.").waitFor();
    await page.getByText("This organization has no active token.").waitFor();
    await assertUsableEverywhere(page);

    await page.getByRole("button", { name: "New workflow" }).click();
    await dialog(page).getByRole("textbox", { name: /^Name/ }).fill("trial");
    await dialog(page)
      .getByLabel(/^Simulated:/)
      .check();
    await dialog(page).getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("table", { name: "Workflows" }).getByRole("row").filter({ hasText: "trial" });
    await row.getByText("simulated").waitFor();
    await row.getByText("failure details").waitFor();
    await row.getByRole("button", { name: "Settings" }).click();
    await dialog(page).getByText("This cannot be changed.").waitFor();
    await dialog(page)
      .getByLabel(/^Mask credentials/)
      .check();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await row.getByText("failure details, masks credentials").waitFor();
    await row.getByRole("button", { name: "Disable" }).click();
    await dialog(page).getByRole("button", { name: "Disable" }).click();
    await row.getByText("disabled").waitFor();
    await row.getByRole("button", { name: "Enable" }).click();
    await row.getByText("active").waitFor();

    await page.getByRole("button", { name: "Rename" }).click();
    await dialog(page).getByRole("textbox", { name: /^Name/ }).fill("Acme Ltd");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Acme Ltd" }).waitFor();

    await page.goto(`${service.adminUrl}/console/access/${service.a.id}`);
    await page.getByRole("heading", { level: 1, name: "A" }).waitFor();
    await page.locator(".page-head").first().getByRole("button", { name: "Disable" }).click();
    await dialog(page).getByText("every request with any token of A gets 401").waitFor();
    await dialog(page).getByRole("button", { name: "Disable" }).click();
    await page.getByText("It is disabled.").waitFor();
    await until(async () => (await service.post("/data", {})).statusCode === 401);
  },
);

test("an owner makes an operator and revokes one, who is out at once", { skip }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, { as: "owner", at: "/access?tab=operators" });
  await page.getByRole("button", { name: "New operator" }).click();
  await dialog(page).getByRole("textbox", { name: /^Name/ }).fill("ada");
  await dialog(page).getByLabel("Role").selectOption("operator");
  await dialog(page).getByLabel("Expires").selectOption("");
  await dialog(page).getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "The operator token of ada" });
  const token = service.secrets.add((await shown.locator("code").first().textContent())!);
  await assertUsableEverywhere(page);
  const ada = { id: "", name: "ada", token };
  await beginSession(service, ada);
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  assert.equal((await call("org list", {}, { as: ada })).statusCode, 200);
  const row = page.getByRole("table", { name: "Operators" }).getByRole("row").filter({ hasText: "ada" });
  // An address that names an operator shows that one.
  const { operators } = (await call("operator list", {}, { as: ada })).json();
  const { operator_id: id } = operators.find(({ name }: { readonly name: string }) => name === "ada");
  await page.goto(`${service.adminUrl}/console/access?tab=operators&operator=${id}`);
  await row.and(page.locator("[aria-current=true]")).waitFor();
  await row.getByRole("button", { name: "Revoke" }).click();
  await dialog(page).getByText("From the next request on, on all machines, ada (operator) has no access").waitFor();
  await dialog(page).getByRole("button", { name: "Revoke" }).click();
  await row.getByText("revoked").waitFor();
  assert.equal((await call("org list", {}, { as: ada })).statusCode, 401);
});

test("a list of many keeps its place when a row far below is changed", { skip }, async (t) => {
  const service = await startService(t);
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  for (let at = 0; at < 104; at += 1) await result("token create", { org: service.a.id, name: `program ${at}` }, ada);
  const page = await openConsole(t, service, { as: ada, at: `/access?org=${service.a.id}` });
  const rows = page.getByRole("table", { name: "Access tokens" }).getByRole("row");
  await page.getByRole("button", { name: "Show more" }).click();
  const last = rows.filter({ has: page.getByText("program 0", { exact: true }) });
  await last.getByRole("button", { name: "Revoke" }).click();
  await dialog(page).getByRole("button", { name: "Revoke" }).click();
  await last.waitFor({ state: "detached" });
  assert.equal(await rows.count(), 105, "the head, and all others");

  // An address that names a row shows it, however far below it is, and says so if there is none.
  const { tokens } = await result("token list", { org: service.a.id, limit: 1_000 }, ada);
  const named = tokens.find(({ name }: { readonly name: string }) => name === "program 1");
  await page.goto(`${service.adminUrl}/console/access?token=${named.token_id}`);
  await page.waitForURL((url) => url.searchParams.get("org") === service.a.id);
  await rows.and(page.locator("[aria-current=true]")).filter({ hasText: "program 1" }).waitFor();
  assert.equal(await rows.count(), 102, "the head, the first page, and the one that is named");
  await page.getByRole("button", { name: "Show more" }).click();
  await rows.filter({ has: page.getByText("program 2", { exact: true }) }).waitFor();
  assert.equal(await rows.filter({ has: page.getByTitle(named.token_id) }).count(), 1);
  const nobody = `tok_${"0".repeat(32)}`;
  await page.goto(`${service.adminUrl}/console/access?org=${service.a.id}&token=${nobody}`);
  await page
    .getByRole("status")
    .filter({ hasText: `refers to ${nobody}, which is not in this list` })
    .waitFor();
});

test("the list of organizations shows the calls of each, their failures and their cost", { skip }, async (t) => {
  const world = await startWorld(t, "little");
  const page = await openConsole(t, world.service, { as: "viewer", at: "/access?range=24h" });
  const row = page.getByRole("table", { name: "Organizations" }).getByRole("row").filter({ hasText: "Acme Lending" });
  await row.getByText("EUR").waitFor();
  const { groups } = await world.verb("ledger history", { by: "org" });
  const { calls } = groups.find(({ key }: { key: string }) => key === world.acme.id)!.total;
  const link = row.getByRole("link", { name: String(calls), exact: true });
  assert.match((await link.getAttribute("href"))!, new RegExp(`/runs\\?org=${world.acme.id}&range=24h`));
  await assertUsableEverywhere(page);
});

test("one of hundreds of organizations is found by its name, and by keyboard alone", { skip }, async (t) => {
  const { service } = await startWorld(t, "none");
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  for (let at = 0; at < 110; at += 1) await result("org create", { name: `Customer ${at}` }, ada);
  const page = await openConsole(t, service, { as: ada, at: "/access" });
  const rows = page.getByRole("table").getByRole("row");
  await page.getByText("Customer 109").waitFor();
  assert.equal(await rows.count(), 101);
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("Customer 0", { exact: true }).waitFor();
  await page.getByLabel("Find an organization").focus();
  await page.keyboard.type("Customer 77");
  // Of what is found meanwhile, others come before it.
  await until(async () => (await rows.count()) === 2);
  await page.getByRole("link", { name: "Customer 77" }).waitFor();
  assert.match(page.url(), /find=Customer\+77/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Customer 77" }).waitFor();

  // A field for an organization finds one that is not among the newest, by keyboard, and says what it does.
  await page.goto(`${service.adminUrl}/console/money/prices`);
  const field = page.getByRole("combobox", { name: "Organization" });
  await field.focus();
  assert.equal(await field.getAttribute("aria-expanded"), "false");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: "Customer 109" }).waitFor();
  await page.getByRole("status").filter({ hasText: "These are the newest." }).waitFor();
  assert.equal(await page.getByRole("option", { name: "Customer 3", exact: true }).count(), 0);
  await page.keyboard.type("customer 3");
  const options = page.getByRole("option");
  // 3, and 30 to 39: those of what was typed before have gone.
  await until(async () => (await options.count()) === 11);
  await page.getByRole("option", { name: /^Customer 3 ?org_/ }).waitFor();
  await assertUsableEverywhere(page);
  const selected = page.locator("[role=option][aria-selected=true]");
  while (!(await selected.textContent())!.startsWith("Customer 3org_")) await page.keyboard.press("ArrowDown");
  assert.equal(
    await page.locator("[role=option][aria-selected=true]").getAttribute("id"),
    await field.getAttribute("aria-activedescendant"),
  );
  await page.keyboard.press("Enter");
  await page.waitForURL(/org=org_/);
  await options.first().waitFor({ state: "hidden" });
  assert.equal(await field.inputValue(), "Customer 3");
  assert.equal(await page.evaluate("document.activeElement.name"), "org");
  // Escape leaves everything as it was.
  await page.keyboard.type("no such");
  await page.getByRole("status").filter({ hasText: "None was found. To find an older organization," }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await field.inputValue(), "Customer 3");

  // Who opens it and presses Enter changes nothing, and who goes on with Tab comes to what follows it.
  const { href } = new URL(page.url());
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: "Customer 109" }).waitFor();
  await page.keyboard.press("Enter");
  await options.first().waitFor({ state: "hidden" });
  assert.equal(page.url(), href);
  assert.equal(await field.inputValue(), "Customer 3");
  await field.fill("customer");
  await page.getByRole("status").filter({ hasText: "The first 20 are shown. Type more of the name." }).waitFor();
  await field.dispatchEvent("keydown", { key: "Enter", isComposing: true });
  assert.equal(await field.getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Tab");
  assert.equal(
    await page.evaluate(
      "document.activeElement === document.body || document.activeElement.closest('.combo') !== null",
    ),
    false,
  );
});

test(
  "a name that reverses the direction of text changes nothing beside it, in a heading and in a question",
  { skip },
  async (t) => {
    const service = await startService(t);
    const name = "Acme\u202e Lending";
    const { id: org } = await service.operator.createOrganization(name);
    const page = await openConsole(t, service, { as: "operator", at: `/access?org=${org}` });
    await page.getByRole("heading", { level: 1 }).locator("bdi").filter({ hasText: name }).waitFor();
    await page.getByRole("button", { name: "Disable" }).first().click();
    for (const place of ["h2", "p"])
      await dialog(page).locator(`${place} bdi`).filter({ hasText: name }).first().waitFor();
  },
);
