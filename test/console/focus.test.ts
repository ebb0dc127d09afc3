import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const skip = NO_BROWSER;

/** What has the focus: its name, or the beginning of what it says; empty if nothing has it. */
async function focused(page: Page): Promise<string> {
  return (await page.evaluate(
    "document.activeElement === document.body ? '' : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.slice(0, 40)",
  )) as string;
}

test("a button that was pressed by Enter keeps the focus while its action is in progress", { skip }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "none");
  const { workflow: trial } = await verb("workflow create", { org: acme.id, name: "quick", simulated: true });
  const page = await openConsole(t, service, { failing: /workflow\/run|source\/test/ });
  const presses: readonly (readonly [at: string, button: string, asks: string])[] = [
    [`/run?workflow=${trial}&sources=lists__sanctions`, "Run simulated", "workflow/run"],
    ["/sources/lists__sanctions", "Run its cases", "source/test"],
  ];
  for (const [at, name, asks] of presses) {
    await page.goto(`${service.adminUrl}/console${at}`);
    if (asks === "workflow/run") await page.getByRole("button", { name: "Fill in examples" }).click();
    let times = 0;
    const isSeen = Promise.withResolvers<void>();
    await page.route(`**/api/${asks}`, async (route) => {
      times += 1;
      await isSeen.promise;
      const body = JSON.stringify({ error: { code: "refused", message: "Not now." } });
      await route.fulfill({ status: 409, contentType: "application/json", body });
    });
    await page.getByRole("button", { name }).press("Enter");
    const busy = page.locator("button[aria-busy=true]");
    await busy.waitFor();
    // Its label changes meanwhile, so it is not compared by that.
    assert.equal(await page.evaluate("document.activeElement.ariaBusy"), "true", `${name} while it is under way`);
    // Pressed again, it begins nothing.
    await page.keyboard.press("Enter");
    isSeen.resolve();
    await page.getByText("Not now.").first().waitFor();
    assert.equal(await focused(page), name, `${name} when it is done`);
    assert.equal(times, 1);
  }
});

test("the focus goes on where a button goes away with what it did", { skip }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "none");
  for (let at = 1; at <= 5; at += 1) await verb("workflow create", { org: acme.id, name: `w${at}` });
  const page = await openConsole(t, service, { at: "/audit", failing: /workflow\/list/ });
  let isDown = true;
  await page.route("**/api/workflow/list", async (route) => {
    const input = route.request().postDataJSON() as object;
    await (isDown ? route.abort() : route.continue({ postData: JSON.stringify({ ...input, limit: 2 }) }));
  });
  await page.goto(`${service.adminUrl}/console/access?org=${acme.id}`);
  const workflows = page.getByRole("region", { name: "Workflows" });
  const again = workflows.getByRole("button", { name: "Try again" });
  await again.waitFor();
  isDown = false;
  await again.press("Enter");
  await workflows.getByText("w5").waitFor();
  assert.equal(await focused(page), "Workflows");

  const more = workflows.getByRole("button", { name: "Show more" });
  await more.press("Enter");
  await workflows.getByText("w2").waitFor();
  assert.equal(await focused(page), "Show more");
  await page.keyboard.press("Enter");
  await workflows.getByText("w1").waitFor();
  await more.waitFor({ state: "detached" });
  assert.match(await focused(page), /^w1/);

  // A page after the last row is empty.
  await page.route("**/api/audit/list", async (route) => {
    const { after } = route.request().postDataJSON() as { readonly after?: string };
    if (after !== undefined) return route.fulfill({ json: { entries: [] } });
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), next: "a place" } });
  });
  await page.goto(`${service.adminUrl}/console/audit`);
  const last = page.getByRole("button", { name: "Show more" });
  await last.press("Enter");
  await last.waitFor({ state: "detached" });
  assert.ok(await page.evaluate("document.activeElement === [...document.querySelectorAll('tbody tr')].at(-1)"));

  // Where no page had a row, there is only the list.
  await page.route("**/api/audit/list", (route) => {
    const { after } = route.request().postDataJSON() as { readonly after?: string };
    return route.fulfill({ json: { entries: [], ...(after === undefined && { next: "a place" }) } });
  });
  await page.goto(`${service.adminUrl}/console/audit`);
  await last.press("Enter");
  await last.waitFor({ state: "detached" });
  assert.ok(await page.evaluate("document.activeElement.matches('.list')"));

  await page.goto(`${service.adminUrl}/console/access?org=${acme.id}`);
  const at = page.url();
  await page
    .getByRole("navigation", { name: "Pages", exact: true })
    .getByRole("link", { name: "Audit", exact: true })
    .click();
  await page.goBack();
  await page.getByRole("button", { name: "New token" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).press("Enter");
  const shown = page.getByRole("dialog", { name: "The new access token" });
  service.secrets.add((await shown.locator("code").first().textContent())!);
  // It cannot be had again, so only who says so closes it.
  for (const way of ["Escape", "Escape", "/"]) await page.keyboard.press(way);
  await page.mouse.click(5, 5);
  await page.goForward();
  await until(() => page.url() === at);
  assert.ok(await shown.isVisible());
  assert.ok(await page.evaluate("window.dispatchEvent(new Event('beforeunload', { cancelable: true })) === false"));
  await shown.getByRole("button", { name: "I have saved it" }).press("Enter");
  await shown.waitFor({ state: "detached" });
  assert.equal(await focused(page), "New token");
});
