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
  const calls = page.getByRole("table", { name: "Calls of each source in the last 24 hours" });
  // A run reaches the ledger a moment after its answer.
  await calls.getByRole("row", { name: `registry__company ${world.runs + 1} ` }).waitFor();

  // What a chart shows is told in a sentence, and each of its steps to whoever points at it.
  await page
    .getByRole("img", { name: /^Calls by outcome, the last 24 hours: \d+ in total/ })
    .hover({ position: { x: 200, y: 60 } });
  await page.getByText(/^\d+ \w+, \d\d:00 to \d\d:00$/).waitFor();

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
  await budgets.getByRole("link", { name: `bud_…${budget.slice(-8)}` }).click();
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
    await page.getByText("No source was called in the last 24 hours.").waitFor();
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
    await page
      .getByText("One run was simulated in the last hour, and no source was called in the last 24 hours.")
      .waitFor();
  },
);

test(
  "calls that named a source which does not exist or is off are told as that, and lead nowhere",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    await world.service.run({ acme__misspelt: true, acme__gone: true });
    const page = await openConsole(t, world.service, { as: "viewer" });
    const called = page.getByRole("table", { name: "Calls of each source in the last 24 hours" });
    await called.getByRole("link", { name: "registry__company" }).waitFor();
    await page.getByText(/^2 calls to this process since .* named a source that does not exist or is off\./).waitFor();
    assert.equal(await page.getByRole("link", { name: /acme__/ }).count(), 0);
    await assertUsableEverywhere(page);
  },
);

test(
  "an operator who is revoked sees the login within a second, at the same address",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "none");
    const eve = await world.service.operator.appoint("viewer", "eve");
    const page = await openConsole(t, world.service, { as: eve, at: "/?range=1h", failing: /\/api\// });
    await page.locator(LIVE).waitFor();
    await world.service.operator.dismiss(eve.id);
    await page.getByRole("heading", { name: "Your session has ended" }).waitFor({ timeout: 3_000 });
    assert.match(page.url(), /\/console\/\?range=1h$/);
  },
);

test(
  "the time range is chosen by keyboard, and is in the address; what was last told stays when the service stops, as old",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    const page = await openConsole(t, world.service, { as: "viewer", failing: /\/api\// });
    await page.locator(LIVE).waitFor();
    const hour = page.getByRole("button", { name: "1 h", exact: true });
    for (let presses = 0; !(await hour.evaluate((it) => it.matches(":focus"))); presses += 1) {
      assert.ok(presses < 60, "it is reached with the tab key");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]range=1h$/);
    assert.equal(await hour.getAttribute("aria-pressed"), "true");
    await page.getByRole("table", { name: "Calls of each source in the last hour" }).waitFor();
    await page.reload();
    await page.getByRole("table", { name: "Calls of each source in the last hour" }).waitFor();

    await page.locator(LIVE).waitFor();
    await world.service.close();
    await page.locator("[data-live=no]").waitFor();
    await page.getByRole("alert").waitFor();
    assert.ok(await page.getByText("Runs per minute").first().isVisible());
  },
);
