import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertUsableEverywhere, chooseOrganization, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { until } from "../rig/until.ts";
import { startWorld } from "../rig/browser/world.ts";
import { startService } from "../rig/service.ts";

const HOSTILE = `<img src=x onerror="alert(1)">'"{{7*7}}`;

test(
  "the trail is narrowed by who, what and when, and its address shows the same to somebody else",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb, owner } = await startWorld(t, "little");
    await verb("org rename", { org: acme.id, name: HOSTILE });
    const page = await openConsole(t, service, { as: "viewer", at: "/audit" });
    const rows = page.getByRole("table", { name: "Audit trail" }).getByRole("row");
    await page.getByRole("cell", { name: "budget set" }).waitFor();
    const all = await rows.count();
    // A name is text, wherever it stands.
    await rows.getByText(HOSTILE).first().waitFor();
    await assertUsableEverywhere(page);

    await page.getByLabel("Operator").fill(owner.name);
    await page.getByLabel("Action").fill("org rename");
    await page.keyboard.press("Enter");
    await page.waitForURL(/what=org\+rename/);
    await page.getByRole("cell", { name: "budget set" }).waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.name"), "what", "the focus stays in the filter");
    assert.equal(await rows.count(), 4, "three renamings and the head");
    assert.ok(all > 4);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export JSON lines" }).click();
    const saved = readFileSync((await (await saving).path())!, "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      saved.map((line) => (JSON.parse(line) as { what: string }).what),
      Array(3).fill("org rename"),
    );
    // A change is a list of names and values, with the values before it.
    await page
      .getByText(/<img.*, was Acme Lending/)
      .first()
      .waitFor();

    const shared = await openConsole(t, service, {
      as: owner,
      at: new URL(page.url()).pathname.replace("/console", "") + new URL(page.url()).search,
    });
    await shared.getByRole("cell", { name: "org rename" }).first().waitFor();
    assert.equal(await shared.getByRole("row").count(), 4);
    await shared.goBack().catch(() => null);

    await page.getByLabel("From").fill("2001-01-01");
    await page.getByLabel("Before").fill("2001-02-01");
    await page.keyboard.press("Enter");
    await page.getByText("No entry matches the filter.").waitFor();
    await page.getByText("--what 'org rename'").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("cell", { name: "budget set" }).waitFor();

    // Words that belong together are a group.
    await page.getByLabel("Group").selectOption("prices");
    await page.waitForURL(/what=price/);
    await page.getByRole("cell", { name: "credential price set" }).first().waitFor();
    assert.equal(await page.getByLabel("Action").inputValue(), "price");
    await page.getByLabel("Group").selectOption("workflows");
    await page.getByRole("cell", { name: "workflow set" }).waitFor();
    await page.getByText(/auto credentials\s*yes, was no/).waitFor();
    await page.getByLabel("Action").fill("nothing of this kind");
    await page.keyboard.press("Enter");
    await page.getByText('The trail has no act with the words "nothing of this kind".').waitFor();
    assert.equal(await page.getByLabel("Group").locator("option:checked").innerText(), "as typed");

    // An organization is chosen by its name, and what was typed counts too.
    await page.getByLabel("Action").fill("org rename");
    await chooseOrganization(page, "Borealis Bank");
    await page.getByRole("cell", { name: "budget set" }).waitFor({ state: "detached" });
    // The head, and one renaming.
    await until(async () => (await rows.count()) === 2);
    assert.equal(new URL(page.url()).searchParams.get("org"), service.b.id);
    assert.equal(await page.getByRole("combobox", { name: "Organization" }).inputValue(), "Borealis Bank");
    await page.getByRole("combobox", { name: "Organization" }).click();
    await page.getByRole("option", { name: "any" }).click();
    await rows.getByText(HOSTILE).first().waitFor();
    assert.equal(await rows.count(), 4, "those of all organizations, and still only renamings");
  },
);

test(
  "a new deployment's trail shows what its first operator did, and leads from an entry to its object",
  { skip: NO_BROWSER },
  async (t) => {
    const service = await startService(t);
    const page = await openConsole(t, service, { at: "/audit?what=session+begin" });
    await page.getByRole("cell", { name: "session begin" }).waitFor();
    await page.goto(`${service.adminUrl}/console/audit`);
    await page.locator(`a[href="/console/access?org=${service.a.id}"]`).first().waitFor();
    await assertUsableEverywhere(page);
  },
);
