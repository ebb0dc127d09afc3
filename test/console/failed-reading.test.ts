import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";

test(
  "what cannot be read is said, and nothing that was read before is shown in its place",
  { skip: NO_BROWSER },
  async (t) => {
    const { service, acme } = await startWorld(t, "little");
    const page = await openConsole(t, service, {
      as: "viewer",
      at: "/audit",
      failing: /audit\/list|credential\/matrix/,
    });
    const rows = page.getByRole("table").getByRole("row");
    await page.getByRole("cell", { name: "budget set" }).waitFor();
    await page.route("**/api/audit/list", (route) => route.abort("connectionreset"));
    await page.getByLabel("Action").fill("org rename");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "The service does not answer." }).waitFor();
    assert.equal(await rows.count(), 0, "the rows of another filter");
    await page.unroute("**/api/audit/list");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("cell", { name: "org rename" }).first().waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);

    await page.goto(`${service.adminUrl}/console/credentials?org=${acme.id}&view=matrix`);
    await rows.first().waitFor();
    await page.route("**/api/credential/matrix", (route) => route.abort("connectionreset"));
    await page.getByLabel("Context of the run").selectOption("test");
    await page.getByRole("alert").waitFor();
    assert.equal(await rows.count(), 0, "the answer for another context");
    // What was read of this very context before is still what it was, and the failure is above it.
    await page.getByLabel("Context of the run").selectOption("prod");
    await rows.first().waitFor();
    await page.getByRole("alert").waitFor();
  },
);
