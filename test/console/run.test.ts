import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { adminPort } from "../rig/admin.ts";
import {
  assertUsableEverywhere,
  beginSession,
  chooseOrganization,
  NO_BROWSER,
  openConsole,
} from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { startService, type ServiceOptions } from "../rig/service.ts";
import { answers, asksVendor, sendsCredential, source, throws } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const number = { type: "string", title: "Registration number", minLength: 4, examples: ["09446231"] } as const;
const name = { type: "string", description: "The registered name", examples: ["Example Trading Ltd"] } as const;
const ofNumber = { type: "object", properties: { number }, required: ["number"] } as const;
const ofBoth = {
  type: "object",
  properties: { number, name, year: { type: "integer" } },
  required: ["number"],
} as const;
const perMatch = { model: "per_match", amount: 2.5, currency: "EUR" } as const;

/** Five vendors, of which the last never answers. */
async function startFive(t: TestContext, options: ServiceOptions = {}) {
  const vendor = await startVendor(t);
  vendor.on("/json", json({ found: true, company: { name: "Example Trading Ltd", officers: [{ name: "Ada" }] } }));
  vendor.on("/hang", hang);
  const service = await startService(t, {
    sources: [
      asksVendor("alpha__registry", vendor, "/json", { title: "Registry", inputs: ofNumber, charge: "free" }),
      sendsCredential("beta__credit", vendor, "/json", { title: "Credit", inputs: ofBoth, charge: perMatch }),
      asksVendor("gamma__people", vendor, "/json", {
        title: "People",
        inputs: ofBoth,
        charge: { ...perMatch, amount: 0.75 },
      }),
      asksVendor("delta__court", vendor, "/json", { title: "Court", inputs: ofNumber }),
      asksVendor("omega__silent", vendor, "/hang", {
        title: "Silent",
        inputs: ofNumber,
        charge: "free",
        timeout_ms: 900,
      }),
    ],
    vendors: [vendor],
    workflow: { autoCredentials: true },
    ...options,
  });
  const owner = await service.operator.appoint("owner", "grace");
  const { result } = adminPort(t, service.adminUrl, service.secrets);
  const verb = (verbName: string, input: object) => result(verbName, input, owner);
  const { cred_id } = await verb("credential create", {
    org: service.a.id,
    source: "beta__credit",
    fields: { api_key: service.secrets.add("a-key-that-nobody-sees") },
  });
  return { service, vendor, owner, verb, cred_id: cred_id as string };
}

/** For people who want to look at them. */
async function picture(page: Page, name: string): Promise<void> {
  if (process.env["SHOTS"]) await page.screenshot({ path: `${process.env["SHOTS"]}/${name}.png`, fullPage: true });
}

const FIVE = "alpha__registry,beta__credit,gamma__people,delta__court,omega__silent";

