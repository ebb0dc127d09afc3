import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";

const HOSTILE = `Zed <img src=x onerror="alert(1)">'"{{7*7}}`;
const RUN = "trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f";

test(
  "anything is found with the keyboard alone, from any page, and a pasted id of a run opens the run",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "none");
    await verb("org rename", { org: acme.id, name: HOSTILE });
    await verb("org rename", { org: service.b.id, name: "Borealis" });
    await verb("workflow create", { org: acme.id, name: "Zed checks" });
    const { token_id: token, access_token: secret } = await verb("token create", { org: acme.id, name: "Zed server" });
    service.secrets.add(secret);
    const page = await openConsole(t, service, { as: "viewer", at: "/audit", failing: /\/api\/ledger/ });
    const path = () => page.evaluate("location.pathname + location.search");
    const field = page.getByRole("combobox", { name: "Search" });

    await page.keyboard.press("/");
    await page.keyboard.type("zed");
    const options = page.getByRole("listbox", { name: "Matches" }).getByRole("option");
    await options.filter({ hasText: HOSTILE }).waitFor();
    await options.filter({ hasText: "Zed checks" }).waitFor();
    await options.filter({ hasText: `Zed server${token}` }).waitFor();
    assert.equal(await field.getAttribute("aria-expanded"), "true");
    const first = await field.getAttribute("aria-activedescendant");
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await field.getAttribute("aria-activedescendant"), first);
    assert.equal(
      await page.locator(".search-found [role=option][aria-selected=true]").getAttribute("id"),
      await field.getAttribute("aria-activedescendant"),
    );
    await assertUsableEverywhere(page);
    await page.keyboard.press("ArrowUp");
    const name = await page.locator(".search-found [role=option][aria-selected=true]").textContent();
    await page.keyboard.press("Enter");
    const expected = name!.includes("Zed checks")
      ? /^\/console\/access\?org=org_.*&workflow=wfl_/
      : new RegExp(`^/console/access\\?org=${acme.id}$`);
    assert.match((await path()) as string, expected);

    // Who types and presses Enter at once gets the first, once it is there, and never one of what was there before.
    await page.route("**/api/object/find", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await route.continue();
    });
    await page.keyboard.press("/");
    await page.keyboard.type("zed chec");
    await options.filter({ hasText: "Zed checks" }).waitFor();
    await field.fill("borealis");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/console/access\\?org=${service.b.id}$`));
    await page.getByRole("heading", { name: "Borealis" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nobody is called so");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing has this id or name.").waitFor();
    await page.keyboard.press("Escape");
    await page.unroute("**/api/object/find");

    // A run is found by the id that its caller gave the request.
    const headers = { "X-Request-Id": "order-4711" };
    const { transaction_id: run } = (await service.run({}, {}, { headers })).json() as { transaction_id: string };
    await page.keyboard.press("/");
    await field.fill("order-4711");
    await options.filter({ hasText: `order-4711${run}` }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/console/runs/${run}$`));
    await page.getByText("Caller's request id").waitFor();

    // A slash in a field is a slash.
    await page.goto(`${service.adminUrl}/console/audit`);
    await page.getByLabel("Operator").fill("a");
    await page.getByLabel("Operator").press("/");
    assert.equal(await page.getByLabel("Operator").inputValue(), "a/");

    await page.keyboard.press("Tab");
    await field.fill("no such thing at all");
    await page.getByText("Nothing has this id or name.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await field.inputValue(), "");
    await field.fill(` ${RUN} `);
    assert.equal(await path(), `/console/runs/${RUN}`);

    await page.goto(`${service.adminUrl}/console/audit`);
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text", "${RUN}\\n");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  })()`);
    assert.equal(await path(), `/console/runs/${RUN}`);
  },
);

test(
  "a token that was pasted is found by its text, which is then neither in the page nor in its address or history",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme, verb } = await startWorld(t, "none");
    const { token_id: token, access_token: secret } = await verb("token create", { org: acme.id, name: "Till 7" });
    service.secrets.add(secret);
    const page = await openConsole(t, service, { as: "viewer", at: "/audit" });
    const field = page.getByRole("combobox", { name: "Search" });
    const option = page.getByRole("listbox", { name: "Matches" }).getByRole("option", { name: "Till 7" });
    const warning = page.getByText("Everybody who has seen this text can use the token until it is revoked.");
    const paste = (target: string, text: string) =>
      page.evaluate(`(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", "${text}");
        ${target}.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      })()`);
    const isNowhere = async () => {
      const shown = `document.documentElement.outerHTML + location.href + JSON.stringify(history.state) + JSON.stringify({ ...sessionStorage, ...localStorage })`;
      assert.ok(!((await page.evaluate(shown)) as string).includes(secret));
      assert.equal(await field.inputValue(), "");
    };
    await field.fill(secret);
    await option.waitFor();
    await warning.waitFor();
    await isNowhere();
    await assertUsableEverywhere(page);
    await page.keyboard.press("Escape");
    await warning.waitFor({ state: "hidden" });

    await paste("document.body", secret);
    await warning.waitFor();
    await isNowhere();
    await page.keyboard.press("Escape");
    await field.focus();
    await paste("document.activeElement", secret);
    await warning.waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`token=${token}`));
    await isNowhere();

    await field.fill(secret.slice(0, -1));
    await page.getByText("This begins like a token, but it is not a whole one.").waitFor();
    await field.fill("Till");
    await option.waitFor();
    assert.equal(await page.getByText("This begins like a token").count(), 0);
    await page.keyboard.press("Escape");
  },
);
