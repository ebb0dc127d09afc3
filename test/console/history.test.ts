import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { assertUsableEverywhere, NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { startWorld, type World } from "../rig/browser/world.ts";
import { until } from "../rig/until.ts";

const skip = NO_BROWSER;
const HOUR_MS = 3_600_000;
const BIN = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

interface Figures {
  readonly at: string;
  readonly calls: number;
  readonly match: number;
  readonly no_match: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly rejected: Readonly<Record<string, number>>;
}

/** What the command line says of a source. */
async function historyOf(world: World, options: readonly string[]) {
  const all = [BIN, "ledger", "history", "--json", "--data-dir", world.service.dataDir, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, all, { env: { PATH: process.env["PATH"] } });
  const { groups } = JSON.parse(stdout) as {
    groups: { points: Figures[]; total: Figures & Record<"p50_ms" | "p95_ms" | "p99_ms", number> }[];
  };
  return groups[0]!;
}

/** The rows of the figures of a chart, as texts. */
async function figuresOf(chart: Locator): Promise<readonly (readonly string[])[]> {
  await chart.getByText("Figures").click();
  return chart
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, one) => all + one, 0);
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

test("a page has the figures of the command line, in the time range and zone of its address", { skip }, async (t) => {
  const world = await startWorld(t, "day");
  const source = "bureau__credit_report";
  const count = async () => (await historyOf(world, ["--source", source])).total.calls;
  await until(async () => (await world.verb("ledger activity", { source })).activity[0]?.calls === (await count()));
  const start = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 23 * HOUR_MS;
  const [from, to] = [start, start + 24 * HOUR_MS].map((at) => new Date(at).toISOString());
  const page = await openConsole(t, world.service, {
    as: "viewer",
    at: `/sources/${source}?from=${from}&to=${to}`,
  });
  const outcomes = page.getByRole("region", { name: "Calls by outcome" });
  const figures = await figuresOf(outcomes);
  const { points, total } = await historyOf(world, ["--source", source, "--from", from!, "--to", to!]);
  const shown = figures.filter((row) => row.slice(1).some((text) => text !== "–" && text !== "0"));
  assert.deepEqual(
    shown.map((row) => row.slice(1).map(Number)),
    points.map((point) => [point.match, point.no_match, sum(point.rejected), sum(point.failed)]),
  );
  assert.deepEqual(
    shown.map(([time]) => time!.slice(-5)),
    points.map(({ at }) => at.slice(11, 16)),
  );
  const fact = (title: string) =>
    page.getByRole("region", { name: "Calls", exact: true }).locator("dl > div", { hasText: title }).locator("dd");
  assert.equal(await fact("Calls").textContent(), String(total.calls));
  assert.equal(await fact("p95").textContent(), `${total.p95_ms} ms`);
  // The vendor failed for two hours, which is seen.
  assert.equal(points.filter((point) => sum(point.failed) === point.calls).length, 2);
  // Before the first run nothing is known.
  assert.deepEqual(new Set(figures[0]!.slice(1)), new Set(["–"]));
  await outcomes.locator(".chart-unknown").first().waitFor({ state: "attached" });
  await assertUsableEverywhere(page);

  // The list has the same, and is sorted by it.
  await page.goto(`${world.service.adminUrl}/console/sources`);
  const list = page.getByRole("table", { name: "Sources" });
  const attempted = total.calls - sum(total.rejected);
  const rate = `${Math.round((100 * sum(total.failed)) / attempted)} %`;
  await list.getByRole("row", { name: new RegExp(`Credit report .* ${total.calls} ${rate} `) }).waitFor();
  await list.getByRole("button", { name: "p95" }).press("Enter");
  await list.locator("th[aria-sort=descending]", { hasText: "p95" }).waitFor();
  await list.locator("tbody tr").first().getByText("Company profile").waitFor();
  await page.getByRole("button", { name: "Slowness" }).click();
  await page.getByRole("img", { name: "Slowness by source and time, the last 24 hours" }).waitFor();
  await assertUsableEverywhere(page);

  // A local time is that of the address, also after a link.
  await page.goto(`${world.service.adminUrl}/console/sources?zone=Asia%2FKolkata`);
  await page.getByRole("link", { name: source }).first().click();
  await page.waitForURL(/\/sources\/bureau__credit_report\?/);
  assert.equal(param(page, "zone"), "Asia/Kolkata");
  const times = (await figuresOf(outcomes)).map(([time]) => time!.slice(-2));
  assert.deepEqual(new Set(times), new Set(["30"]));
});

test("a time range is selected in a chart by dragging and by keyboard, and Back undoes it", { skip }, async (t) => {
  const world = await startWorld(t, "little");
  const page = await openConsole(t, world.service, { as: "viewer", at: "/sources/registry__company?range=24h" });
  const chart = page.getByRole("region", { name: "Calls by outcome" });
  const picture = chart.getByRole("img");
  const { x, y, width } = (await picture.boundingBox())!;
  await page.mouse.move(x + width - 60, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + width - 10, y + 60, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/from=.*&to=/);
  const hours = () => (Date.parse(param(page, "to")!) - Date.parse(param(page, "from")!)) / HOUR_MS;
  assert.ok(hours() >= 2 && hours() <= 6, String(hours()));
  assert.equal(param(page, "range"), null);
  await page.getByLabel("From", { exact: true }).first().waitFor();
  await page.goBack();
  await until(async () => param(page, "range") === "24h");

  const first = chart.getByRole("slider", { name: "From" });
  await first.focus();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForURL(/from=.*&to=/);
  assert.equal(hours(), 21);
  await page.getByRole("button", { name: "7 d" }).press("Enter");
  await page.waitForURL(/range=7d/);
  assert.equal(param(page, "from"), null);
  await assertUsableEverywhere(page);
});