test(
  "a live workflow shows its price, and a hanging vendor costs only its own answer",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, vendor, owner, cred_id, verb } = await startFive(t);
    const at = `/run?workflow=${service.a.workflow}&sources=${FIVE}`;
    const page = await openConsole(t, service, { as: owner, at });

    await page.getByText("Live. Vendors are called").waitFor();
    await page.getByRole("cell", { name: cred_id }).waitFor();
    await page.getByText("unknown, per call").waitFor();
    const run = page.getByRole("button", { name: /^Run/ });
    assert.equal(await run.innerText(), "Run live, for at most 3.25 EUR plus an unknown price");
    await page.getByText("The prices of these sources are unknown: delta__court.").waitFor();

    // What is wrong is at its field, and nobody is asked.
    await page.getByLabel("Registration number").fill("1");
    await page.getByLabel("Year").fill("soon");
    await run.click();
    await page.getByText("must be a number, such as 12").waitFor();
    await page.getByLabel("Year").fill("2024");
    await run.click();
    await page.getByText("Nothing was sent.").waitFor();
    const field = page.getByLabel("Registration number");
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.match(
      await page.locator(`[id="${(await field.getAttribute("id"))!}-problem"]`).innerText(),
      /^must have at least 4 characters$/,
    );
    await until(async () => (await page.evaluate("document.activeElement.name")) === "number");
    await picture(page, "run-refused");
    await assertUsableEverywhere(page);

    await field.fill("09446231");
    // What the button says is what is agreed to: at another price nothing is sent.
    await verb("credential price set", { cred_id, amount: "7.10", currency: "EUR", from: "2026-01-01" });
    const plan = { workflow: service.a.workflow, source: ["beta__credit"] };
    await until(async () => (await verb("workflow plan", plan)).sources[0].price_from === "credential");
    await run.click();
    await page.getByText("The price has changed").waitFor();
    await page.getByRole("button", { name: "Run live, for at most 7.85 EUR plus an unknown price" }).waitFor();
    assert.equal(vendor.count(), 0);

    // Enter twice, and a click: one run.
    await field.press("Enter");
    await field.press("Enter");
    await page.getByRole("status").filter({ hasText: "4 found, 1 failed" }).waitFor();
    service.expectRunWithoutAnswer();
    const silent = page.getByRole("region", { name: "Silent" });
    await silent.getByText("timed out").waitFor();
    await page.getByRole("region", { name: "People" }).getByRole("treeitem", { name: "name Ada" }).waitFor();
    assert.equal(vendor.count(), 5);
    await page.getByRole("link", { name: "Timeline of the run" }).waitFor();
    await picture(page, "run-answered");
    await page.getByText("Raw JSON", { exact: true }).click();
    await assertUsableEverywhere(page);

    // No personal data in addresses, unless one asks for it; and nothing that was typed is lost meanwhile.
    assert.doesNotMatch(page.url(), /09446231/);
    await page.getByRole("checkbox", { name: /Court/ }).uncheck();
    await page.getByRole("button", { name: "Run live, for at most 7.85 EUR", exact: true }).waitFor();
    assert.equal(await field.inputValue(), "09446231");
    assert.match(page.url(), /sources=alpha__registry%2Cbeta__credit%2Cgamma__people%2Comega__silent/);

    const entries = (await verb("audit list", { org: service.a.id })).entries as { who: string; what: string }[];
    assert.equal(
      entries.filter(({ who, what }) => who === "grace" && what === "workflow run").length,
      2,
      "a token, and its end",
    );
  },
);

test("while one source is slow, the page shows how each of the others has ended", { skip: NO_BROWSER }, async (t) => {
  const slow = Promise.withResolvers<object>();
  const service = await startService(t, {
    sources: [
      answers("alpha__registry", { name: "Ada" }, { title: "Registry" }),
      source("beta__nobody", async () => null, { title: "Nobody" }),
      source("gamma__broken", () => Promise.reject(new Error("broken")), { title: "Broken" }),
      source("omega__slow", () => slow.promise, { title: "Slow", timeout_ms: 60_000 }),
    ],
  });
  const page = await openConsole(t, service, {
    at: `/run?workflow=${service.a.workflow}&sources=omega__slow,alpha__registry,beta__nobody,gamma__broken`,
  });
  await page.getByRole("button", { name: /^Run live/ }).click();
  service.expectRunWithoutAnswer();
  await page.getByRole("status").filter({ hasText: "In progress. 3 of 4 have ended." }).waitFor();
  await picture(page, "run-under-way");
  assert.equal(await page.getByRole("button", { name: "Running…" }).isDisabled(), true);
  const cards = await page.getByRole("region", { name: "Answer" }).locator(".run-card").allInnerTexts();
  assert.deepEqual(
    cards.map((text) =>
      text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "" && !/^[\d.]+ m?s$/.test(line)),
    ),
    [
      ["Slow", "omega__slow", "in progress"],
      ["Registry", "alpha__registry", "found"],
      ["Nobody", "beta__nobody", "no record"],
      ["Broken", "gamma__broken", "failed"],
    ],
  );
  await assertUsableEverywhere(page);
  await picture(page, "run-of-calls");
  slow.resolve({ found: true });
  await page.getByRole("status").filter({ hasText: "2 found, 1 no record, 1 failed" }).waitFor();
});

