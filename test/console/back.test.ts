import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER, openConsole, untilLoaded } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

test("who comes back to a long list finds the place where it was left", { skip: NO_BROWSER }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "none");
  const rename = (at: number) => verb("org rename", { org: acme.id, name: `Acme ${at}` });
  for (let at = 0; at < 130; at += 10) await Promise.all(Array.from({ length: 10 }, (_, one) => rename(at + one)));
  const page = await openConsole(t, service, { at: "/sources" });
  await page.getByRole("link", { name: "Audit" }).click();
  const rows = page.getByRole("table", { name: "Acts of operators" }).getByRole("row");
  const more = page.getByRole("button", { name: "Show more" });
  await more.click();
  await until(async () => (await rows.count()) > 120);
  const all = await rows.count();
  const last = rows.nth(115);
  await last.scrollIntoViewIfNeeded();
  const scrolled = () => page.evaluate("Math.round(window.scrollY)") as Promise<number>;
  const place = await scrolled();
  assert.ok(place > 1_500, `only ${place} px down`);

  await last.getByRole("link").first().click();
  await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
  assert.equal(await scrolled(), 0);
  await page.goBack();
  await until(async () => (await scrolled()) === place);
  assert.equal(await rows.count(), all);
  // And back from the page before it, with the browser's Forward.
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Sources" }).waitFor();
  await page.goForward();
  await until(async () => (await scrolled()) === place && (await rows.count()) === all);

  // A link begins at the top, with the first rows.
  await page.getByRole("link", { name: "Sources" }).click();
  await page.getByRole("link", { name: "Audit" }).click();
  await until(async () => (await rows.count()) === 101);
  assert.equal(await scrolled(), 0);
});

test("a choice is found again where it was made, by a reload", { skip: NO_BROWSER }, async (t) => {
  const { service } = await startWorld(t, "little");
  const page = await openConsole(t, service, { at: "/money" });
  await page.setViewportSize({ width: 390, height: 300 });
  const by = page.getByRole("combobox", { name: "By" });
  // What comes later would move it.
  await page.getByRole("heading", { level: 2, name: "By source" }).waitFor();
  await untilLoaded(page);
  await by.scrollIntoViewIfNeeded();
  const scrolled = () => page.evaluate("Math.round(window.scrollY)") as Promise<number>;
  await by.selectOption("day");
  await page.waitForURL(/by=day/);
  // Choosing may move it.
  await page.getByRole("heading", { level: 2, name: "By day" }).waitFor();
  await untilLoaded(page);
  const place = await scrolled();
  assert.ok(place > 100, `only ${place} px down`);
  await page.reload();
  await until(async () => (await scrolled()) === place);
});
