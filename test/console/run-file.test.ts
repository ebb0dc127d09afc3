import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";

const inputs = {
  type: "object",
  properties: { number: { type: "string", minLength: 2 }, year: { type: "integer" } },
  required: ["number"],
} as const;
const charge = { model: "per_call", amount: 0.25, currency: "EUR" } as const;

/** Two sources; the second waits for `open` if there is one. */
async function startTwo(t: TestContext, open?: Promise<void>) {
  const asked: unknown[] = [];
  const service = await startService(t, {
    sources: [
      source(
        "acme__register",
        async ({ inputs: got }) => (asked.push({ ...got }), open && (await open), { name: "=cmd()" }),
        {
          title: "Register",
          inputs,
          charge,
        },
      ),
      source("bell__people", async () => null, {
        title: "People",
        inputs: { type: "object", properties: { name: { type: "string" } } },
      }),
    ],
  });
  const at = `/run?workflow=${service.a.workflow}&sources=acme__register,bell__people&from=file`;
  return { service, asked, at };
}

const choose = (page: Page, name: string, text: string | Buffer) =>
  page
    .getByLabel("CSV or JSON Lines, up to 1,000 rows")
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

const asksToStay = `!window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`;

async function saved(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  return readFileSync((await file.path())!, "utf8");
}

test("the rows of a file are planned, priced, run a few at a time, and saved", { skip: NO_BROWSER }, async (t) => {
  const { service, asked, at } = await startTwo(t);
  const page = await openConsole(t, service, { at });
  const evil = "<img src=x onerror=alert(1)>";
  await choose(page, "customers.csv", `Number;Year;Note\n10;2001;${evil}\n1;soon;x\n12;2003\n"13\n14";2004;y\n15;;z\n`);
  await page.getByText("4 of 5 rows can be run.").waitFor();
  await page.getByText("Row 2: acme__register").waitFor();
  await page.getByText("Row 3: line 4 has 2 cells, and the first line 3").waitFor();
  const run = page.getByRole("button", { name: /^Run 4 rows live/ });
  assert.equal(await run.innerText(), "Run 4 rows live, for at most 0.75 EUR");
  assert.equal(asked.length, 0);
  await run.click();
  await page.getByText("All 4 rows have ended.").waitFor();
  for (let run = 0; run < 4; run += 1) service.expectRunWithoutAnswer();
  assert.deepEqual(asked.map((one) => (one as { number: string }).number).sort(), ["10", "13\n14", "15"]);
  assert.deepEqual(
    asked.find((one) => (one as { number: string }).number === "10"),
    { number: "10", year: 2001 },
  );
  await page.getByRole("cell", { name: "found" }).first().waitFor();
  await assertUsableEverywhere(page);
  const csv = await saved(page, "Save as CSV");
  assert.match(csv, /^row,state,transaction_id,error,input\.number,/);
  assert.equal(csv.split("\r\n").length, 6);
  const lines = (await saved(page, "Save as JSON lines"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ row, answer }) => [row, answer.status.acme__register.success, answer.outputs.acme__register.name]),
    [
      [1, true, "=cmd()"],
      [2, false, undefined],
      [4, true, "=cmd()"],
      [5, true, "=cmd()"],
    ],
  );
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const path = `${process.env["SHOTS"]}/run-file-${width}.png`;
    if (process.env["SHOTS"]) await page.screenshot({ path, fullPage: true });
  }
});

test(
  "a file's runs can be stopped: what was started ends, and nothing more is run",
  { skip: NO_BROWSER },
  async (t) => {
    const open = Promise.withResolvers<void>();
    const { service, asked, at } = await startTwo(t, open.promise);
    const page = await openConsole(t, service, { at });
    const rows = Array.from({ length: 40 }, (_, row) => JSON.stringify({ number: `${100 + row}` }));
    await choose(page, "rows.jsonl", rows.join("\n"));
    await page.getByRole("button", { name: /^Run 40 rows/ }).click();
    await until(() => asked.length === 4);
    await page.getByRole("link", { name: "Sources", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
    assert.ok(await page.evaluate(asksToStay), "Paid outputs would be lost, also from another page.");
    await page.goBack();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The rows that were started are finished").waitFor();
    open.resolve();
    await page.getByText("4 of 40 rows have ended, and 36 were not run.").waitFor();
    assert.ok(!(await page.evaluate(asksToStay)));
    for (let run = 0; run < 4; run += 1) service.expectRunWithoutAnswer();
    assert.equal(asked.length, 4);
  },
);

test("what is wrong with a file is said, and nothing is run", { skip: NO_BROWSER }, async (t) => {
  const { service, asked, at } = await startTwo(t);
  const page = await openConsole(t, service, { at, failing: /plan-rows/ });
  for (const [name, text, says] of [
    ["empty.csv", "", "The file is empty."],
    ["open.csv", 'number\n"1\n', "is not closed"],
    ["latin.csv", Buffer.from("number\nM\xfcller\n", "latin1"), "latin.csv is not UTF-8."],
    ["many.jsonl", '{"number":"10"}\n'.repeat(1_001), "more than 1,000 rows"],
    ["large.csv", `number\n${"1".repeat(900_000)}\n`, "larger than 900 kB"],
    ["list.jsonl", '["10"]\n', "No row can be read. Row 1: the line is not a JSON object."],
    ["other.csv", "Firma\nX\n", "No column is like an input"],
  ] as const) {
    await choose(page, name, text);
    await page.getByText(says).waitFor();
    assert.equal(await page.getByRole("button", { name: /^Run \d/ }).count(), 0);
  }
  await page.getByLabel("Columns of inputs with other names").fill("number=Firma");
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByText("1 of 1 rows can be run.").waitFor();
  assert.equal(asked.length, 0);
});

test("what is run is what was shown, and the keyboard stays at its button", { skip: NO_BROWSER }, async (t) => {
  const { service, asked, at } = await startTwo(t);
  const page = await openConsole(t, service, { at });
  const long = "b".repeat(300);
  await choose(page, `${"a".repeat(180)}.csv`, `number,other,${long}\n10,99,x\n`);
  const run = page.getByRole("button", { name: /^Run 1 row live/ });
  await run.waitFor();
  await assertUsableEverywhere(page);
  await page.getByLabel("Columns of inputs with other names").fill("number=other");
  await run.press("Enter");
  await page.getByText("Nothing was run.").waitFor();
  await page.getByText("number from other").waitFor();
  assert.equal(asked.length, 0);
  await run.press("Enter");
  await page.getByText("All 1 rows have ended.").waitFor();
  service.expectRunWithoutAnswer();
  assert.deepEqual(asked, [{ number: "99" }]);
  await page.getByRole("heading", { name: `Results of ${"a".repeat(180)}.csv` }).waitFor();
  assert.match(String(await page.evaluate("document.activeElement.textContent")), /^Run 1 row/);
  await assertUsableEverywhere(page);
});

test("the results of many sources fit", { skip: NO_BROWSER }, async (t) => {
  const ids = Array.from({ length: 12 }, (_, at) => `vendor${at}__a_long_record_of_companies_and_persons` as const);
  const service = await startService(t, { sources: ids.map((id) => source(id, async () => ({}), { inputs })) });
  const at = `/run?workflow=${service.a.workflow}&sources=${ids.join(",")}&from=file`;
  const page = await openConsole(t, service, { at });
  await choose(page, "one.csv", "number\n10\n");
  await page.getByRole("button", { name: /^Run 1 row live/ }).click();
  await page.getByText("All 1 rows have ended.").waitFor();
  service.expectRunWithoutAnswer();
  await assertUsableEverywhere(page);
});