test(
  "without a source that refuses, exactly what was judged is sent, at the price that was agreed to",
  { skip: NO_BROWSER },
  async (t) => {
    const strict = { type: "object", properties: { number, year: { type: "integer" } }, required: ["number"] } as const;
    const lenient = { type: "object", properties: { number: { type: "string" } } } as const;
    const asked: unknown[] = [];
    const service = await startService(t, {
      sources: [
        source("acme__lenient", ({ inputs }) => (asked.push({ ...inputs }), { found: true }), {
          title: "Lenient",
          inputs: lenient,
          charge: "free",
        }),
        answers("bell__strict", {}, { title: "Strict", inputs: strict, charge: "free" }),
      ],
    });
    const page = await openConsole(t, service, {
      at: `/run?workflow=${service.a.workflow}&sources=acme__lenient,bell__strict`,
    });
    const run = page.getByRole("button", { name: "Run live, free of charge", exact: true });
    const without = page.getByRole("button", { name: "Run live, free of charge, without it" });
    const field = page.getByLabel("Registration number");
    await field.fill("1");
    await run.click();
    await without.waitFor();
    // What nobody has judged cannot be sent by it, however it came into the form.
    await page.getByRole("button", { name: "Clear" }).click();
    await without.waitFor({ state: "detached" });
    assert.equal(await field.getAttribute("aria-invalid"), "false");
    await field.fill("2");
    await page.getByLabel("Year").fill("soon");
    await run.click();
    await page.getByText("must be a number").waitFor();
    assert.equal(await without.count(), 0);
    await page.getByLabel("Year").fill("");
    await run.click();
    await without.click();
    await page.getByRole("status").filter({ hasText: "1 found, 1 failed" }).waitFor();
    service.expectRunWithoutAnswer();
    assert.deepEqual(asked, [{ number: "2" }]);
  },
);

test(
  "inputs that several sources refuse, or refuse as a whole, are said to be so, and nobody is asked",
  { skip: NO_BROWSER },
  async (t) => {
    const either = {
      type: "object",
      properties: { number, name: { type: "string" } },
      anyOf: [{ required: ["number"] }, { required: ["name"] }],
    } as const;
    const asked: string[] = [];
    const asks = (id: string, inputs: object) =>
      source(id, () => (asked.push(id), { found: true }), { title: id, inputs, charge: "free" });
    const service = await startService(t, {
      sources: [
        asks("acme__lenient", { type: "object", properties: { year: { type: "string" } } }),
        asks("bell__strict", ofNumber),
        asks("cert__either", either),
      ],
    });
    const page = await openConsole(t, service, {
      at: `/run?workflow=${service.a.workflow}&sources=bell__strict,cert__either`,
    });
    const run = page.getByRole("button", { name: /^Run live, free of charge/ });
    await run.click();
    const refused = page
      .getByRole("alert")
      .filter({ hasText: "Nothing was sent. 2 sources do not accept these inputs." });
    await refused.getByText("cert__either needs number, or name.").waitFor();
    assert.equal(await refused.getByRole("button").count(), 0, "nobody is left to ask");

    await page.getByRole("checkbox", { name: /lenient/ }).check();
    await refused.waitFor({ state: "detached" });
    await run.click();
    await refused.getByRole("button", { name: "Run live, free of charge, without them" }).waitFor();
    assert.deepEqual(asked, []);
    await refused.getByRole("button").press("Enter");
    await page.getByRole("status").filter({ hasText: "1 found, 2 failed" }).waitFor();
    service.expectRunWithoutAnswer();
    assert.deepEqual(asked, ["acme__lenient"]);
  },
);

