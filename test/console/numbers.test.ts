import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER, openConsole, untilLoaded } from "../rig/browser/console.ts";
import { startWorld } from "../rig/browser/world.ts";

/** Gathers, from before the page's own script runs, how far content moved by itself. */
const WATCH_SHIFTS = `
  window.shifted = 0;
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shifted += entry.value;
      window.shifts.push(...entry.sources.map((it) => (it.node?.outerHTML ?? it.node?.textContent ?? "").slice(0, 200)));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;
const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
/** Scrolls through the page, a window's height a frame, and gives the frames that took longer than two. */
const SCROLL = `new Promise((resolve) => {
  const took = [];
  let before;
  window.scrollTo(0, 0);
  const step = (now) => {
    if (before !== undefined) took.push(now - before);
    before = now;
    if (window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1 || took.length > 400)
      resolve({ frames: took.length, late: took.filter((ms) => ms > 34).length });
    else {
      window.scrollBy(0, window.innerHeight / 2);
      requestAnimationFrame(step);
    }
  };
  requestAnimationFrame(step);
})`;

async function pagesOf(page: Page): Promise<readonly string[]> {
  const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").all();
  return Promise.all(links.map(async (link) => (await link.getAttribute("href"))!));
}

test("nothing on a page moves by itself while it loads", { skip: NO_BROWSER }, async (t) => {
  const world = await startWorld(t, "much");
  const first = await openConsole(t, world.service, { as: world.owner });
  const moved: string[] = [];
  for (const href of [...(await pagesOf(first)), "/console/sources/register__insolvency"]) {
    for (const width of [1280, 390]) {
      const page = await first.context().newPage();
      await page.setViewportSize({ width, height: 900 });
      await page.addInitScript(WATCH_SHIFTS);
      await page.goto(world.service.adminUrl + href);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await untilLoaded(page);
      const [painted, shifted, shifts] = await Promise.all([
        page.evaluate(FIRST_PAINT),
        page.evaluate("window.shifted"),
        page.evaluate("window.shifts"),
      ]);
      t.diagnostic(`${href} at ${width} px: first paint after ${Math.round(painted as number)} ms`);
      // A hundredth is what nobody sees.
      if ((shifted as number) >= 0.01) moved.push(`${href} at ${width} px by ${String(shifted)}: ${String(shifts)}`);
      await page.close();
    }
  }
  assert.deepEqual(moved, []);
});

test("a list of a thousand rows is scrolled through", { skip: NO_BROWSER }, async (t) => {
  const world = await startWorld(t, "none");
  const rename = (name: string) => world.verb("org rename", { org: world.acme.id, name });
  for (let at = 0; at < 1_000; at += 10)
    await Promise.all(Array.from({ length: 10 }, (_, one) => rename(`Acme ${at + one}`)));
  const page = await openConsole(t, world.service, { as: world.owner, at: "/audit" });
  const rows = page.getByRole("row");
  while ((await rows.count()) < 1_001) {
    const before = await rows.count();
    await page.getByRole("button", { name: "Show more" }).click();
    await rows.nth(before).waitFor();
  }
  const { frames, late } = (await page.evaluate(SCROLL)) as { readonly frames: number; readonly late: number };
  t.diagnostic(`${late} of ${frames} frames took longer than two`);
  assert.ok(frames > 50);
});
