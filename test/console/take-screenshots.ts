import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { openConsole, untilLoaded } from "../rig/browser/console.ts";
import { startWorld, type Amount, type World } from "../rig/browser/world.ts";

// For people: pictures of every page, wide and narrow, light and dark, with more and less to show.
//   SHOTS=/tmp/shots [ONLY=audit] [WITH=little] node --no-node-snapshot --test test/console/take-screenshots.ts

const folder = resolve(process.env["SHOTS"] ?? ".cache/screenshots");
const only = new RegExp(process.env["ONLY"] ?? "");
const amounts = (process.env["WITH"] ?? "none little day much longest").split(" ") as Amount[];

/** Where each picture is taken. A page that shows one thing gets its id from the world; `null` if there is none. */
const PLACES: Readonly<Record<string, (world: World) => string | null | Promise<string | null>>> = {
  overview: () => "/",
  run: ({ acme: { workflow } }) =>
    `/run?workflow=${workflow}&with=examples&sources=registry__company,bureau__credit_report,lists__sanctions,register__insolvency`,
  "run-nothing": () => "/run",
  "run-answered": ({ acme: { workflow } }) =>
    `/run?workflow=${workflow}&with=examples&sources=registry__company,bureau__credit_report,lists__sanctions,register__insolvency`,
  login: () => "/",
  "not-found": () => "/nowhere",
  dialog: ({ acme }) => `/access?org=${acme.id}`,
  "token-made": ({ acme }) => `/access?org=${acme.id}`,
  access: () => "/access",
  organization: ({ acme }) => `/access?org=${acme.id}`,
  operators: () => "/access?tab=operators",
  credentials: ({ acme }) => `/credentials?org=${acme.id}`,
  "credentials-taken": ({ acme }) => `/credentials?org=${acme.id}&view=matrix`,
  "credentials-steps": ({ acme }) =>
    `/credentials?org=${acme.id}&view=matrix&workflow=${acme.workflow}&source=bureau__credit_report`,
  "credentials-new": ({ acme }) => `/credentials/new?org=${acme.id}&source=bureau__credit_report`,
  audit: () => "/audit",
  runs: () => "/runs",
  "one-run": async ({ verb }) => {
    const { runs } = await verb("ledger list", { limit: 1 });
    return runs.length === 0 ? null : `/runs/${runs[0].transaction_id}`;
  },
  sources: () => "/sources",
  source: () => "/sources/bureau__credit_report",
  "source-ask": ({ acme }) => `/sources/bureau__credit_report?ask=live&org=${acme.id}&workflow=${acme.workflow}`,
  functions: () => "/functions",
  function: async ({ verb }) =>
    (await verb("function list", {})).functions.length === 0 ? null : "/functions/dfunc_company_check",
  "function-diff": async ({ verb, changeFunction }) => {
    if ((await verb("function list", {})).functions.length === 0) return null;
    await changeFunction();
    return "/functions/dfunc_company_check/diff";
  },
  // After the function has two versions.
  "function-versions": async ({ verb }) =>
    (await verb("function list", {})).functions.length === 0 ? null : "/functions/dfunc_company_check?version=1",
  money: () => "/money",
  "money-unknown": () => "/money/unknown",
  "money-org": () => "/money?by=org",
  budgets: async ({ verb }) => {
    const { budgets } = await verb("budget list", {});
    return `/money/budgets?budget=${budgets[0]?.budget ?? ""}`;
  },
  invoice: () => "/money/invoice",
  "invoice-compared": () => "/money/invoice",
  "money-settle": () => "/money/unknown",
  prices: async ({ verb, acme }) => {
    const { credentials } = await verb("credential price current", { org: acme.id });
    return `/money/prices?org=${acme.id}&credential=${credentials[0]?.cred_id ?? ""}`;
  },
};

/** What is done there before the picture is taken. */
const DONE: Readonly<Record<string, (page: Page, world: World) => Promise<void>>> = {
  "run-answered": async (page, { service }) => {
    const run = page.getByRole("button", { name: /^Run / });
    if (!(await run.isVisible())) return;
    await run.click();
    service.expectRunWithoutAnswer();
    await page.getByText("Raw JSON").waitFor();
  },
  "invoice-compared": async (page, { verb }) => {
    const [run] = (await verb("ledger list", { charged: "yes", limit: 1 })).runs;
    await page
      .getByLabel("The invoice as CSV")
      .fill(`Transaction,Net\ntrx_of_nobody,7.70\n${run?.transaction_id ?? "trx_none"},12.00\n,total\n`);
    await page.getByLabel("Currency of all lines").fill("EUR");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByText("In dispute").waitFor();
  },
  "money-settle": async (page) => {
    const box = page.getByRole("checkbox").first();
    if (!(await box.isVisible())) return;
    await box.check();
    await page.getByRole("button", { name: /^Settle \d+ selected/ }).click();
    await page.getByLabel("Reason").waitFor();
  },
  dialog: (page) => page.getByRole("button", { name: "Revoke" }).first().click(),
  "token-made": async (page) => {
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("I have saved it").waitFor();
  },
};

mkdirSync(folder, { recursive: true });
after(() => console.log(`The pictures are in ${folder}`));

for (const amount of amounts) {
  test(`with ${amount}`, async (t) => {
    const world = await startWorld(t, amount);
    for (const [name, place] of Object.entries(PLACES).filter(([name]) => only.test(name))) {
      const at = await place(world);
      if (at === null) continue;
      const page = await openConsole(t, world.service, { as: name === "login" ? null : world.owner, at, failing: /./ });
      await untilLoaded(page);
      await page.locator(".list-waits").first().waitFor({ state: "detached" });
      await DONE[name]?.(page, world);
      for (const scheme of ["light", "dark"] as const) {
        for (const width of [1440, 390]) {
          await page.emulateMedia({ colorScheme: scheme });
          await page.setViewportSize({ width, height: 900 });
          await page.evaluate("window.scrollTo(0, 0)");
          await page.screenshot({
            path: join(folder, `${name}-${amount}-${width}-${scheme}.png`),
            fullPage: amount !== "much",
          });
        }
      }
      await page.close();
    }
  });
}
