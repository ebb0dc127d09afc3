import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { CHANGES } from "../../console/api/verbs.ts";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { keyboardOf } from "../rig/browser/keyboard.ts";
import { open as openPage } from "../rig/browser/walk.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

/** Every verb that a page runs when somebody says so. */
function offeredVerbs(): ReadonlySet<string> {
  const texts = globSync("console/**/*.{ts,tsx}").map((file) => readFileSync(file, "utf8"));
  const named = texts.flatMap((text) => [
    ...[...text.matchAll(/(?:verb=|useAct\()"([a-z ]+)"/g)].map(([, verb]) => verb!),
    ...[...text.matchAll(/call\("([a-z ]+)"/g)].flatMap(([, verb]) =>
      CHANGES[verb as keyof typeof CHANGES] ? [verb!] : [],
    ),
  ]);
  return new Set(named);
}

/** Presses what has the focus, and says before the next frame what has it then, and how many windows there are. */
const PRESS_AND_LOOK = `(async () => {
  document.activeElement.click();
  for (let turns = 0; turns < 10; turns += 1) await null;
  return [document.activeElement.textContent, document.querySelectorAll("dialog").length];
})()`;

/** Those whose object this test does not have, and where they are tried. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "operator restore": "takes a person of an identity provider: session.test.ts",
};

test("everything that can be done on a page can be done without a pointer", { skip: NO_BROWSER }, async (t) => {
  const world = await startWorld(t, "little");
  const { service, acme, verb } = world;
  await until(async () => (await verb("ledger list", { org: acme.id })).runs.length === 4);
  const { workflows } = await verb("workflow list", { org: acme.id });
  const trial = workflows.find(({ simulated }: { readonly simulated: boolean }) => simulated).workflow as string;
  const page = await openConsole(t, service, { as: world.owner, at: "/access" });
  const { to, press, open, write, act: run } = keyboardOf(page);
  const done = new Set<string>();
  const act = (name: string, how: () => Promise<void>) => (done.add(name), run(name, how));
  const at = (path: string) => openPage(page, `${service.adminUrl}/console${path}`);
  /** What asks once: a button, and the same in its question. */
  const asked = async (label: string, row?: string, does = label) => (await open(label, row), press(does));

  await open("New organization");
  const made = (await act("org create", async () => (await write("Name", "Typed"), page.keyboard.press("Enter")))) as {
    readonly organization_tuid: string;
  };
  await open("Rename");
  await act("org rename", async () => (await write("Name", "Typed again"), page.keyboard.press("Enter")));
  await act("org disable", () => asked("Disable"));
  await act("org enable", () => press("Enable"));
  await open("New workflow");
  await act("workflow create", async () => (await write("Name", "flow"), page.keyboard.press("Enter")));
  await open("Settings", "flow");
  await act("workflow set", async () => (await write("Name", "current"), page.keyboard.press("Enter")));
  await act("workflow disable", () => asked("Disable", "current"));
  await act("workflow enable", () => press("Enable", "current"));
  await open("New token");
  const { access_token: token } = (await act(
    "token create",
    async () => (await write("Name", "server"), page.keyboard.press("Enter")),
  )) as { readonly access_token: string };
  service.secrets.add(token);
  await press("I have saved it");
  await act("token revoke", () => asked("Revoke", "server"));

  await at("/access?tab=operators");
  await open("New operator");
  await write("Name", "heidi");
  await to("Role");
  await page.keyboard.press("ArrowDown");
  const heidi = (await act("operator create", () => press("Create"))) as { readonly operator_token: string };
  service.secrets.add(heidi.operator_token);
  await press("I have saved it");
  await page
    .getByRole("row")
    .filter({ hasText: "heidi" })
    .getByRole("cell", { name: "operator", exact: true })
    .waitFor();
  await act("operator revoke", () => asked("Revoke", "heidi"));

  const org = made.organization_tuid;
  await at(`/credentials/new?org=${org}&source=registry__company`);
  await write("API key", service.secrets.add("a-key-that-was-typed"));
  const { cred_id } = (await act("credential create", () => page.keyboard.press("Enter"))) as {
    readonly cred_id: string;
  };
  await at(`/money/prices?org=${org}&credential=${cred_id}`);
  await open("Set a price");
  await write("Amount", "0.35");
  await act("credential price set", async () => (await write("Currency", "EUR"), page.keyboard.press("Enter")));
  await act("credential price remove", () => asked("Remove", "0.35"));
  await at(`/credentials?org=${org}`);
  await open("Rename");
  await act("credential rename", async () => (await write("Name", "Typed"), page.keyboard.press("Enter")));
  await open("Verify");
  assert.deepEqual(
    await page.evaluate(PRESS_AND_LOOK),
    ["Verify", 0],
    "a window that goes gives the focus back at once",
  );
  // Held, it opens the window or closes it, and does nothing to what has the focus then.
  for (const [name, windows] of [
    ["Verify", 1],
    ["Cancel", 0],
    ["Verify", 1],
  ] as const) {
    await to(name);
    for (let times = 0; times < 4; times += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    assert.equal(await page.locator("dialog[open]").count(), windows, name);
  }
  await act("credential verify", () => press("Call the vendor"));
  await press("Close");
  await act("credential disable", () => asked("Disable"));
  await act("credential enable", () => press("Enable"));
  await act("credential delete", () => asked("Delete"));
  await at(`/money/budgets?org=${org}`);
  await open("Set a budget");
  await write("Amount", "5");
  await act("budget set", async () => (await write("Currency", "EUR"), page.keyboard.press("Enter")));
  await open("Change");
  await act("budget set", async () => (await write("Amount", "6"), page.keyboard.press("Enter")));
  await act("budget remove", () => asked("Remove"));

  await at("/money/invoice");
  await write("The invoice as CSV", "Date,Quantity\n2026-03-01,2\n");
  await act("ledger compare", () => press("Compare"));
  await at("/runs");
  await act("ledger export", () => press("Export CSV"));
  const { requests } = await verb("ledger unknown", {});
  await at(`/runs/${requests[0].transaction_id}`);
  await open("Settle the charge");
  await act("ledger reconcile", async () => (await write("Reason", "Invoice 4711"), page.keyboard.press("Enter")));
  await at("/audit");
  await act("audit export", () => press("Export JSON lines"));

  await at("/sources/lists__sanctions");
  await act("source test", () => press("Run its cases"));
  await at(`/sources/lists__sanctions?ask=live&org=${acme.id}&workflow=${trial}`);
  await act("source run", () => press("Run simulated"));
  service.expectRunWithoutAnswer();
  await at("/functions/dfunc_company_check");
  await act("function test", () => press("Run its cases"));
  await at(`/run?workflow=${trial}&sources=lists__sanctions`);
  await write("Name", "Example Trading Ltd");
  await act("workflow run", () => page.keyboard.press("Control+Enter"));
  service.expectRunWithoutAnswer();
  await at(`/run?workflow=${trial}&function=dfunc_company_check`);
  await write("Registration number", "09446231");
  await act("function run", () => press("Run simulated"));
  service.expectRunWithoutAnswer();

  await act("session end", () => press("Log out"));
  service.secrets.add(world.owner.token);
  await act("session", async () => (await write("Operator token", world.owner.token), page.keyboard.press("Enter")));
  const forgotten = [...offeredVerbs()].filter((name) => !done.has(name) && ELSEWHERE[name] === undefined);
  assert.deepEqual(forgotten, [], "a page offers them, and nobody tried them here");
});
