import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, chooseOrganization, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { encodeCounts, type ShapeCounts } from "../../src/health/shape-counts.ts";
import { openSources } from "../../src/project/open-catalogs.ts";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, source } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { bare } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const skip = NO_BROWSER;

/** Answers on the machine; one of its cases is wrong about it. */
const checked = source("acme__checked", ({ inputs }) => ({ name: inputs["name"] }), {
  title: "Checked by cases",
  inputs: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  cases: [
    { name: "says the name", inputs: { name: "Ada" }, expect: { match: true, output: { name: "Ada" } } },
    { name: "says another", inputs: { name: "Ada" }, expect: { match: true, output: { name: "Grace" } } },
  ],
});

test("sources are found by what the address says, and one shows who may use it and no secret", { skip }, async (t) => {
  const world = await startWorld(t, "little");
  // Runs reach the ledger a moment after their answers.
  const calls = async () =>
    (await world.verb("ledger activity", { source: "register__insolvency" })).activity[0]?.calls;
  await until(async () => (await calls()) === 4);
  const page = await openConsole(t, world.service, { as: "viewer", at: "/sources" });
  await page.getByRole("row", { name: /Insolvency announcements .* 4 50 % 0 [\d.]+ m?s/ }).waitFor();
  await page.getByText("5 sources").waitFor();
  await assertUsableEverywhere(page);
  await page.getByLabel("Find").fill("number insolvency");
  await page.getByText("1 of 5 sources").waitFor();
  assert.equal(new URL(page.url()).search, "?find=number+insolvency");
  await page.reload();
  await page.getByText("1 of 5 sources").waitFor();
  await page.getByLabel("Billed").selectOption("free");
  await page.getByText("No source matches the filter.").waitFor();
  await page.getByLabel("Billed").selectOption("");

  await page.getByRole("link", { name: "Insolvency announcements" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Insolvency announcements" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/sources/register__insolvency");
  await page.getByText("0.10 EUR per request").waitFor();
  await page
    .getByRole("table", { name: "Inputs" })
    .getByRole("row", { name: /number string yes/ })
    .waitFor();
  const uses = page.getByRole("region", { name: "Use it" });
  for (const language of ["curl", "TypeScript", "Python"]) {
    await uses.getByRole("button", { name: language, exact: true }).click();
    const text = await uses.getByLabel(`The run as ${language}`).innerText();
    // It has no cases: its fields have examples.
    for (const part of ["register__insolvency", "DATARUN_WORKFLOW", "09446231"]) assert.ok(text.includes(part), text);
  }
  const lastDay = page.getByRole("region", { name: "Calls", exact: true });
  await lastDay.locator("dd").getByText("4", { exact: true }).waitFor();
  assert.equal(await lastDay.getByText("2 (50 %)").count(), 2, "found, and failed");
  await lastDay.getByText("source.timeout").first().waitFor();
  await lastDay.getByRole("link", { name: "Show the runs" }).waitFor();
  const holders = page.getByRole("table", { name: "Stored credentials by organization" });
  await holders.getByRole("row", { name: /Acme Lending cred_.* active no every/ }).waitFor();
  // What only an operator may do is not offered.
  assert.equal(await page.getByRole("button", { name: /Run its cases|Make a (live )?call/ }).count(), 0);
  world.service.secrets.assertAbsent("the page", await page.content());
  await assertUsableEverywhere(page);

  await page.goBack();
  await page.getByText("1 of 5 sources").waitFor();
});

test("the cases of a source are run, and one that differs says where", { skip }, async (t) => {
  const service = await startService(t, { sources: [checked] });
  const page = await openConsole(t, service, { as: "operator", at: "/sources/acme__checked" });
  await page.getByRole("button", { name: "Run its cases" }).click();
  await page.getByText(/cases ran: 1 differ/).waitFor();
  const cases = page.getByRole("table", { name: "Cases" });
  await cases.getByRole("row", { name: /says the name .* as expected/ }).waitFor();
  await cases
    .getByRole("row", { name: 'says another {"name":"Ada"} record differs output/name: expected "Grace", found "Ada"' })
    .waitFor();
  await assertUsableEverywhere(page);
});

test("a vendor is asked once, by a live workflow, after its price was shown and agreed to", { skip }, async (t) => {
  const world = await startWorld(t, "little");
  const { service, vendor, acme } = world;
  const before = vendor.requests.length;
  const page = await openConsole(t, service, { as: "operator", at: "/sources/registry__company" });
  await page.getByRole("button", { name: "Make a live call" }).focus();
  await page.keyboard.press("Enter");
  await chooseOrganization(page, "Acme Lending");
  const workflows = page.getByRole("combobox", { name: "Workflow" });
  await workflows.fill(acme.workflow);
  await page.getByRole("option").filter({ hasText: acme.workflow }).waitFor();
  await workflows.press("Enter");
  await page.getByText("at most 0.40 EUR per request, by the price of the credential").waitFor();
  assert.equal(await page.getByLabel("Registration number").inputValue(), "09446231");
  await assertUsableEverywhere(page);

  await page.getByLabel("Registration number").fill("");
  await page.getByText("The call would fail, and nothing would be sent").waitFor();
  await page.getByLabel("Registration number").fill("09446231");
  const ask = page.getByRole("button", { name: "Make one call: at most 0.40 EUR" });
  await ask.click();
  const dialog = page.getByRole("dialog", { name: "Make a live call to Company profile?" });
  await dialog.getByText(vendor.origin).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.equal(vendor.requests.length, before, "nothing is asked before it is agreed to");

  await ask.click();
  await dialog.getByRole("button", { name: /^Make one call/ }).click();
  const answer = page.getByRole("region", { name: "Answer" });
  await answer.waitFor();
  assert.equal(vendor.requests.length, before + 1);
  const run = await answer.getByRole("link", { name: /trx_/ }).getAttribute("href");
  assert.match(run!, /^\/console\/runs\/trx_[0-9a-f]+$/);
  service.expectRunWithoutAnswer();
  await assertUsableEverywhere(page);

  await page.getByRole("link", { name: "Open in Run" }).click();
  await page.getByRole("heading", { level: 1, name: "Run" }).waitFor();
  await page.getByText("Company profile").first().waitFor();
});

test("a source that is not called for now, because its vendor fails, says so while it is so", { skip }, async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/broken", bare(500));
  const broken = asksVendor("acme__broken", vendor, "/broken");
  const service = await startService(t, { sources: [broken], vendors: [vendor] });
  const page = await openConsole(t, service, { as: "viewer", at: "/sources/acme__broken" });
  await page.getByText("The ledger has no run yet.").first().waitFor();
  await Promise.all(Array.from({ length: 24 }, () => service.run({ acme__broken: true })));
  const now = page.getByRole("status").filter({ hasText: "Blocked" });
  await now.getByText("most calls to its vendor fail").waitFor();
  await now.getByRole("link", { name: "A", exact: true }).waitFor();
  await assertUsableEverywhere(page);
});

