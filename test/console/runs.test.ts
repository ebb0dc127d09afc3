import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertUsableEverywhere, chooseOrganization, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld, worldToLookAt, type World } from "../rig/browser/world.ts";
import { startService } from "../rig/service.ts";
import { until } from "../rig/until.ts";

interface Listed {
  readonly transaction_id: string;
  readonly charge_unknown: number;
  readonly outcomes: readonly unknown[];
}

/** The runs of a world, once all of them are on the ledger. */
async function runsOf({ verb, runs }: World, filter: object = {}): Promise<readonly Listed[]> {
  await until(async () => (await verb("ledger list", { limit: 1_000 })).runs.length === runs);
  return (await verb("ledger list", { limit: 1_000, ...filter })).runs;
}

/** The page has all that it asked for: names come last. */
async function named(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Acme Lending" }).first().waitFor();
}

test(
  "the newest run comes first, every filter is in the address, and a run leads to its page",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await worldToLookAt();
    const all = await runsOf(world);
    const page = await openConsole(t, world.service, { as: "viewer", at: "/runs" });
    const rows = page.getByRole("table", { name: "Runs" }).getByRole("row");
    await page.getByText("1 to settle").first().waitFor();
    await rows.nth(all.length).waitFor();
    assert.equal(await rows.count(), 1 + all.length);
    const newest = all.toSorted((one, other) => (one.transaction_id < other.transaction_id ? 1 : -1));
    for (const [at, { transaction_id: id }] of newest.entries())
      assert.ok((await rows.nth(at + 1).innerText()).includes(id.slice(-8)));
    assert.match(await rows.nth(1).innerText(), /Acme Lending/);
    // Each call is a shape with a name, and the first failure is in words.
    const { outcomes } = newest[0]!;
    assert.equal(await rows.nth(1).getByRole("img").count(), outcomes.length);
    await rows
      .nth(1)
      .getByRole("img", { name: /^registry__company: (found|no record)$/ })
      .waitFor();
    await rows
      .getByText(/^register__insolvency\s*: (timeout|connection lost|rate limit of the vendor)$/)
      .first()
      .waitFor();
    await assertUsableEverywhere(page);
    // A narrow row has two lines.
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(((await rows.nth(1).boundingBox())?.height ?? 0) < 64);
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.getByLabel("Failure").selectOption("timeout");
    await page.waitForURL(/failure=timeout/);
    const timedOut = await runsOf(world, { failure: "timeout" });
    await until(async () => (await rows.count()) === 1 + timedOut.length);
    await page.getByLabel("Took at least (ms)").fill("9999999");
    await page.keyboard.press("Enter");
    await page.getByText("No run matches the filter.").waitFor();
    await page.getByText("--failure timeout --min-duration-ms 9999999").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page
      .getByText(`${all.filter(({ charge_unknown: unknown }) => unknown > 0).length} runs have a charge to settle.`)
      .waitFor();
    await page.getByRole("link", { name: "Show them" }).click();
    await page.waitForURL(/charged=unknown/);
    assert.equal(await page.getByText("a charge to settle").count(), 0);
    await page.getByRole("button", { name: "Show all" }).click();
    await page.waitForURL(/\/runs$/);

    await page.getByLabel("Outcome", { exact: true }).focus();
    await page.getByLabel("Outcome", { exact: true }).selectOption("failed");
    await page.waitForURL(/outcome=failed/);
    // Whoever goes through the filter by keyboard is still where they were.
    await page.getByRole("button", { name: "Show all" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.name"), "outcome");
    await page.getByLabel("Charge").selectOption("unknown");
    await page.waitForURL(/charged=unknown/);
    await chooseOrganization(page, "Borealis Bank");
    await page.getByText("No run matches the filter.").waitFor();
    await page.getByText(`--org ${world.service.b.id}`).waitFor();
    await chooseOrganization(page, "Acme Lending");
    const toSettle = await runsOf(world, { outcome: "failed", charged: "unknown" });
    await page.getByText("1 to settle").first().waitFor();
    await rows.nth(toSettle.length).waitFor();
    assert.equal(await rows.count(), 1 + toSettle.length);
    await page.getByLabel("Source", { exact: true }).fill("register__insolvency");
    await page.keyboard.press("Enter");
    await page.waitForURL(/source=register__insolvency/);

    // Somebody else sees the same at this address, and going back undoes one step.
    const { pathname, search } = new URL(page.url());
    const shared = await openConsole(t, world.service, {
      as: world.owner,
      at: pathname.replace("/console", "") + search,
    });
    assert.equal(await shared.getByLabel("Source", { exact: true }).inputValue(), "register__insolvency");
    assert.equal(await shared.getByLabel("Outcome", { exact: true }).inputValue(), "failed");
    await named(shared);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("source"));
    await page.getByRole("button", { name: "Show all" }).click();
    await page.waitForURL(/\/runs$/);
    assert.equal(await page.evaluate("document.activeElement.name"), "org");

    await page.getByRole("button", { name: "Custom" }).click();
    const custom = page.locator(".time-range-custom");
    await custom.getByLabel("From").fill("2001-01-01T10:30");
    await custom.getByLabel("Before").fill("2001-01-02T00:00");
    await page.keyboard.press("Enter");
    await page.waitForURL(/from=2001-01-01T10%3A30/);
    await page.getByText("No run matches the filter.").waitFor();
    await page.getByRole("button", { name: "1 h", exact: true }).click();
    await page.waitForURL(/range=1h/);
    await page.getByText("1 to settle").first().waitFor();

    // The chart counts the runs of the filter, and a part that is selected in it is the range of the list.
    await page.getByRole("button", { name: "24 h", exact: true }).click();
    await page.waitForURL(/range=24h/);
    const chart = page.getByRole("region", { name: "Runs over time" });
    await chart.getByRole("heading", { name: `Runs by outcome, the last 24 hours: ${all.length}` }).waitFor();
    await page.getByLabel("Failure").selectOption("timeout");
    await chart.getByRole("heading", { name: `Runs by outcome, the last 24 hours: ${timedOut.length}` }).waitFor();
    await page.getByLabel("Failure").selectOption("");
    await chart.getByRole("heading", { name: `Runs by outcome, the last 24 hours: ${all.length}` }).waitFor();
    await chart.getByText("no data before").last().waitFor();
    const first = chart.getByRole("slider", { name: "From" });
    await first.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.has("from") && url.searchParams.has("to"));
    await page.getByText("1 to settle").first().waitFor();
    await rows.nth(all.length).waitFor();
    assert.equal(await rows.count(), 1 + all.length);
    await assertUsableEverywhere(page);
    await page
      .getByRole("link", { name: /\d{2}:\d{2}:\d{2}/ })
      .first()
      .click();
    await page.waitForURL(/\/runs\/trx_/);
    await named(page);
  },
);