test("of two organizations that are chosen, the later one stays", { skip: NO_BROWSER }, async (t) => {
  const { service, verb } = await startWorld(t, "little");
  await verb("org create", { name: "Without Any" });
  const page = await openConsole(t, service, { as: "operator", at: `/run?workflow=${service.a.workflow}` });
  await page.getByText("Live. Vendors are called and may bill Acme Lending").waitFor();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let [isAsked, isAnswered] = [false, false];
  await page.route("**/api/workflow/list", async (route) => {
    const { org } = route.request().postDataJSON() as { readonly org: string };
    if (org === service.b.id) {
      isAsked = true;
      await held;
    }
    await route.continue().catch(() => {});
    isAnswered ||= org === service.b.id;
  });
  await chooseOrganization(page, "Borealis Bank");
  await until(() => isAsked);
  await chooseOrganization(page, "Acme Lending");
  await page.getByText("Simulated. No vendor is called").waitFor();
  release();
  await until(() => isAnswered);
  // What the page was still told has come before this.
  await page.evaluate("fetch('/console/').then(() => 1)");
  await page.getByText("Simulated. No vendor is called").waitFor();
  const field = page.getByRole("combobox", { name: "Organization" });
  assert.equal(await field.inputValue(), "Acme Lending");

  // Back to a workflow, the organization is that of the workflow.
  const simulated = page.url();
  await chooseOrganization(page, "Without Any");
  const without = page.getByText("This organization has no workflow yet.");
  await without.waitFor();
  await page.evaluate(`history.pushState(null, "", "${simulated}"); dispatchEvent(new PopStateEvent("popstate"));`);
  await without.waitFor({ state: "detached" });
  await page.getByText("Simulated. No vendor is called").waitFor();
  await until(async () => (await field.inputValue()) === "Acme Lending");
});

test("an organization that is chosen before all of them are there stays chosen", { skip: NO_BROWSER }, async (t) => {
  const { service, acme } = await startWorld(t, "little");
  const page = await openConsole(t, service, { as: "viewer", at: "/audit" });
  const [list, choice] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [isThere, isAsked] = [false, false];
  await page.route("**/api/org/list", async (route) => {
    await list.promise;
    await route.fulfill({ response: await route.fetch() });
    isThere = true;
  });
  await page.route("**/api/workflow/list", async (route) => {
    const isOfChoice = (route.request().postDataJSON() as { readonly org: string }).org === acme.id;
    isAsked ||= isOfChoice;
    if (isOfChoice) await choice.promise;
    await route.continue().catch(() => {});
  });
  await page.goto(`${service.adminUrl}/console/run`);
  await chooseOrganization(page, "Acme Lending");
  await until(() => isAsked);
  // The first of all is that of whoever has chosen none.
  list.resolve();
  await until(() => isThere);
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  choice.resolve();
  await page.getByText("Simulated. No vendor is called").waitFor();
  assert.equal(await page.getByRole("combobox", { name: "Organization" }).inputValue(), "Acme Lending");
});

test("a simulated workflow is chosen first, and says so everywhere", { skip: NO_BROWSER }, async (t) => {
  const { service, vendor, owner, verb } = await startFive(t);
  const { workflow } = await verb("workflow create", { org: service.a.id, name: "Trial", simulated: true });
  const page = await openConsole(t, service, { as: owner, at: `/run?workflow=${workflow}` });
  await page.getByText("Simulated. No vendor is called").waitFor();
  await page.getByRole("button", { name: /^Try 5 sources/ }).click();
  await page.getByRole("button", { name: "Run simulated" }).waitFor();
  await page.getByText("nothing: simulated").first().waitFor();
  // The examples are filled in as soon as they have come.
  await until(async () => (await page.getByLabel("Registration number").inputValue()) === "09446231");
  await assertUsableEverywhere(page);
  await page.getByRole("button", { name: "Run simulated" }).click();
  await page.getByText("simulated: invented data").waitFor();
  await page.getByRole("link", { name: "Timeline of the run" }).waitFor();
  service.expectRunWithoutAnswer();
  await picture(page, "run-simulated");
  assert.equal(vendor.count(), 0);
});