test("what authors write is text: no markup, no script, and only links to pages", { skip }, async (t) => {
  const hostile = `<img src=x onerror="alert(1)"> [click](javascript:alert(1)) \`</code><script>alert(1)</script>\` **<b>**`;
  const service = await startService(t, {
    sources: [
      answers(
        "acme__hostile",
        {},
        {
          title: "<script>alert(1)</script>\u202e",
          description: `${hostile}\n\n- ${hostile}\n\n| ${hostile} | b |\n| --- | --- |\n| ${hostile} | [fine](https://acme.example/) |`,
          inputs: {
            type: "object",
            properties: {
              "<b>__proto__</b>": { title: hostile, description: hostile, examples: [hostile, { a: hostile }] },
            },
          },
          data: [{ name: hostile, licence: hostile, date: hostile, url: "https://acme.example/data" }],
          cases: [{ name: hostile, inputs: { "</code>": hostile }, expect: { match: true } }],
        },
      ),
    ],
  });
  const page = await openConsole(t, service, { as: "operator", at: "/sources/acme__hostile" });
  await page.getByRole("heading", { level: 1, name: "<script>alert(1)</script>" }).waitFor();
  await page.getByRole("button", { name: "Run its cases" }).click();
  await page.getByText(/cases ran/).waitFor();
  const made = await page.locator("main img, main script, main b").count();
  assert.equal(made, 0);
  const hrefs = await page.locator("main a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  assert.deepEqual(
    hrefs.filter((href) => !href!.startsWith("/console/")),
    ["https://acme.example/", "https://acme.example/data"],
  );
  await assertUsableEverywhere(page);
  await page.goto(`${service.adminUrl}/console/sources?find=%3Cscript%3E`);
  await page.getByText("1 of 2 sources").waitFor();
});

