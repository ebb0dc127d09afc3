import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { assertFits, assertUsable, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { settle, walk } from "../rig/browser/walk.ts";
import { startWorld, type World } from "../rig/browser/world.ts";

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
/** A page shows its parts together, but does not wait for the slowest for ever. Here it does, however busy the machine is. */
const WAIT_FOR_ALL = `
  const own = window.setTimeout;
  window.setTimeout = (then, ms, ...rest) => own(then, ms >= 1_000 ? 100 * ms : ms, ...rest);
`;
const FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
/** What the page has loaded besides itself and answers of the service. */
const FILES =
  "performance.getEntriesByType('resource').filter(({ name }) => !name.includes('/api/')).map((it) => it.initiatorType)";
/** What no page links to. */
const BESIDE = ({ acme: { id, workflow } }: World): readonly string[] => [
  `/console/credentials?org=${id}&view=matrix&workflow=${workflow}&source=bureau__credit_report`,
  `/console/sources/bureau__credit_report?ask=live&org=${id}&workflow=${workflow}`,
  `/console/run?workflow=${workflow}&sources=registry__company,bureau__credit_report&with=examples`,
  `/console/run?workflow=${workflow}&function=dfunc_company_check`,
  "/console/money?by=org",
  // Nothing was charged then.
  "/console/money?by=org&month=2026-01",
  "/console/money/invoice?month=2026-01",
  "/console/credentials/new",
  "/console/nowhere",
];

/** Of a screen, and the narrowest on which tables have columns beside the navigation and without it. */
const WIDE = [1280, 1153, 865] as const;

// With the longest names and at 200 % zoom, where what comes later would move most; in the dark by turns.
test(
  "nothing on any page moves by itself while it loads, and everybody can use it",
  { skip: NO_BROWSER },
  async (t) => {
    const world = await startWorld(t, "longest");
    const page = await openConsole(t, world.service, { as: world.owner, width: 640 });
    await page.addInitScript(WATCH_SHIFTS);
    await page.addInitScript(WAIT_FOR_ALL);
    const moved: string[] = [];
    const wide: string[] = [];
    const kinds: string[] = [];
    for await (const at of walk(page, world.service.adminUrl, BESIDE(world))) {
      const [painted, shifted, shifts] = await Promise.all([
        page.evaluate(FIRST_PAINT),
        page.evaluate("window.shifted"),
        page.evaluate("window.shifts"),
      ]);
      if (!at.includes("?")) t.diagnostic(`${at}: first paint after ${Math.round(painted as number)} ms`);
      // A hundredth is what nobody sees.
      if ((shifted as number) >= 0.01) moved.push(`${at} by ${String(shifted)}: ${String(shifts)}`);
      await assertUsable(page);
      for (const width of WIDE) {
        await page.setViewportSize({ width, height: 900 });
        await assertFits(page).catch((error: unknown) => wide.push((error as Error).message));
      }
      await page.setViewportSize({ width: 640, height: 900 });
      await page.emulateMedia({ colorScheme: kinds.push(at) % 2 === 0 ? "light" : "dark" });
    }
    assert.deepEqual(moved, []);
    assert.deepEqual(wide, []);
    assert.ok(kinds.length > 40, `only ${kinds.length} pages`);

    // How long the first paint takes is the machine's; what it waits for is the page, three files that
    // the page names, and who is logged in.
    await page.route("**/api/**", (route) =>
      route.request().url().endsWith("/session/show") ? route.continue() : null,
    );
    for (const path of [
      "/",
      "/run",
      "/runs",
      "/sources",
      "/functions",
      "/credentials",
      "/access",
      "/money",
      "/audit",
    ]) {
      await page.goto(`${world.service.adminUrl}/console${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const files = (await page.evaluate(FILES)) as readonly string[];
      // Charts and pages of their own are imported meanwhile, and the first paint does not wait for them.
      assert.deepEqual([...new Set(files)].sort(), ["link", "other", "script"], path);
      assert.ok(files.length <= 6, `${path}: ${files.join(" ")}`);
    }
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await assertSourcesMoveNothing(t, world);
  },
);

/** What will be asked is not moved by sources that come later. */
async function assertSourcesMoveNothing(t: TestContext, { service, acme }: World): Promise<void> {
  const page = await openConsole(t, service, { width: 640 });
  await page.addInitScript(WATCH_SHIFTS);
  await page.addInitScript(WAIT_FOR_ALL);
  const list = Promise.withResolvers<void>();
  await page.route("**/api/source/list", async (route) => {
    await list.promise;
    await route.continue();
  });
  await page.goto(`${service.adminUrl}/console/run?workflow=${acme.workflow}&sources=registry__company`);
  await page.getByText("Live. Vendors are called").waitFor();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  list.resolve();
  await page.getByRole("checkbox", { name: /^Company profile/ }).waitFor();
  await page.getByRole("heading", { name: "Planned calls" }).waitFor();
  await settle(page);
  assert.deepEqual(await page.evaluate("window.shifts"), []);
}
