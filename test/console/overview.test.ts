import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";

const LIVE = "[data-live=yes]";

test("runs show up as they happen, and what needs a person leads to where it is", { skip: NO_BROWSER }, async (t) => {
  const world = await startWorld(t, "little");
  const page = await openConsole(t, world.service, { as: "viewer" });
  await page.locator(LIVE).waitFor();
  const runs = page.locator(".figure", { hasText: "Runs per minute" }).locator(".figure-value");
  const before = Number(await runs.textContent());
  assert.ok(before > 0);
  await world.service.run({ registry__company: true }, { number: "09446231" }, { as: world.acme });
  await page
    .locator(".figure-value", { hasText: new RegExp(`^${before + 1}$`) })
    .first()
    .waitFor();
  const row = page.getByRole("row", { name: /registry__company/ });
  assert.equal(await row.count(), 1);

  // What a curve shows is told in a sentence, and each of its moments to whoever points at it.
  await page
    .getByRole("img", { name: /^Runs per minute since \d\d:\d\d: \d+ in total/ })
    .hover({ position: { x: 200, y: 60 } });
  await page
    .getByText(/^at \d\d:\d\d$/)
    .first()
    .waitFor();

  const need = page.getByRole("region", { name: "Needs attention" });
  const charges = need.getByRole("link", { name: /charges? (is|are) unknown since/ });
  // It may be among those that are shown when they are asked for.
  await need.locator("a").filter({ hasText: "unknown since" }).waitFor({ state: "attached" });
  if (!(await charges.isVisible())) await need.getByText(/^and .* more$/).click();
  assert.match((await charges.getAttribute("href"))!, /\/console\/runs\?charged=unknown$/);
  await assertUsableEverywhere(page);

  // Things are called by their names, and lead to themselves, also where they are not on the first page of their list.
  const { id: org } = world.acme;
  const { budget: used } = await world.verb("budget set", { org, per: "month", amount: "1", currency: "EUR" });
  const { budget } = await world.verb("budget set", { org, source: "registry__company", per: "day", calls: 1 });
  const placeOf = (id: string) => `/console/money/budgets?org=${org}&budget=${id}`;
  const says = /^\d+ % of the budget of organization Acme Lending is used this month/;
  await need
    .locator(`a[href="${placeOf(used)}"]`)
    .filter({ hasText: says })
    .waitFor({ state: "attached" });
  const budgets = page.getByRole("table", { name: "Budgets: first those that reject calls, then by use" });
  await budgets.getByRole("link", { name: "Acme Lending" }).first().waitFor();
  await page.route("**/api/budget/list", (route) => {
    const asked = route.request().postDataJSON() as object;
    return route.continue({ postData: JSON.stringify({ limit: 1, ...asked }) });
  });
  await budgets.getByRole("link", { name: budget }).click();
  const current = page.getByRole("table", { name: "Budgets" }).locator("[aria-current=true]");
  await current.getByText("registry__company").waitFor();
  assert.equal(page.url(), `${world.service.adminUrl}${placeOf(budget)}`);
  await page.getByText("at 80 % of 1 request").waitFor();
});

test(
  "with nothing to show it teaches the next step, and says nothing that needs nobody",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "none");
    const page = await openConsole(t, world.service, { as: world.owner });
    await page.locator(LIVE).waitFor();
    await page.getByText(/^This process has called no source since \d\d:\d\d\.$/).waitFor();
    await page.getByText("There is no budget, so charges are not limited.").waitFor();
    assert.equal(await page.locator(".attention-item").count(), 0);
    await assertUsableEverywhere(page);

    // What was simulated is no call of a source, and the page does not say that nothing has happened.
    const { workflow } = await world.verb("workflow create", { org: world.acme.id, name: "trial", simulated: true });
    await world.verb("workflow run", {
      workflow,
      source: ["lists__sanctions"],
      inputs: { name: "Example Trading Ltd" },
    });
    world.service.expectRunWithoutAnswer();
    await page.getByText(/^This process has simulated one run since \d\d:\d\d, and made no live call\.$/).waitFor();
  },
);

test(
  "calls that named a source which does not exist or is off are told as that, and lead nowhere",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    await world.service.run({ acme__misspelt: true, acme__gone: true });
    const page = await openConsole(t, world.service, { as: "viewer" });
    const called = page.getByRole("table", { name: /^Calls of each source since \d\d:\d\d$/ });
    await called.getByRole("link", { name: "registry__company" }).waitFor();
    const row = called.getByRole("row", { name: /^sources that do not exist or are off 2 0 0 0 2 / });
    await row.waitFor();
    assert.equal(await row.getByRole("link").count(), 0);
    assert.equal(await page.getByText("(unknown)").count(), 0);
    await assertUsableEverywhere(page);
  },
);

test(
  "the time that the sources are shown for is chosen by keyboard, and is in the address",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    const page = await openConsole(t, world.service, { as: "viewer" });
    await page.locator(LIVE).waitFor();
    const minute = page.getByRole("button", { name: "Last minute" });
    for (let presses = 0; !(await minute.evaluate((it) => it.matches(":focus"))); presses += 1) {
      assert.ok(presses < 60, "it is reached with the tab key");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]of=minute$/);
    assert.equal(await minute.getAttribute("aria-pressed"), "true");
    await page.getByRole("table", { name: "Calls of each source in the last minute" }).waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Calls of each source in the last minute" }).waitFor();
  },
);

test(
  "an operator who is revoked sees the login within a second, at the same address",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "none");
    const eve = await world.service.operator.appoint("viewer", "eve");
    const page = await openConsole(t, world.service, { as: eve, at: "/?of=minute", failing: /\/api\// });
    await page.locator(LIVE).waitFor();
    await world.service.operator.dismiss(eve.id);
    await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ timeout: 3_000 });
    assert.match(page.url(), /\/console\/\?of=minute$/);
  },
);

test(
  "what was last told stays, and it is said that it is old, when the service stops",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    const page = await openConsole(t, world.service, { as: "viewer", failing: /\/api\// });
    await page.locator(LIVE).waitFor();
    await world.service.close();
    await page.locator("[data-live=no]").waitFor();
    await page.getByRole("alert").waitFor();
    assert.ok(await page.getByText("Runs per minute").first().isVisible());
  },
);
