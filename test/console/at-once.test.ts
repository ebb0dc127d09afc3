import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";
import { until } from "../rig/until.ts";

const skip = NO_BROWSER;

/** Somebody who acts on what a page shows before its next frame: a script that is told of each of its changes. */
const onceThere = (selector: string, act: string): string => `
  new MutationObserver((_, observer) => {
    const it = document.querySelector(${JSON.stringify(selector)});
    if (it === null) return;
    observer.disconnect();
    ${act};
  }).observe(document, { childList: true, subtree: true });
`;
const key = (name: string): string =>
  `it.dispatchEvent(new KeyboardEvent("keydown", { key: "${name}", bubbles: true }))`;
const typing = (text: string): string =>
  `it.value = ${JSON.stringify(text)}; it.dispatchEvent(new Event("input", { bubbles: true }))`;

/** Until everything has been done that was left to a later frame. */
const frames = (page: Page) =>
  page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
  );

test("what is typed into a filter as soon as it is there stays", { skip }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, { at: "/sources" });
  await page.addInitScript(onceThere("input[name=who]", typing("ada")));
  await page.goto(`${service.adminUrl}/console/audit?what=session+begin`);
  await page.getByRole("cell", { name: "session begin" }).first().waitFor();
  await frames(page);
  const who = page.getByLabel("Operator");
  assert.equal(await who.inputValue(), "ada");

  // And so it is with what is typed as soon as another filter is in the address.
  await page.evaluate(`(async () => {
    [...document.querySelectorAll("button")].find((one) => one.textContent === "Show all").click();
    for (let turns = 0; turns < 10; turns += 1) await null;
    const it = document.querySelector("input[name=who]");
    ${typing("eve")};
  })()`);
  await frames(page);
  assert.equal(await who.inputValue(), "eve");
});

test("a slash leads to the search as soon as a page is there", { skip }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, { at: "/sources" });
  await page.addInitScript(
    onceThere("h1", `${key("/")}; window.had = document.activeElement.getAttribute("aria-label")`),
  );
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await page.evaluate("window.had"), "Search");
});

test("the focus goes on to the last rows as soon as they are there", { skip }, async (t) => {
  const service = await startService(t);
  const page = await openConsole(t, service, { at: "/sources" });
  await page.route("**/api/audit/list", async (route) => {
    const { after } = route.request().postDataJSON() as { readonly after?: string };
    const response = await route.fetch({ postData: "{}" });
    const { entries } = (await response.json()) as { readonly entries: readonly object[] };
    const json =
      after === undefined ? { entries: entries.slice(0, 1), next: "a place" } : { entries: entries.slice(1) };
    await route.fulfill({ response, json });
  });
  await page.goto(`${service.adminUrl}/console/audit`);
  const more = page.getByRole("button", { name: "Show more" });
  await more.waitFor();
  await page.evaluate(onceThere("tbody tr:nth-child(2)", "window.had = document.activeElement === it"));
  await more.press("Enter");
  await more.waitFor({ state: "detached" });
  assert.equal(await page.evaluate("window.had"), true);
});

test("what is folded as soon as it is there stays folded", { skip }, async (t) => {
  const output = { people: [{ name: "Ada" }, { name: "Eve" }], last: "text" };
  const service = await startService(t, { sources: [answers("alpha__registry", output)] });
  const page = await openConsole(t, service, { at: `/run?workflow=${service.a.workflow}&sources=alpha__registry` });
  await page.evaluate(onceThere("[role=treeitem][aria-expanded=true]", key("ArrowLeft")));
  await page.getByRole("button", { name: /^Run live/ }).click();
  const first = page.getByRole("treeitem").first();
  await first.waitFor();
  service.expectRunWithoutAnswer();
  await frames(page);
  assert.equal(await first.getAttribute("aria-expanded"), "false");
});

test(
  "the frame of a page is there before a slow service has answered, but not before a first login",
  { skip },
  async (t) => {
    const service = await startService(t);
    const page = await openConsole(t, service, { as: "viewer", at: "/sources" });
    let answer = () => {};
    await page.route("**/api/session/show", async (route) => {
      await new Promise<void>((resolve) => (answer = resolve));
      await route.continue();
    });
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Audit" });
    await page.reload({ waitUntil: "commit" });
    await link.waitFor();
    await page.getByText("Loading…").waitFor();
    answer();
    await page.getByRole("heading", { level: 1 }).waitFor();

    // The keys that work everywhere are listed.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Search by a name or an id.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.evaluate("localStorage.clear()");
    await page.reload({ waitUntil: "commit" });
    await until(async () => (await page.evaluate("document.readyState")) === "complete");
    assert.equal(await link.count(), 0);
    answer();
    await link.waitFor();
  },
);