test("a viewer is offered no run, and a forged one is refused", { skip: NO_BROWSER }, async (t) => {
  const { service, vendor } = await startFive(t);
  const eve = await service.operator.appoint("viewer", "eve");
  const page = await openConsole(t, service, { as: eve, at: `/run?workflow=${service.a.workflow}&sources=${FIVE}` });
  await page.getByText("starting a run requires the role operator").waitFor();
  await page.getByText("Live. You can look at the plan and its price, but not start a run.").waitFor();
  assert.equal(await page.getByText("may bill").count(), 0);
  assert.equal(await page.getByRole("button", { name: /^Run/ }).count(), 0);
  await assertUsableEverywhere(page);

  const cookie = `datarun=${service.secrets.add(await beginSession(service, eve))}`;
  const forged = await fetch(`${service.adminUrl}/api/workflow/run`, {
    method: "POST",
    headers: { Cookie: cookie, Origin: service.adminUrl, "Datarun-Console": "1", "Content-Type": "application/json" },
    body: JSON.stringify({ workflow: service.a.workflow, source: ["alpha__registry"], inputs: { number: "09446231" } }),
  });
  assert.equal(forged.status, 403);
  assert.equal(vendor.count(), 0);
});

test("everything is reached by keyboard, and a copy has no secret", { skip: NO_BROWSER }, async (t) => {
  const { service, owner, verb } = await startFive(t);
  const { workflow } = await verb("workflow create", { org: service.a.id, simulated: true });
  const page = await openConsole(t, service, { as: owner, at: `/run?workflow=${workflow}` });
  await page.getByLabel("Search sources").focus();
  await page.keyboard.type("registry");
  await page.waitForURL(/find=registry/);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByRole("cell", { name: "Registry alpha__registry" }).waitFor();
  assert.match(page.url(), /sources=alpha__registry/);
  await page.getByLabel("Registration number").focus();
  await page.keyboard.type("O'Hara 1");
  for (const language of ["curl", "TypeScript", "Python"]) {
    await page.getByRole("button", { name: language, exact: true }).press("Enter");
    const text = await page.getByLabel(`The run as ${language}`).innerText();
    assert.ok(text.includes("DATARUN_TOKEN") && text.includes(workflow as string), text);
    assert.doesNotMatch(text, /drt_|dop_/);
  }
  await picture(page, "run-copy");
  await page.getByLabel("Registration number").press("Control+Enter");
  await page.getByRole("region", { name: "Registry" }).waitFor();
  service.expectRunWithoutAnswer();

  // A link with inputs fills them in, and does not keep them.
  const link = `${service.adminUrl}/console/run?workflow=${workflow}&sources=alpha__registry#inputs=${encodeURIComponent('{"number":"4711 0815"}')}`;
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByLabel("Registration number").waitFor();
  assert.equal(await page.getByLabel("Registration number").inputValue(), "4711 0815");
  assert.doesNotMatch(page.url(), /4711/);
});

