import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER, openConsole, untilLoaded } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const TWENTY_FRAMES = `new Promise((resolve) => {
  let left = 20;
  const next = () => ((left -= 1) === 0 ? resolve() : requestAnimationFrame(next));
  next();
})`;

test("who comes back to a long list finds the place where it was left", { skip: NO_BROWSER }, async (t) => {
  const { service, acme, verb } = await startWorld(t, "none");
  const rename = (at: number) => verb("org rename", { org: acme.id, name: `Acme ${at}` });
  for (let at = 0; at < 130; at += 10) await Promise.all(Array.from({ length: 10 }, (_, one) => rename(at + one)));
  const page = await openConsole(t, service, { at: "/sources" });
  await page.getByRole("link", { name: "Audit" }).click();
  const rows = page.getByRole("table", { name: "Audit trail" }).getByRole("row");
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

const TOP_OF_BUDGETS =
  "String(Math.round([...document.querySelectorAll('h2')].find((each) => each.textContent.includes('Budgets'))?.getBoundingClientRect().top))";

test(
  "a choice that Back undoes is found again where it was made, by Forward and by a reload",
  { skip: NO_BROWSER },
  async (t) => {
    const { service } = await startWorld(t, "little");
    const page = await openConsole(t, service, { at: "/money" });
    await page.setViewportSize({ width: 390, height: 300 });
    const by = page.getByRole("combobox", { name: "By" });
    // What comes later would move it.
    await page.getByRole("heading", { level: 2, name: "By vendor" }).waitFor();
    await untilLoaded(page);
    await by.scrollIntoViewIfNeeded();
    const scrolled = () => page.evaluate("Math.round(window.scrollY)") as Promise<number>;
    const listed = (by: string) => page.getByRole("table", { name: `Spend by ${by}` }).waitFor();
    // The end of a scroll is told some frames later, and only then is its place kept.
    const standing = () => page.evaluate(TWENTY_FRAMES);
    await by.selectOption("day");
    await page.waitForURL(/by=day/);
    // Choosing may move it: without its lines the page is shorter.
    await listed("day");
    await standing();
    const place = await scrolled();
    assert.ok(place > 100, `only ${place} px down`);
    await page.reload();
    await until(async () => (await scrolled()) === place);
    await page.goBack();
    await until(async () => !page.url().includes("by="));
    await listed("vendor");
    await standing();
    await page.evaluate("window.scrollTo(0, 0)");
    await page.goForward();
    await until(async () => (await scrolled()) === place);

    // A page that has become shorter meanwhile is shown as far as it goes.
    await standing();
    await page.evaluate("window.history.replaceState({ y: 100000 }, '')");
    await page.evaluate("window.addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true)");
    await page.reload();
    const isAtEnd =
      "window.scrollY > 0 && window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1";
    await until(async () => (await page.evaluate(isAtEnd)) as boolean);

    // The overview is told what it shows, and stands when the first has come.
    await page.goto(`${service.adminUrl}/console/`);
    await page.getByRole("heading", { name: "Budgets" }).scrollIntoViewIfNeeded();
    await standing();
    assert.ok((await scrolled()) > 100, `only ${await scrolled()} px down`);
    // What it is told each second may move it, so its place is that of when it is left: of a heading in the window, because
    // what is above it may have become longer.
    await page.evaluate(`window.addEventListener('pagehide', () => sessionStorage.setItem('left', ${TOP_OF_BUDGETS}))`);
    await page.route("**/api/live", async (route) => {
      await page.evaluate(TWENTY_FRAMES);
      await route.continue();
    });
    await page.reload();
    const left = Number(await page.evaluate("sessionStorage.getItem('left')"));
    // Charts have fractions of a pixel.
    await until(async () => (await page.evaluate(`Math.abs(${TOP_OF_BUDGETS} - ${left}) <= 1`)) as boolean);
    await page.unrouteAll({ behavior: "ignoreErrors" });
  },
);
