import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, chooseOrganization, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const HOSTILE = `</script><img src=x onerror="alert(1)">'"{{7*7}}`;

test(
  "a month's spend is a range while charges are unknown, and each line leads to its runs",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb, runs } = await startWorld(t, "little");
    await verb("org rename", { org: acme.id, name: HOSTILE });
    const month = new Date().toISOString().slice(0, 7);
    const span = { from: `${month}-01`, to: "2100-01-01" };
    // With each run that reaches the ledger they become more.
    await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === runs);
    const { totals } = await verb("ledger spend", { by: "source", ...span });
    const page = await openConsole(t, service, { as: "viewer", at: "/money?by=source" });
    const sums = page.getByRole("group", { name: /^Sums of/ });
    await sums.getByText(`${totals[0].amount} to ${totals[0].amount_at_most} EUR`).waitFor();
    await page.getByText(`charges are unknown, up to ${totals[0].amount_unknown} EUR.`).waitFor();
    const settle = page.getByRole("link", { name: "Settle unknown charges" });
    assert.match((await settle.getAttribute("href"))!, new RegExp(`^/console/money/unknown\\?from=${month}-01.*&to=`));
    const table = page.getByRole("table", { name: "Spend by source" });
    const line = table.getByRole("row").filter({ hasText: "registry__company" });
    assert.match(
      (await line.getByRole("link", { name: /^\d+$/ }).first().getAttribute("href"))!,
      /source=registry__company/,
    );
    await assertUsableEverywhere(page);

    // What was chosen goes with every link.
    await chooseOrganization(page, HOSTILE);
    await page.waitForURL(new RegExp(`org=${acme.id}`));
    const links = line.getByRole("link", { name: /^\d+$/ });
    await page.locator(`a[href*="org=${acme.id}&source=registry__company"]`).first().waitFor();
    for (const link of await links.all())
      assert.match((await link.getAttribute("href"))!, new RegExp(`org=${acme.id}`));
    await page.getByRole("combobox", { name: "Organization" }).click();
    await page.getByRole("option", { name: "All", exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has("org"));

    // The rows of before do not stand under another heading.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/ledger/spend", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel("By", { exact: true }).selectOption("Organization");
    await page.getByText("Loading…").waitFor();
    release();
    await page.getByRole("table", { name: "Spend by organization" }).getByText(HOSTILE).first().waitFor();
    await page.waitForURL(/by=org/);
    await page
      .getByRole("link", { name: /\d{4}$/ })
      .first()
      .click();
    await page.getByText(/Nothing was sent to a vendor in/).waitFor();
    await page.getByText("Nothing was charged").waitFor();
    assert.equal(await page.getByRole("button", { name: /Set|Remove|Change/ }).count(), 0);
  },
);

test(
  "an owner sets, changes and removes a budget with the keyboard, and is told before what it does",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "none");
    await verb("org rename", { org: acme.id, name: HOSTILE });
    const page = await openConsole(t, service, { at: "/money/budgets", failing: /budget\/set/ });
    await page.getByText("There is no budget, so charges are not limited.").waitFor();
    await assertUsableEverywhere(page);

    await page.getByRole("button", { name: "Set a budget" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set a budget" });
    await chooseOrganization(dialog, HOSTILE);
    await dialog.getByLabel("Amount").fill("0.3,5");
    await dialog.getByLabel("Currency").fill("eur");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").filter({ hasText: "amount" }).waitFor();
    await dialog.getByLabel("Amount").fill("12.34");
    await dialog.getByText("At most 12.34 EUR may be charged per month (").waitFor();
    await assertUsableEverywhere(page);
    await dialog.getByLabel("Warn from percent").fill("50");
    await page.keyboard.press("Enter");
    const row = page.getByRole("row").filter({ hasText: /12\.34 EUR\s*a month/ });
    await row.waitFor();

    await row.getByRole("button", { name: "Change" }).click();
    const change = page.getByRole("dialog", { name: "Change a budget" });
    await change.getByLabel("Amount").fill("1000000.5");
    await page.keyboard.press("Enter");
    const changed = page.getByRole("row").filter({ hasText: /1,000,000\.50 EUR\s*a month/ });
    await changed.waitFor();
    await changed.getByRole("link", { name: /^Details/ }).click();
    await page.getByText("at 50 % of 1,000,000.50 EUR").waitFor();
    await changed.getByRole("button", { name: "Change" }).click();
    await change.getByLabel("Warn from percent").fill("60");
    await page.keyboard.press("Enter");
    await page.getByText("at 60 % of 1,000,000.50 EUR").waitFor();
    await assertUsableEverywhere(page);

    await changed.getByRole("button", { name: "Remove" }).click();
    const ask = page.getByRole("dialog", { name: "Remove this budget?" });
    await ask.getByText(/Charges of .* are no longer limited/).waitFor();
    await page.keyboard.press("Escape");
    await ask.waitFor({ state: "detached" });
    assert.equal((await verb("budget list", {})).budgets.length, 1, "nothing was removed");
    await changed.getByRole("button", { name: "Remove" }).click();
    await ask.getByRole("button", { name: "Remove" }).click();
    await page.getByText("There is no budget, so charges are not limited.").waitFor();
    assert.deepEqual((await verb("budget list", {})).budgets, []);
  },
);