test(
  "a function is run with its own inputs, and its price is not known beforehand",
  { skip: NO_BROWSER },
  async (t) => {
    const folder = project(t, {
      "functions/greeting.mjs": `export default {
  id: "dfunc_greeting",
  title: "Greeting",
  inputs: { type: "object", properties: { who: { type: "string" }, tags: { type: "array" } }, required: ["who"] },
  async run({ inputs }) { return { output: { says: "Hello " + inputs.who + " " + inputs.tags.join("+") } }; },
};
`,
    });
    const service = await startService(t, { project: folder });
    const page = await openConsole(t, service, { at: `/run?workflow=${service.a.workflow}` });
    await page.getByRole("button", { name: "Function" }).click();
    await page.getByLabel("Function").selectOption("dfunc_greeting");
    await page.getByRole("textbox", { name: "Who" }).fill("Ada");
    await page.getByLabel("Tags").fill("a, b");
    const run = page.getByRole("button", { name: "Run live, at an unknown price" });
    await run.click();
    await page.getByText("is not JSON").waitFor();
    await page.getByLabel("Tags").fill('["a", "b"]');
    await run.click();
    await page.getByRole("treeitem", { name: "Hello Ada a+b" }).waitFor();
    service.expectRunWithoutAnswer();
    await picture(page, "run-function");
    await assertUsableEverywhere(page);
  },
);

test(
  "a function that declares no inputs gets an object, which its first case is an example of",
  { skip: NO_BROWSER },
  async (t) => {
    const folder = project(t, {
      "functions/echo.mjs": `export default {
  id: "dfunc_echo",
  title: "Echo",
  description: "Repeats \`what\` it gets.\\n\\nAnd **much** more that nobody reads here.",
  async run({ inputs }) { return { output: { got: inputs } }; },
  cases: [{ name: "of a name", inputs: { who: "Ada" }, expect: { output: { got: { who: "Ada" } } } }],
};
`,
    });
    const service = await startService(t, { project: folder });
    const page = await openConsole(t, service, { at: `/run?workflow=${service.a.workflow}&function=dfunc_echo` });
    await page.getByText("Repeats what it gets.").waitFor();
    assert.equal(await page.getByText("much").count(), 0);
    assert.match(
      (await page.getByRole("link", { name: "Full description" }).getAttribute("href"))!,
      /\/functions\/dfunc_echo$/,
    );
    const field = page.getByLabel("Inputs", { exact: true });
    const run = page.getByRole("button", { name: /^Run live/ });
    await field.fill("[1]");
    await run.click();
    await page.getByText("must be an object").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Fill in examples" }).click();
    assert.equal(await field.inputValue(), '{\n  "who": "Ada"\n}');
    await page.getByRole("button", { name: "curl" }).click();
    await page.getByText('"inputs":{"who":"Ada"}').waitFor();
    await run.click();
    await page.getByRole("treeitem", { name: "who Ada" }).waitFor();
    await page.getByRole("status").filter({ hasText: "1 completed." }).waitFor();
    service.expectRunWithoutAnswer();
    await assertUsableEverywhere(page);
    await picture(page, "run-any-inputs");
  },
);

test("an output is folded by keyboard, and what a vendor sends stays text", { skip: NO_BROWSER }, async (t) => {
  const evil = `<img src=x onerror="document.title='broken'">`;
  const output = { [evil]: { first: evil, second: [1, null] }, last: "\u202Etxt" };
  const service = await startService(t, {
    sources: [answers("evil__source", output, { title: evil }), throws("evil__failing", new Error(evil))],
  });
  const at = `/run?workflow=${service.a.workflow}&sources=evil__source,evil__failing,evil__unknown`;
  const page = await openConsole(t, service, { at });
  await page.getByText("There is no such source.").waitFor();
  await page.getByRole("button", { name: "Run live, free of charge" }).click();
  const items = page.getByRole("tree", { name: "Output of evil__source" }).getByRole("treeitem");
  await items.first().waitFor();
  service.expectRunWithoutAnswer();
  assert.equal(await page.getByRole("heading", { name: evil }).count(), 1);
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.title(), /^Run/);

  assert.equal(await items.count(), 6);
  await items.first().focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await items.count(), 2);
  assert.equal(await items.first().getAttribute("aria-expanded"), "false");
  for (const key of ["ArrowRight", "ArrowRight", "End", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate("document.activeElement.textContent"), "second2 entries");
  await assertUsableEverywhere(page);
});