test(
  "a run says first what it cost, who was paid and why; a viewer settles nothing, an operator does, once asked",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    const first = (await runsOf(world)).find(({ charge_unknown: unknown }) => unknown > 0);
    const at = `/runs/${first!.transaction_id}`;
    const viewer = await openConsole(t, world.service, { as: "viewer", at });
    await viewer
      .getByText(/It cost at least .* and at most .* EUR: it is unknown whether 1 request was charged/)
      .waitFor();
    const paid = viewer.getByRole("table", { name: "Charges" });
    assert.match(await paid.innerText(), /cred_….{8}[\s\S]*the newest active one/);
    assert.match(await paid.innerText(), /register__insolvency[\s\S]*unknown[\s\S]*0\.00 to 0\.12 EUR/);
    // What failed explains itself where it stands.
    await viewer
      .getByRole("paragraph")
      .filter({ hasText: /failed: (the vendor did not reply in time|the connection was lost)/ })
      .waitFor();
    assert.equal(await viewer.getByRole("button", { name: /Settle/ }).count(), 0);
    await assertUsableEverywhere(viewer);

    const page = await openConsole(t, world.service, { as: "operator", at });
    await page.getByRole("button", { name: "Settle the charge of request 1 of call" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Settle a charge" });
    await dialog.getByText(/for Acme Lending whether register__insolvency charged request 1/).waitFor();
    await assertUsableEverywhere(page);
    await dialog.getByLabel("Was it charged?").selectOption("yes");
    await dialog.getByLabel("Amount billed").fill("0.15");
    await dialog.getByLabel("Reason").fill("Invoice <b>4711</b>");
    await dialog.getByRole("button", { name: "Record as charged" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(/were charged, and nothing is uncertain\./).waitFor();
    await page.getByText(/settled as charged by operator.*: Invoice <b>4711<\/b>/).waitFor();
    const shown = await world.verb("ledger show", { transaction: first!.transaction_id });
    assert.equal(shown.reconciliations.at(-1).price, "0.15");
    assert.equal(shown.unpriced, 0);
  },
);

test(
  "calls are opened and closed by keyboard, and the address keeps which are open",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await worldToLookAt();
    const [first] = await runsOf(world);
    const page = await openConsole(t, world.service, { as: "viewer", at: `/runs/${first!.transaction_id}?open=none` });
    const names = page.locator(".timeline-name");
    await names.first().waitFor();
    assert.equal(await page.locator('[aria-expanded="true"]').count(), 0);
    await names.first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/open=1$/);
    await page.getByRole("table", { name: /^Requests of/ }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Space");
    await page.waitForURL(/open=0%2C1$/);
    assert.equal(await page.locator('[aria-expanded="true"]').count(), 2);
    await page.keyboard.press("Enter");
    await page.waitForURL(/open=1$/);
    await named(page);
  },
);

test("the runs of a filter are saved as a file, and a file that breaks off is not", { skip: NO_BROWSER }, async (t) => {
  const world = await worldToLookAt();
  const failed = await runsOf(world, { outcome: "failed" });
  const page = await openConsole(t, world.service, { as: "viewer", at: "/runs?outcome=failed", failing: /export/ });
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export JSON lines" }).click(),
  ]);
  assert.equal(saved.suggestedFilename(), "ledger.jsonl");
  const lines = readFileSync(await saved.path(), "utf8")
    .trim()
    .split("\n");
  assert.equal(lines.length, failed.length);
  const [csv] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  assert.match(readFileSync(await csv.path(), "utf8"), /^transaction_id,state,/);

  await page.route("**/api/ledger/export", (route) => route.abort("connectionreset"));
  await page.getByRole("button", { name: "Export CSV" }).click();
  await page.getByRole("alert").waitFor();

  // Where the browser cannot write to the disk by itself, no more is held in memory than a bound.
  await page.evaluate(`window.fetch = async () => {
    let left = 101;
    const megabyte = new Uint8Array(1_000_000);
    return new Response(new ReadableStream({ pull(it) { (left -= 1) < 0 ? it.close() : it.enqueue(megabyte); } }));
  }`);
  await page.getByRole("button", { name: "Export CSV" }).click();
  await page.getByRole("alert").filter({ hasText: "larger than 100 MB" }).waitFor();
  await page.getByText("datarun ledger export ledger.csv --outcome failed --format csv").waitFor();
});

