import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Page } from "playwright-core";
import { CHANGES, ROLE_OF } from "../../console/api/verbs.ts";
import { NO_BROWSER, openConsole } from "../rig/browser/console.ts";
import { follow, kindOfText, open, settle, walk } from "../rig/browser/walk.ts";
import { startWorld } from "../rig/browser/world.ts";
import { MARKUP_STRINGS, NAUGHTY_STRINGS } from "../rig/naughty-strings.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

/** The browser writes about what is refused, and no page is at fault. */
const ALL = /^/;

test(
  "the browser is told to run, load, frame and send nothing that is not the console's own",
  { skip: NO_BROWSER },
  async (t) => {
    const service = await startService(t);
    const opened = await openConsole(t, service, { at: "/audit" });
    // In a window of its own, because what is refused here would be a mistake of a page.
    const browser = opened.context().browser()!;
    const context = await browser.newContext({ storageState: await opened.context().storageState() });
    t.after(() => context.close());
    const page = await context.newPage();
    const reached: string[] = [];
    context.on("response", (response) => {
      if (!response.url().startsWith(service.adminUrl)) reached.push(response.url());
    });
    await open(page, opened.url());
    const refused = (await page.evaluate(`(async () => {
    const refused = new Set();
    document.addEventListener("securitypolicyviolation", (event) => refused.add(event.effectiveDirective));
    const add = (name, attributes, text = "") => {
      const element = Object.assign(document.createElement(name), attributes);
      element.textContent = text;
      document.body.append(element);
      return element;
    };
    add("script", {}, "window.pwned = 1");
    add("script", { src: "https://evil.example/x.js" });
    add("style", {}, "body { background: url(https://evil.example/x.png) }");
    add("link", { rel: "stylesheet", href: "https://evil.example/x.css" });
    add("img", { src: "https://evil.example/x.png" });
    add("iframe", { src: "https://evil.example/" });
    add("object", { data: "https://evil.example/" });
    add("base", { href: "https://evil.example/" });
    const form = add("form", { action: "https://evil.example/", method: "post" });
    add("div", {}).innerHTML = '<b style="color: red"></b><img src="x" onerror="window.pwned = 1">';
    const said = [];
    await fetch("https://evil.example/").catch(() => said.push("fetch"));
    setTimeout("window.pwned = 1", 0);
    form.submit();
    // The browser tells of what it refuses when it comes to it. Whoever waits for the last has seen the others.
    const end = performance.now() + 30_000;
    while (refused.size < 11 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    return { refused: [...refused].sort(), said, pwned: window.pwned ?? null, base: document.baseURI };
  })()`)) as { readonly refused: readonly string[]; readonly base: string };
    assert.deepEqual(refused, {
      refused: [
        "base-uri",
        "connect-src",
        "form-action",
        "frame-src",
        "img-src",
        "object-src",
        "script-src",
        "script-src-attr",
        "script-src-elem",
        "style-src-attr",
        "style-src-elem",
      ],
      said: ["fetch"],
      pwned: null,
      base: refused.base,
    });
    assert.ok(refused.base.startsWith(service.adminUrl));
    assert.deepEqual(reached, []);
  },
);

test(
  "what a viewer's page sends by hand, the service refuses: every verb that takes more than a viewer",
  { skip: NO_BROWSER },
  async (t) => {
    const service = await startService(t);
    const page = await openConsole(t, service, { as: "viewer", at: "/audit", failing: ALL });
    const names = Object.entries(ROLE_OF).flatMap(([name, role]) => (role === "viewer" ? [] : [name]));
    assert.ok(names.length > 20);
    const { id: org, tokenId: token_id, workflow } = service.a;
    const complete: Readonly<Record<string, object>> = {
      "token create": { org },
      "token revoke": { token_id },
      "org disable": { org },
      "operator create": { name: "mallory", role: "owner" },
      "credential create": { org, source: "registry__company", fields: { api_key: "x" } },
      "workflow run": { workflow, source: ["registry__company"], inputs: { number: "09446231" } },
    };
    const sent = names.map((name) => ({ path: `/api/${name.replaceAll(" ", "/")}`, input: complete[name] ?? {} }));
    const statuses = (await page.evaluate(`Promise.all(${JSON.stringify(sent)}.map(async ({ path, input }) => {
    const headers = { "Content-Type": "application/json", "Datarun-Console": "1" };
    const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(input) });
    return [path, answer.status, (await answer.json()).error.code];
  }))`)) as readonly unknown[];
    assert.deepEqual(
      statuses,
      sent.map(({ path }) => [path, 403, "forbidden"]),
    );
  },
);

