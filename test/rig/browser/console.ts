import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { Role } from "../../../src/admin/ports.ts";
import type { Appointed } from "../organization.ts";
import { processLife } from "../process-life.ts";
import type { TestService } from "../service.ts";
import { launchChromium } from "./chromium.ts";

export { NO_BROWSER } from "./chromium.ts";

export interface ConsoleOptions {
  /** Who looks; an owner unless given. `null`: nobody is logged in. */
  readonly as?: Role | Appointed | null;
  /** Below the console: `/runs?outcome=failed`. */
  readonly at?: string;
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** An origin besides the admin port to which a person may be led, such as that of an identity provider. */
  readonly leadsTo?: string;
  /** Of requests of the page that are to fail: their messages in the browser's console are no mistake. */
  readonly failing?: RegExp;
}

let browser: Promise<Browser> | undefined;
processLife.after(async () => (await browser)?.close());

/**
 * Opens the console of a service in a real browser. When the test ends, the page must have thrown nothing, written
 * nothing to the browser's console, and asked nobody but the admin port.
 */
export async function openConsole(t: TestContext, service: TestService, options: ConsoleOptions = {}): Promise<Page> {
  const { as = "owner", at = "/", width = 1280, height = 900, scheme = "light", leadsTo, failing } = options;
  browser ??= launchChromium();
  const view: BrowserContextOptions = {
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
  };
  const context = await (await browser).newContext(view);
  t.after(() => context.close());
  // Its window is one of the operating system's, which nobody sees here.
  await context.addInitScript("delete window.showSaveFilePicker");
  const wrong: string[] = [];
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin === leadsTo && new URL(request.frame().url()).origin !== service.adminUrl) return;
    if (origin === leadsTo && request.isNavigationRequest()) return;
    if (origin !== service.adminUrl && protocol !== "data:" && protocol !== "blob:")
      wrong.push(`asked ${request.url()}`);
  });
  context.on("weberror", (error) => wrong.push(String(error.error().stack)));
  context.on("console", (message) => {
    // What a page still asks for when its test is over, the service refuses.
    if (service.hasEnded || failing?.test(message.location().url)) return;
    if (!["error", "warning"].includes(message.type())) return;
    wrong.push(`${message.text()} (${message.location().url})`);
  });
  t.after(() => assert.deepEqual(wrong, []));
  if (as !== null) {
    const person = typeof as === "string" ? await operatorOf(service, as) : as;
    const secret = await beginSession(service, person);
    service.secrets.add(secret);
    const cookie = {
      name: "datarun",
      value: secret,
      url: service.adminUrl,
      httpOnly: true,
      sameSite: "Strict",
    } as const;
    await context.addCookies([cookie]);
  }
  // Long enough for any machine, as that of `until` is.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(`${service.adminUrl}/console${at}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

const operators = new WeakMap<TestService, Map<Role, Promise<Appointed>>>();

/** The operator of a service who has this role, whoever has opened the console before. */
function operatorOf(service: TestService, role: Role): Promise<Appointed> {
  const own = operators.get(service) ?? new Map<Role, Promise<Appointed>>();
  operators.set(service, own);
  const operator = own.get(role) ?? service.operator.appoint(role);
  own.set(role, operator);
  return operator;
}

/** Chooses an organization in the field that finds one by its name, in a page or a dialog. */
export async function chooseOrganization(within: Page | Locator, name: string): Promise<void> {
  const field = within.getByRole("combobox", { name: "Organization" });
  await field.fill(name);
  await within.getByRole("option", { name }).first().waitFor();
  await field.press("Enter");
}

/** Until nothing more is asked for. A page that is told what happens asks for ever, and is loaded once it was told. */
export async function untilLoaded(page: Page): Promise<void> {
  await Promise.race([page.waitForLoadState("networkidle"), page.locator("[data-live=yes]").waitFor()]);
}

/** The secret of a new session of this operator's. */
export async function beginSession({ adminUrl }: TestService, { token }: Pick<Appointed, "token">): Promise<string> {
  const headers = { Authorization: `Bearer ${token}`, Origin: adminUrl, "Datarun-Console": "1" };
  const answer = await fetch(`${adminUrl}/api/session`, { method: "POST", headers });
  assert.equal(answer.status, 200, await answer.text());
  return /^datarun=([^;]+)/.exec(answer.headers.get("set-cookie")!)![1]!;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Finds nothing serious on the page as it is now, and no content beside the window or the column that it stands in. */
export async function assertUsable(page: Page): Promise<void> {
  await assertAccessible(page);
  await assertFits(page);
}

async function assertAccessible(page: Page): Promise<void> {
  // The browser's own door, because the page lets no script in.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(AXE);
  const found = (await page.evaluate(
    // Its `region` finds nothing serious, and no rule that runs needs the style sheets, which it would load again.
    "axe.run(document, { resultTypes: ['violations'], preload: false, rules: { region: { enabled: false } } }).then((it) => it.violations)",
  )) as readonly Finding[];
  const serious = found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join("\n")}`,
    );
  assert.deepEqual(serious, [], page.url());
}

/** Tables that reach into the margin of the page. */
const TOO_WIDE = `[...document.querySelectorAll(".table")].flatMap((table) => {
  const beyond = table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().right;
  return beyond > 1 ? [table.caption.textContent + " by " + beyond + " px at " + window.innerWidth] : [];
})`;

/** Nothing is beside the window, or reaches into the margin of the page. */
export async function assertFits(page: Page): Promise<void> {
  const [beside, tooWide] = (await page.evaluate(
    `[document.documentElement.scrollWidth - window.innerWidth, ${TOO_WIDE}]`,
  )) as readonly [number, readonly string[]];
  assert.ok(beside <= 0, `${page.url()} is ${beside} px wider than a window of ${page.viewportSize()!.width} px`);
  assert.deepEqual(tooWide, [], page.url());
}

/**
 * The page wide and in light, narrow and in the dark, and as large as 200 % zoom makes it, where it must fit: its colors
 * do not depend on the width, and what a narrow window rearranges is the same in the dark.
 */
export async function assertUsableEverywhere(page: Page): Promise<void> {
  const before = page.viewportSize()!;
  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await assertUsable(page);
  }
  await page.setViewportSize({ width: 640, height: 900 });
  await assertFits(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}