/** In place of the browser's window: a file of the page's own, which is written as a chosen one is. */
const PICKER = `window.showSaveFilePicker = async ({ suggestedName }) => {
  if (window.cancels) throw new DOMException("", "AbortError");
  const folder = await navigator.storage.getDirectory();
  return folder.getFileHandle(suggestedName, { create: true });
}`;
const SAVED = `(async () => {
  const saved = {};
  for await (const [name, file] of await navigator.storage.getDirectory())
    // While a file is being closed, the one that the browser wrote to takes its place.
    await file.getFile().then((it) => it.text()).then((text) => (saved[name] = text), (error) => { if (error.name !== "NotFoundError") throw error; });
  return saved;
})()`;

test(
  "a file is written to the disk as it comes, and what breaks off leaves nothing",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await worldToLookAt();
    const all = await runsOf(world);
    const page = await openConsole(t, world.service, { as: "viewer", at: "/runs", failing: /export/ });
    await named(page);
    await page.evaluate(PICKER);
    const button = page.getByRole("button", { name: "Export JSON lines" });
    const idle = () => button.and(page.locator("[aria-busy=false]")).waitFor();
    await page.evaluate("window.cancels = true");
    await button.click();
    await idle();
    assert.deepEqual(
      await page.evaluate(SAVED),
      {},
      "nothing is asked for and nothing is said when nothing was chosen",
    );
    assert.equal(await page.getByRole("alert").count(), 0);

    await page.evaluate("window.cancels = false");
    await button.click();
    await until(async () => Object.keys((await page.evaluate(SAVED)) as object).length === 1);
    await idle();
    const saved = (await page.evaluate(SAVED)) as Readonly<Record<string, string>>;
    assert.equal(saved["ledger.jsonl"]!.trim().split("\n").length, all.length);

    await page.evaluate(`window.fetch = async () => {
    let pieces = 3;
    return new Response(new ReadableStream({ pull(it) { (pieces -= 1) < 0 ? it.error(new Error("gone")) : it.enqueue(new Uint8Array(1_000)); } }));
  }`);
    await button.click();
    await page.getByRole("alert").filter({ hasText: "was cut off before its end" }).waitFor();
    assert.deepEqual(await page.evaluate(SAVED), {});

    await page.evaluate(`window.showSaveFilePicker = async () => ({
      createWritable: async () => { throw new DOMException("The disk is full.", "QuotaExceededError"); },
    })`);
    await button.click();
    await page.getByRole("alert").filter({ hasText: "The file could not be written: The disk is full." }).waitFor();

    // While one is under way, the browser asks before the page is left; with the page of the console, it ends.
    await page.evaluate(PICKER);
    await page.evaluate(`window.fetch = async (asked, { signal }) => {
    if (asked.endsWith("/export")) {
      signal.addEventListener("abort", () => (window.wasAborted = true));
      window.isUnderWay = true;
    }
    return new Response(new ReadableStream());
  }`);
    // What is cancelled earlier than this was never asked for.
    const underWay = () => until(async () => (await page.evaluate("window.isUnderWay")) === true);
    await button.click();
    await underWay();
    const cancel = page.getByRole("button", { name: "Cancel" });
    // Whatever the filter is meanwhile, what came of it is said.
    await page.getByLabel("Outcome", { exact: true }).selectOption("failed");
    await page.waitForURL(/outcome=failed/);
    await cancel.press("Enter");
    await page.getByRole("status").filter({ hasText: "The export was cancelled. No file was saved." }).waitFor();
    await page.getByText("About the export with the previous filter:").waitFor();
    assert.equal(await page.evaluate("window.wasAborted"), true);
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Export CSV");
    assert.equal(await cancel.count(), 0);
    assert.deepEqual(await page.evaluate(SAVED), {});
    await page.evaluate("window.isUnderWay = window.wasAborted = false");
    const asksToStay = `!window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`;
    await until(async () => (await page.evaluate(asksToStay)) === false);
    await button.click();
    await underWay();
    await until(async () => (await page.evaluate(asksToStay)) === true);
    await page.getByRole("navigation").getByRole("link", { name: "Audit" }).click();
    await until(async () => (await page.evaluate("window.wasAborted")) === true);
    await until(async () => (await page.evaluate(asksToStay)) === false);
  },
);