test("a price has a history, holds from a day on, and is removed with its step", { skip: NO_BROWSER }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "little");
  const page = await openConsole(t, service, { at: `/money/prices?org=${acme.id}` });
  const now = page.getByRole("table", { name: "Credentials with their current prices" });
  const company = now.getByRole("row").filter({ hasText: "registry__company" });
  await company.getByText("0.40 EUR").waitFor();
  await company.getByRole("link", { name: /^History/ }).click();
  const set = async (fields: Readonly<Record<string, string>>) => {
    await page.getByRole("button", { name: "Set a price" }).click();
    const dialog = page.getByRole("dialog", { name: "Set a price" });
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole("button", { name: "Set price" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  // Its currency is that of the prices of before.
  const history = page.getByRole("table", { name: /^Prices of cred_/ });
  await history.waitFor();
  await set({ Amount: "0.31", From: "2026-02-01" });
  await company.getByText("0.31 EUR").waitFor();
  await set({ Amount: "0.25", From: "2026-02-01", "Above calls per month": "1000" });
  await history.getByText("above 1,000 calls per month").waitFor();
  await history.getByRole("row").filter({ hasText: "0.40 EUR" }).getByText("past").waitFor();
  await assertUsableEverywhere(page);

  await history.getByRole("row").filter({ hasText: "0.31 EUR" }).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await company.getByText("0.40 EUR").waitFor();
  const { cred_id } = (await verb("credential price current", { org: acme.id })).credentials.find(
    (one: { source: string }) => one.source === "registry__company",
  );
  assert.equal((await verb("credential price list", { cred_id })).prices.length, 1);

  // Whoever is quicker than the prices of before gets their currency when they come.
  const list = Promise.withResolvers<void>();
  await page.route("**/api/credential/price/list", async (route) => {
    await list.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByRole("button", { name: "Set a price" }).click();
  const currency = page.getByRole("dialog", { name: "Set a price" }).getByLabel("Currency");
  assert.equal(await currency.inputValue(), "");
  list.resolve();
  await until(async () => (await currency.inputValue()) === "EUR");
});

test(
  "spend is shown by vendor, with its days in a chart that has the same figures as a table",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb, runs } = await startWorld(t, "little");
    const month = new Date().toISOString().slice(0, 7);
    await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === runs);
    const { spend } = await verb("ledger spend", { by: "vendor", from: `${month}-01`, to: "2100-01-01" });
    const page = await openConsole(t, service, { as: "viewer", at: "/money" });
    const table = page.getByRole("table", { name: "Spend by vendor" });
    for (const { vendor, requests } of spend)
      await table
        .getByRole("row")
        .filter({ hasText: vendor })
        .getByRole("cell", { name: String(requests) })
        .first()
        .waitFor();
    await page.getByText("Figures").first().click();
    const today = page.getByRole("table").filter({ hasText: "bureau" }).first();
    await today.waitFor();
    await assertUsableEverywhere(page);
  },
);

test(
  "many unknown charges are settled at once, selected or all of a source in a time",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb, runs } = await startWorld(t, "little");
    await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === runs);
    const open = async () => (await verb("ledger unknown", {})).requests as { charge: string; source: string }[];
    const before = await open();
    assert.ok(before.length >= 2, `${before.length}`);
    const page = await openConsole(t, service, { as: "operator", at: "/money/unknown" });
    const table = page.getByRole("table", { name: "Unknown charges, oldest first" });
    await table.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Settle 1 selected" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("One unknown charge").waitFor();
    await assertUsableEverywhere(page);
    await dialog.getByLabel("Were they charged?").selectOption("yes");
    await dialog.getByLabel("Reason").fill("the vendor's list of today");
    await dialog.getByRole("button", { name: "Settle one charge as charged" }).click();
    await dialog.getByText("One charge is settled.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await until(async () => (await open()).length === before.length - 1);
    const [next] = await open();
    const run = await verb("ledger show", { transaction: before[0]!.charge.split(":")[0]! });
    assert.equal(run.reconciliations.at(-1).note, "the vendor's list of today");

    await page.getByText("Choose a source and a time to settle all of it at once.").waitFor();
    await page.getByLabel("Source", { exact: true }).selectOption(next!.source);
    await page.getByRole("button", { name: "24 h" }).click();
    const count = (await open()).filter(({ source }) => source === next!.source).length;
    await page.getByRole("button", { name: `Settle all of ${next!.source} in this time` }).click();
    await dialog.getByLabel("Reason").fill("it was down");
    await dialog.getByRole("button", { name: /^Settle .* as not charged$/ }).click();
    await dialog.getByText(/settled\. Sums/).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("No charge of this filter is unknown.").waitFor();
    assert.equal((await open()).length, before.length - 1 - count);
    await assertUsableEverywhere(page);
  },
);

test("a new budget can count what its month has cost so far", { skip: NO_BROWSER }, async (t) => {
  const { service, acme, verb, runs } = await startWorld(t, "little");
  await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === runs);
  const page = await openConsole(t, service, { at: `/money/budgets?org=${acme.id}` });
  await page.getByRole("button", { name: "Set a budget" }).click();
  const dialog = page.getByRole("dialog", { name: "Set a budget" });
  await dialog.getByLabel("Source").selectOption("bureau__credit_report");
  await dialog.getByText(/^So far this month/).waitFor();
  await dialog.getByLabel("Amount").fill("900");
  await dialog.getByLabel("Currency").fill("EUR");
  await dialog.getByLabel(/^Count what this month has cost so far/).check();
  await dialog.getByRole("button", { name: "Set budget" }).click();
  const row = page.getByRole("row").filter({ hasText: /900\.00 EUR\s*a month/ });
  await row.waitFor();
  const own = (await verb("budget list", { org: acme.id })).budgets.find(
    ({ limit }: { limit: string }) => limit === "900.00 EUR",
  );
  assert.match(own.counts_from, /-01T00:00:00/);
  assert.notEqual(own.used, "0.00 EUR");
  await row.getByRole("link", { name: /^Details/ }).click();
  await page.getByText(/^At this rate/).waitFor();
  await assertUsableEverywhere(page);
});