for (const [who, settings, pagesMax] of [
  ["owner", { console: "read_only" }, 10],
  ["viewer", {}, Infinity],
] as const) {
  const name = who === "owner" ? "a read-only console offers no change" : "a viewer is offered no change on any page";
  test(`${name}, whatever is clicked`, { skip: NO_BROWSER }, async (t) => {
    const world = await startWorld(t, "little", { settings });
    const page = await openConsole(t, world.service, { as: who, at: "/audit" });
    const asked: string[] = [];
    const verbOf = (url: string) => {
      const { pathname } = new URL(url);
      return pathname.startsWith("/api/") ? pathname.slice(5).replaceAll("/", " ") : "";
    };
    page.on("request", (request) => asked.push(verbOf(request.url())));
    page.on("response", (response) => response.status() === 403 && asked.push(`403 ${verbOf(response.url())}`));
    await assertOffersNoChange(page, world.acme.id);
    const changing = new Set<string>(Object.entries(CHANGES).flatMap(([verb, changes]) => (changes ? [verb] : [])));
    const clicked = new Set<string>();
    let pages = 0;
    for await (const at of walk(page, world.service.adminUrl)) {
      await clickEverything(page, clicked);
      const wrong = asked.filter((one) => one.startsWith("403") || changing.has(one));
      assert.deepEqual(wrong, [], at);
      // What a page offers takes one question, which every page that a viewer sees asks (`mayUse` of `console/session.ts`).
      if ((pages += 1) === pagesMax) break;
    }
    assert.ok(clicked.size > 10 && asked.some((one) => one !== ""));
  });
}

/** Every place of these pages, and none of them offers to change anything. */
async function assertOffersNoChange(page: Page, org: string): Promise<void> {
  const places = [
    "/access",
    `/access?org=${org}`,
    "/access?tab=operators",
    `/credentials?org=${org}`,
    `/credentials?org=${org}&view=matrix`,
  ];
  const { origin } = new URL(page.url());
  for (const place of places) {
    await page.goto(`${origin}/console${place}`);
    await page.getByRole("table").first().waitFor();
    // A time range is chosen, lists are filtered, and something is copied; nothing is changed.
    const buttons = await page.locator("main button:not(.time-range *, .chart-brush *)").allTextContents();
    assert.deepEqual(
      buttons.filter((text) => text !== "Copy" && text !== "Filter"),
      [],
      place,
    );
    assert.equal(await page.getByRole("link", { name: "New credential" }).count(), 0);
  }
  await page.goto(`${origin}/console/credentials/new?org=${org}&source=registry__company`);
  await page.getByText("requires the role operator").waitFor();
  assert.equal(await page.locator("main").getByRole("button").count(), 0);
}

/**
 * Clicks each button of a page, and of what its buttons show, unless one of its name was clicked on a page with its path.
 */
async function clickEverything(page: Page, clicked: Set<string>): Promise<void> {
  const url = page.url();
  const path = kindOfText(new URL(url).pathname);
  for (;;) {
    const names = (await page.evaluate(
      `(${BUTTONS}).map(({ ariaLabel, textContent }) => ariaLabel ?? textContent)`,
    )) as readonly string[];
    const next = names.findIndex((name) => !clicked.has(`${path} ${kindOfText(name)}`));
    if (next === -1) return;
    clicked.add(`${path} ${kindOfText(names[next]!)}`);
    await page.evaluate(`(${BUTTONS})[${next}]?.click()`);
    await settle(page, 2);
    const inDialog = page.locator("dialog[open] button:enabled:visible");
    if ((await inDialog.count()) > 0) await inDialog.last().click();
    const dialogs = page.locator("dialog[open]");
    if ((await dialogs.count()) > 0) await page.keyboard.press("Escape");
    if ((await dialogs.count()) > 0) await open(page, url);
    else if (page.url() !== url) await follow(page, url);
  }
}

/** The choice of a time and the order of a list only change the address, on many pages alike. */
const BUTTONS = `[...document.querySelectorAll("#content button")].filter(
  (it) => it.checkVisibility() && !it.disabled && it.closest(".time-range, .chart-brush, .table-sort") === null,
)`;

test("a text from outside is text on every page, whatever it holds", { skip: NO_BROWSER }, async (t) => {
  const project = hostileProject(t);
  const world = await startWorld(t, "little", { sources: [hostileSource()], project });
  const { service, acme } = world;
  await spread(world);
  await service.run({ evil__texts: true, registry__company: true }, { number: MARKUP_STRINGS[0] }, { as: acme });
  const page = await openConsole(t, service, { as: world.owner, at: "/audit", failing: ALL });
  page.on("dialog", (dialog) => void dialog.dismiss().finally(() => assert.fail(`${page.url()} opened a dialog`)));
  const shown = new Set<string>();
  const pages: string[] = [];
  const look = async () => {
    await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
    assert.deepEqual(await page.evaluate(FOREIGN), [], page.url());
    const text = (await page.evaluate("document.body.textContent")) as string;
    for (const one of MARKUP_STRINGS) if (text.includes(one)) shown.add(one);
  };
  await open(page, `${service.adminUrl}/console/run?workflow=${acme.workflow}&sources=evil__texts`);
  await page.getByRole("button", { name: /^Run/ }).click();
  service.expectRunWithoutAnswer();
  await page.getByRole("link", { name: "Timeline of the run" }).waitFor();
  await look();
  const first = ["/console/sources/evil__texts", "/console/functions/dfunc_evil"];
  for await (const at of walk(page, service.adminUrl, first)) {
    pages.push(at);
    await look();
    // Addresses come from outside as well.
    const url = new URL(at, service.adminUrl);
    if (url.searchParams.size === 0) url.searchParams.set("org", "");
    for (const key of url.searchParams.keys()) url.searchParams.set(key, MARKUP_STRINGS[pages.length % 4]!);
    await follow(page, url.href);
    await look();
  }
  for (const one of MARKUP_STRINGS.slice(0, 4)) {
    const text = encodeURIComponent(one);
    await open(page, `${service.adminUrl}/console/${text}/${text}?org=${text}`);
    await look();
  }
  t.diagnostic(`${pages.length} pages: ${pages.join(" ")}`);
  assert.deepEqual(
    MARKUP_STRINGS.filter((one) => !shown.has(one)),
    [],
    "was shown nowhere, so nothing was tried",
  );
});

