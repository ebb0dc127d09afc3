import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { SourceCall } from "../../src/sdk/source.ts";
import { adminPort } from "../rig/admin.ts";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { startService } from "../rig/service.ts";
import { sendsCredential } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { bare, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const skip = NO_BROWSER;
const HOSTILE = `<img src=x onerror="alert(1)">'"{{7*7}}`;

const dialog = (page: Page) => page.getByRole("dialog");

test("a credential is typed once, is used by the next run, and is never seen again", { skip }, async (t) => {
  const vendor = await startVendor(t);
  const source = sendsCredential("acme__people", vendor, "/json");
  const service = await startService(t, { sources: [source], vendors: [vendor] });
  const secret = service.secrets.add("sk-pasted-0123456789-once");
  const page = await openConsole(t, service, {
    as: "operator",
    at: `/credentials?org=${service.a.id}`,
    failing: /credential\/create/,
  });
  await page.getByText("This organization has no stored credential.").waitFor();
  const sent: { readonly url: string; readonly text: string }[] = [];
  page.on("request", (request) => sent.push({ url: request.url(), text: request.postData() ?? "" }));

  await page.getByRole("link", { name: "New credential" }).click();
  await page.getByLabel("Source").selectOption("acme__people");
  const key = page.getByLabel("Api key");
  await assertUsableEverywhere(page);
  // What is wrong is said at the field, and what is right is kept.
  await page.getByRole("button", { name: "Store the credential" }).click();
  const refusal = page.getByRole("alert").filter({ hasText: "api_key is required" });
  await refusal.waitFor();
  assert.equal((await refusal.innerText()).match(/is required/g)?.length, 1, "it is said once");
  await key.fill(secret);
  assert.equal(await key.getAttribute("type"), "password");
  await page.getByLabel("Note").fill(HOSTILE);
  await key.press("Enter");
  await page.getByText("It is available to runs now.").waitFor();
  assert.equal((await service.run({ acme__people: true })).json().status.acme__people.success, true);
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], secret);

  await page.getByRole("link", { name: "All credentials" }).click();
  const row = page
    .getByRole("table", { name: "Stored credentials" })
    .getByRole("row")
    .filter({ hasText: "acme__people" });
  await row.getByText("api_key").waitFor();
  await row.getByText(HOSTILE).waitFor();
  await row.getByText("default").waitFor();
  await assertUsableEverywhere(page);
  await page.goBack();
  await page.reload();
  await page.goto(`${service.adminUrl}/console/credentials?org=${service.a.id}`);
  await row.waitFor();

  // In one request, the one that stored it: not in the page, nor in its address, its history or what it keeps.
  assert.deepEqual(
    sent.filter(({ url, text }) => (url + text).includes(secret)).map(({ url }) => new URL(url).pathname),
    ["/api/credential/create"],
  );
  const kept = await page.evaluate(
    "JSON.stringify([document.documentElement.outerHTML, [...document.querySelectorAll('input')].map((one) => one.value), { ...localStorage }, { ...sessionStorage }, location.href, history.state])",
  );
  assert.ok(!(kept as string).includes(secret));
  await until(async () => {
    await page.reload();
    await row.waitFor();
    return !/not in the ledger/.test((await row.textContent())!);
  });
});

test("to verify a credential asks its vendor, which is said before, and the verdict after", { skip }, async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/check", json({ ok: true })).on("/refused", bare(401));
  const checking = (id: string, path: string) =>
    sendsCredential(id, vendor, "/json", {
      verify: async ({ http, credentials }: SourceCall) => {
        await http.get(vendor.origin + path, { headers: { "x-api-key": credentials["api_key"] as string } });
        return true;
      },
    });
  const sources = [checking("acme__good", "/check"), checking("acme__bad", "/refused")];
  const service = await startService(t, { sources });
  for (const { id } of sources)
    await service.operator.storeCredential(service.a, { source: id, fields: { api_key: `the-key-of-${id}` } });
  const page = await openConsole(t, service, { as: "operator", at: `/credentials?org=${service.a.id}` });
  for (const [id, verdict] of [
    ["acme__good", "good"],
    ["acme__bad", "rejected"],
  ]) {
    const row = page.getByRole("row").filter({ hasText: id! });
    await row.getByRole("button", { name: "Verify" }).click();
    await dialog(page).getByText("This makes one live call to the vendor").waitFor();
    const before = vendor.count();
    await dialog(page).getByRole("button", { name: "Call the vendor" }).click();
    await dialog(page).getByRole("status").getByText(verdict!).waitFor();
    assert.equal(vendor.count(), before + 1);
    await assertUsableEverywhere(page);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
  }
});

