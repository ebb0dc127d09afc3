import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const HOSTILE = `<img src=x onerror="alert(1)">`;

test(
  "an invoice that is pasted or dropped is held against the month, with the differences first",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "little");
    const today = new Date().toISOString().slice(0, 10);
    await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === 4);
    const page = await openConsole(t, service, { as: "viewer", at: "/money/invoice", failing: /ledger\/compare/ });
    const charges = page.getByRole("table", { name: "Charges by source and credential" });
    await charges
      .getByRole("row")
      .filter({ hasText: "registry__company" })
      .getByRole("link", { name: /^Compare/ })
      .click();
    await page.getByRole("heading", { name: "Compare an invoice for registry__company" }).waitFor();

    const field = page.getByLabel("The invoice as CSV");
    await field.fill(`Datum;Betrag;Text\n${today};1,60;"${HOSTILE.replaceAll('"', '""')}"\nnever;1;x\n`);
    // What the columns mean is guessed from their headings.
    assert.equal(await page.getByLabel("Each line is for").inputValue(), "day");
    assert.equal(await page.getByLabel("Column with it").inputValue(), "Datum");
    assert.equal(await page.getByLabel("Amounts have the form 1.234,56").isChecked(), true);
    await page.getByLabel("Currency of all lines").fill("eur");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("The invoice and the ledger agree.").waitFor();
    await page.getByRole("table", { name: "Lines that could not be read" }).getByRole("cell", { name: "3" }).waitFor();
    await assertUsableEverywhere(page);

    const transfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(`Reference,Net\n${HOSTILE.replaceAll('"', "")},0.70\n`)}], "invoice.csv"));
    return data;
  })()`);
    await page.locator(".money-drop").dispatchEvent("drop", { dataTransfer: transfer });
    // Whoever types before it is read does not mean it any more.
    await until(async () => (await field.inputValue()).startsWith("Reference,Net"));
    await page.getByLabel("Currency of all lines").fill("EUR");
    assert.equal(
      await page.getByText("The invoice and the ledger agree.").count(),
      0,
      "what was compared before is gone",
    );
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const differences = page.getByRole("table", { name: "Differences: theirs only" });
    const theirs = differences.getByRole("row").last();
    await theirs.getByText(HOSTILE.replaceAll('"', "")).waitFor();
    await theirs.getByText("0.70 EUR").waitFor();
    assert.match(
      (await theirs.getByRole("link").getAttribute("href"))!,
      /^\/console\/runs\?from=.*source=registry__company/,
    );
    await assertUsableEverywhere(page);

    await page.getByLabel("Column with it").selectOption("none");
    const compare = page.getByRole("button", { name: "Compare", exact: true });
    assert.equal(await compare.isDisabled(), true);
    assert.equal(await differences.count(), 0, "it was of another column");

    // An answer that comes after the form was changed is not of what is there.
    await page.getByLabel("Column with it").selectOption("Reference");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/api/ledger/compare", async (route) => {
      await held;
      await route.continue();
    });
    await compare.click();
    await page.getByLabel("Currency of all lines").fill("USD");
    release();
    await compare.and(page.locator("[aria-busy=false]")).waitFor();
    assert.equal(await differences.count(), 0);
    await compare.click();
    await differences.waitFor();

    // It is about this month, and stands under no other.
    await page.getByRole("navigation", { name: "Month" }).getByRole("link").first().click();
    await page.getByText(/^Nothing was sent to a vendor in/).waitFor();
    assert.equal(await differences.count(), 0);
  },
);

test(
  "of an invoice that is pasted and a file that is read slowly, the last one stays",
  { skip: NO_BROWSER },
  async (t) => {
    const { service } = await startWorld(t, "none");
    const page = await openConsole(t, service, { at: "/money/invoice?month=2026-03" });
    // A file on a slow disk is read when the test says so; "gone.csv" cannot be.
    await page.evaluate(`(() => {
    const read = Blob.prototype.arrayBuffer;
    window.slow = [];
    Blob.prototype.arrayBuffer = function () {
      if (this.name === "gone.csv") return Promise.reject(new DOMException("gone", "NotReadableError"));
      return new Promise((resolve) => window.slow.push(() => resolve(read.call(this))));
    };
  })()`);
    const release = (which: number) => page.evaluate(`(window.slow[${which}](), 1)`);
    const field = page.getByLabel("The invoice as CSV");
    const files = page.getByLabel("CSV file");
    const compare = page.getByRole("button", { name: "Compare", exact: true });
    const choose = (name: string, text: string) =>
      files.setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

    await choose("first.csv", "Date,Qty\n2026-03-01,1\n");
    await field.fill("Date,Qty\n2026-03-02,2\n");
    await release(0);
    await page.evaluate("new Response('as long as a file takes').text()");
    assert.match(await field.inputValue(), /2026-03-02/);
    assert.equal(await files.inputValue(), "", "no file is named beside what was pasted");
    await choose("second.csv", "Date,Qty\n2026-03-03,3\n");
    assert.equal(await compare.isDisabled(), true, "what is in the field is not meant any more");
    await choose("third.csv", "Date,Qty\n2026-03-04,4\n");
    await release(2);
    await until(async () => (await field.inputValue()).includes("2026-03-04"));
    await release(1);
    await compare.click();
    await page.getByRole("table", { name: "Differences" }).getByText("2026-03-04").first().waitFor();
    assert.match(await field.inputValue(), /2026-03-04/);

    await choose("gone.csv", "");
    await page.getByRole("alert").filter({ hasText: "gone.csv could not be read" }).waitFor();
    assert.equal(await page.getByRole("table", { name: "Differences" }).count(), 0);
    assert.equal(await compare.isDisabled(), false);
    await field.fill("Date,Qty\n2026-03-05,5\n");
    await page.getByRole("alert").waitFor({ state: "detached" });
  },
);

test(
  "a month without requests says so, and an invoice can be compared all the same",
  { skip: NO_BROWSER },
  async (t) => {
    const { service } = await startWorld(t, "none");
    const page = await openConsole(t, service, { at: "/money/invoice?month=2026-03" });
    await page.getByText("Nothing was sent to a vendor in March 2026.").waitFor();
    await page.getByLabel("CSV file").setInputFiles({
      name: "i.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("\ufeffDate\tQty\n2026-03-02\t3\n", "utf16le"),
    });
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("table", { name: "Differences" }).getByText("theirs only").waitFor();
    await assertUsableEverywhere(page);
  },
);

test(
  "a comparison begins with the amount in dispute, and settles what the invoice answers",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb, runs } = await startWorld(t, "little");
    await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === runs);
    const open = async () =>
      (await verb("ledger unknown", {})).requests as { transaction_id: string; price: string | null }[];
    const unknown = (await open()).length;
    const [{ source }] = (await open()) as unknown as readonly [{ readonly source: string }];
    const page = await openConsole(t, service, { as: "operator", at: `/money/invoice?source=${source}` });
    await page.getByRole("table", { name: "Charges by vendor" }).getByRole("link", { name: "registry" }).waitFor();
    // Bills a run that nobody made, and none of the unknown charges.
    const paid = (await verb("ledger list", { source, charged: "yes" })).runs[0].transaction_id as string;
    await page.getByLabel("The invoice as CSV").fill(`Transaction,Net\ntrx_nobody,7.70\n${paid},0.00\n`);
    await page.getByLabel("Currency of all lines").fill("EUR");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("In dispute").waitFor();
    await page.getByRole("heading", { name: /theirs only/ }).waitFor();
    await assertUsableEverywhere(page);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as CSV" }).click();
    assert.equal((await saved).suggestedFilename(), "differences.csv");

    await page.getByRole("button", { name: "Settle as the invoice says" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("invoice 12");
    await dialog.getByRole("button", { name: /as the invoice says$/ }).click();
    await dialog.getByText(/settled\. Sums/).waitFor();
    assert.ok((await open()).length < unknown);
  },
);