/** What would have come of a text that was taken for markup, or of an address that was taken for a link. */
const FOREIGN = `[
  ...(window.pwned === undefined ? [] : ["a script ran"]),
  ...[...document.querySelectorAll("script")].slice(1).map((it) => it.outerHTML),
  ...[...document.querySelectorAll("iframe, object, embed, base, math, [onerror], [onload], [onmouseover], [srcdoc], img[src='x'], #evil")].map((it) => it.outerHTML),
  ...[...document.querySelectorAll("[href], [src], [action]")].filter((it) => {
    const address = it.getAttribute("href") ?? it.getAttribute("src") ?? it.getAttribute("action");
    // An address in a description may be a link to exactly that, which tells nobody where it was clicked.
    const isPlainLink = /^https?:/.test(address) && address === it.textContent && it.relList?.contains("noreferrer");
    return !isPlainLink && (/^(javascript|vbscript|data:text)/i.test(address) || address.includes("evil.example/"));
  }).map((it) => it.outerHTML),
]`;

/** Every kind of text that operators and vendors write, once with each string. */
async function spread({ service, acme, verb }: Awaited<ReturnType<typeof startWorld>>): Promise<void> {
  const org = acme.id;
  const given = async (name: string, input: object) => {
    try {
      return (await verb(name, input)) as Record<string, string>;
    } catch (error) {
      // A string may be refused, as a name of blanks is.
      assert.match(String(error), /invalid/);
      return {};
    }
  };
  for (const one of MARKUP_STRINGS) {
    const { organization_tuid } = await given("org create", { name: one });
    if (organization_tuid !== undefined) await given("workflow create", { org: organization_tuid, name: one });
    await given("workflow create", { org, name: one });
    const { access_token } = await given("token create", { org, name: one });
    if (access_token !== undefined) service.secrets.add(access_token);
    await given("credential create", {
      org,
      source: "evil__texts",
      fields: { api_key: service.secrets.add(`key-${Math.random()}`) },
      note: one,
    });
  }
  // One with an invisible character would have its whole group refused.
  const seen = NAUGHTY_STRINGS.filter((one) => !/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(one));
  for (let at = 0; at < seen.length; at += 10)
    await given("org create", {
      name: seen
        .slice(at, at + 10)
        .join(" ")
        .slice(0, 190),
    });
  const { requests } = await verb("ledger unknown", {});
  for (const { transaction_id: transaction, call } of requests as { transaction_id: string; call: number }[])
    await given("ledger reconcile", { transaction, call, charged: "no", note: MARKUP_STRINGS[1] });
}

function hostileSource() {
  const texts = Object.fromEntries([...MARKUP_STRINGS, ...NAUGHTY_STRINGS].map((one, at) => [`${one} ${at}`, one]));
  return source("evil__texts", async () => ({ texts, list: [...MARKUP_STRINGS] }), {
    title: MARKUP_STRINGS.join(" "),
    description: MARKUP_STRINGS.join(" "),
    credentials: { type: "object", properties: { api_key: { type: "string", title: MARKUP_STRINGS[1]! } } },
    inputs: {
      type: "object",
      properties: {
        number: {
          type: "string",
          title: MARKUP_STRINGS[0]!,
          description: MARKUP_STRINGS[1]!,
          examples: [...MARKUP_STRINGS],
        },
      },
    },
  });
}

function hostileProject(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "functions"));
  const [title, description] = [MARKUP_STRINGS[1]!, MARKUP_STRINGS.join(" ").slice(0, 900)].map((one) =>
    JSON.stringify(one),
  );
  writeFileSync(
    join(folder, "functions/evil.ts"),
    `import { defineFunction } from "datarun";
export default defineFunction({ id: "dfunc_evil", title: ${title}, description: ${description}, run: async () => ({ output: { text: ${title} } }) });`,
  );
  return folder;
}