test(
  "a credential is disabled, enabled and deleted, each after one question that says whose it is",
  { skip },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "little");
    await verb("org rename", { org: acme.id, name: HOSTILE });
    const page = await openConsole(t, service, { as: "operator", at: `/credentials?org=${acme.id}` });
    const row = page.getByRole("row").filter({ hasText: "registry__company" });
    await row.getByRole("button", { name: "Disable" }).click();
    await dialog(page).getByText(HOSTILE).waitFor();
    await dialog(page).getByRole("button", { name: "Disable" }).click();
    await row.getByText("disabled").waitFor();
    // Within a second no run takes it.
    const run = () => service.run({ registry__company: true }, { number: "1" }, { as: acme });
    await until(async () => (await run()).json().status.registry__company.success === false);
    await row.getByRole("button", { name: "Enable" }).click();
    await row.getByText("active").waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByText("erased from the store. This cannot be undone.").waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  },
);

test(
  "the matrix says what a run takes, in one request, and a cell opens the steps with their reasons",
  { skip },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "little");
    for (let at = 0; at < 9; at += 1) await verb("workflow create", { org: acme.id, name: `plain ${at}` });
    const page = await openConsole(t, service, { as: "viewer", at: `/credentials?org=${acme.id}` });
    await page.getByRole("table", { name: "Stored credentials" }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole("link", { name: "Credential selection" }).click();
    const row = page.getByRole("row").filter({ hasText: "bureau__credit_report" });
    await row.getByText("newest active one").waitFor();
    await row.getByText("none: calls fail").waitFor();
    await page.getByText("plain 8, plain 7, plain 6, plain 5, plain 4, plain 3 and 3 more").waitFor();
    assert.deepEqual(
      asked.filter((path) => path.startsWith("/api/credential/")),
      ["/api/credential/matrix"],
    );
    await assertUsableEverywhere(page);

    await row.getByRole("link", { name: "newest active one" }).click();
    await dialog(page).getByText("it is the newest active credential for this source and context").waitFor();
    assert.match(page.url(), new RegExp(`workflow=${acme.workflow}&source=bureau__credit_report`));
    await assertUsableEverywhere(page);
    await page.reload();
    await dialog(page).getByText("Runs use").waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await page.waitForURL((url) => !url.searchParams.has("workflow"));
    await page.getByLabel("Context of the run").selectOption("dev");
    await row.getByText("simulated").waitFor();

    const { result } = adminPort(t, service.adminUrl, service.secrets);
    const vera = await service.operator.appoint("viewer", "vera");
    const explained = await result(
      "credential explain",
      { workflow: acme.workflow, source: "bureau__credit_report", context: "dev" },
      vera,
    );
    await row.getByText(`…${explained.cred_id.slice(-8)}`).waitFor();
  },
);

test(
  "a credential gets a name, is found by it among all organizations, and its use is shown before it is deleted",
  { skip },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "little");
    const page = await openConsole(t, service, { as: "operator", at: `/credentials?org=${acme.id}` });
    const table = page.getByRole("table", { name: "Stored credentials" });
    const row = table.getByRole("row").filter({ hasText: "registry__company" });
    await row.getByRole("button", { name: "Rename" }).click();
    await dialog(page).getByLabel("Name").fill("Main contract");
    await dialog(page).getByLabel("Name").press("Enter");
    await row.getByText("Main contract").waitFor();

    await page.goto(`${service.adminUrl}/console/credentials`);
    await page.getByRole("search").getByLabel("Name").fill("CONTRACT");
    await page.getByRole("search").getByLabel("Name").press("Enter");
    await row.getByText("Main contract").waitFor();
    assert.equal(await table.getByRole("row").count(), 2);
    await row.getByRole("link", { name: acme.name }).waitFor();
    await assertUsableEverywhere(page);
    await row.getByRole("button", { name: "Delete" }).click();
    await dialog(page)
      .getByText(/calls since .+, when the records begin\./)
      .waitFor();
    await assertUsableEverywhere(page);
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("search").getByLabel("Name").fill("nothing of this name");
    await page.getByRole("search").getByLabel("Name").press("Enter");
    await page.getByText("No credential matches the filter.").waitFor();

    await page.goto(`${service.adminUrl}/console/credentials?org=${acme.id}&view=matrix`);
    await page.getByText("Main contract").first().waitFor();
    await page.goto(`${service.adminUrl}/console/money/prices?org=${acme.id}`);
    await page.getByText("Main contract").first().waitFor();
    assert.equal((await verb("credential list", { name: "main" })).credentials.length, 1);
  },
);