/** Changes a record behind the service's back: its checksum no longer fits. */
function damage({ service }: World, run: string): void {
  const database = new DatabaseSync(join(service.dataDir, "ledger", "journal.db"), { timeout: 5_000 });
  database.exec(`UPDATE runs SET took_ms = took_ms + 64 WHERE transaction_id = '${run}'`);
  database.close();
}

test(
  "runs that are damaged are named beside the list and beside a file, and lead to what is left",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "little");
    const all = await runsOf(world);
    const ids = all.slice(0, 2).map(({ transaction_id: id }) => id);
    for (const id of ids) damage(world, id);
    const page = await openConsole(t, world.service, { as: "viewer", at: "/runs" });
    const status = page
      .getByRole("status")
      .filter({ hasText: "The records of 2 runs are damaged, and left out of this list" });
    await status.getByRole("link", { name: ids[1]! }).waitFor();
    await named(page);
    assert.equal(await page.getByRole("table", { name: "Runs" }).getByRole("row").count(), 1 + all.length - 2);
    const file = page
      .getByRole("status")
      .filter({ hasText: "The records of 2 runs are damaged, and the file has only their ids" });
    for (const name of ["Export CSV", "Export JSON lines"]) {
      const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
      assert.match(readFileSync(await saved.path(), "utf8"), new RegExp(`${ids[0]}.*damaged`));
      await file.getByRole("link", { name: ids[0]! }).waitFor();
    }
    await assertUsableEverywhere(page);
    for (const width of process.env["SHOTS"] ? [1280, 390] : []) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${process.env["SHOTS"]}/runs-damaged-${width}.png` });
    }
    await page.getByLabel("Outcome", { exact: true }).selectOption("unknown");
    await page.getByText("No run matches the filter.").waitFor();
    assert.equal(await file.count(), 0, "it was of another filter");
    await page.goBack();
    await status.getByRole("link", { name: ids[0]! }).click();
    await page.getByText("damaged").first().waitFor();
  },
);

test(
  "a new deployment's runs say what will be here, and a run that is not there says so",
  { skip: NO_BROWSER },
  async (t) => {
    const service = await startService(t);
    const page = await openConsole(t, service, { at: "/runs", failing: /ledger\/show/ });
    await page.getByText("No run has ended yet.").waitFor();
    await assertUsableEverywhere(page);
    await page.goto(`${service.adminUrl}/console/runs/trx_0`);
    await page.getByRole("alert").getByText("There is no such run").waitFor();
  },
);