test("a source without declared fields of a record says what makes one", { skip }, async (t) => {
  const file = (id: string, more: string) => `id: ${id}
title: ${id}
inputs: {type: object, required: [number], properties: {number: {type: string}}}
origins: ['https://api.acme.example']
request: {url: 'https://api.acme.example/{{ inputs.number }}'}
match: {record: status == \`200\`, no_record: status == \`404\`}
${more}`;
  const folder = project(t, {
    "sources/mapped.yaml": file("acme__mapped", "map: {name: body.name}"),
    "sources/passed.yaml": file("acme__passed", ""),
  });
  const { all } = await openSources(folder);
  const loaded = new Map([...all].filter(([, { from }]) => from === "project"));
  const service = await startService(t, { sources: [answers("acme__coded", { name: "Ada" })], loaded });
  const page = await openConsole(t, service, { as: "viewer", at: "/sources/acme__passed" });
  const output = page.getByRole("region", { name: "Output" });
  await output.getByText("The vendor's reply, unchanged.").waitFor();
  for (const [id, says] of [
    ["acme__mapped", "The record is made from the vendor's reply by the map below. No fields are declared."],
    ["acme__coded", "The record is defined by the code of the source. No fields are declared."],
  ] as const) {
    await page.goto(`${service.adminUrl}/console/sources/${id}`);
    await page.getByRole("heading", { level: 1, name: id }).waitFor();
    await output.waitFor();
    assert.equal(await output.locator("p").textContent(), says);
    await assertUsableEverywhere(page);
  }
});

test("a catalog of hundreds of sources is shown and narrowed as one of few", { skip }, async (t) => {
  const many = Array.from({ length: 600 }, (_, at) =>
    answers(`vendor${at % 40}__source_${at}`, {}, { title: `Source ${at}` }),
  );
  const service = await startService(t, { sources: many });
  const page = await openConsole(t, service, { as: "viewer", at: "/sources" });
  await page.getByText("601 sources").waitFor();
  assert.equal(await page.getByRole("row").count(), 602);
  const find = page.getByLabel("Find");
  await find.focus();
  await page.keyboard.type("vendor7__ 47");
  await page.getByText("3 of 601 sources").waitFor();
  assert.equal(await find.inputValue(), "vendor7__ 47");
  await assertUsableEverywhere(page);
});

test("a source's page shows the paths of its replies that a vendor has changed", { skip }, async (t) => {
  const service = await startService(t, { sources: [answers("acme__people", {})] });
  const page = await openConsole(t, service, { as: "viewer", at: "/sources/acme__people" });
  const health = page.getByRole("region", { name: "Health" });
  await health.getByText("No reply was sampled.").waitFor();
  const count = (total: number, type: "number" | "string" | "object") => {
    const types = { null: 0, boolean: 0, number: 0, string: 0, list: 0, object: 0 };
    return { total, types: { ...types, [type]: total }, maps: 0 };
  };
  const hourMs = 3_600_000;
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const save = async (span: "hour" | "day", at: number, samples: number, counts: ShapeCounts) => {
    const shape = { source: "acme__people", version: "digest", span, at, writer: "st_1", samples };
    await service.operator.saveReplyShapes([{ ...shape, counts: await encodeCounts(counts) }]);
  };
  const usual: ShapeCounts = new Map([
    ["", count(900, "object")],
    ["name", count(900, "string")],
    ["company.id", count(900, "number")],
    ["company", count(900, "object")],
  ]);
  await save("day", hour - (hour % (24 * hourMs)) - 48 * hourMs, 900, usual);
  await page.reload();
  await health.getByText("No reply was sampled.").waitFor();
  await save(
    "hour",
    hour,
    40,
    new Map([
      ["", count(40, "object")],
      ["company", count(40, "object")],
      ["company.id", count(40, "string")],
    ]),
  );
  await page.reload();
  await health.getByText("40 of the newest replies were sampled, and 900 before.").waitFor();
  const paths = health.getByRole("table", { name: "Changed paths" });
  await paths
    .getByRole("row", { name: "company.id changed string, 40 of 40 replies number, 900 of 900 replies" })
    .waitFor();
  await paths.getByRole("row", { name: "name missing 0 of 40 replies string, 900 of 900 replies" }).waitFor();
  await assertUsableEverywhere(page);
});
