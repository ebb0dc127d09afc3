import type { Page, Request } from "playwright-core";

/** What differs between two pages of a kind. */
const IDS = /\b(?:trx|org|tok|wfl|cred|key|bud|adt|opr)_[0-9a-f]{32}|dfunc_\w+|\w+__\w+|\d{4}-\d\d(?:-\d\d)?/g;

/**
 * Opens every page of the console, beginning with those of the navigation: of each kind that a page links to, one, and
 * those of `first`. A page that is added later is walked without a word here. Gives the address below the origin.
 */
export async function* walk(page: Page, adminUrl: string, first: readonly string[] = []): AsyncGenerator<string> {
  const waiting = [...new Set([...first, "/console/"])];
  const seen = new Set(waiting.map(kindOf));
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    await open(page, adminUrl + at);
    const links = (await page.evaluate(LINKS)) as readonly string[];
    for (const href of links) {
      const kind = kindOf(href);
      if (seen.has(kind)) continue;
      seen.add(kind);
      waiting.push(href);
    }
    yield at;
  }
}

/** A path and a name with a star in place of what differs between two of a kind. */
export const kindOfText = (text: string): string => text.replaceAll(IDS, "*");

/** Opens a page, and waits until it has everything that it asks for. */
export async function open(page: Page, url: string): Promise<void> {
  const asked = underWay.get(page) ?? watch(page);
  // What the page before was still waiting for, nobody waits for any more.
  asked.clear();
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await settle(page);
}

/** Goes to another address of the console as a link of the page does, which costs less than to load the console again. */
export async function follow(page: Page, url: string): Promise<void> {
  await page.evaluate(`{
    const link = Object.assign(document.createElement("a"), { href: ${JSON.stringify(url)} });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
  await settle(page);
}

/** Waits until a page asks for nothing any more, apart from news, which it is never without, for so many frames. */
export async function settle(page: Page, frames = 4): Promise<void> {
  const asked = underWay.get(page) ?? watch(page);
  const until = Date.now() + SETTLED_MS_MAX;
  for (let quiet = 0; quiet < frames && Date.now() < until;) {
    // What an answer makes a page ask next, it asks within some frames, which take longer on a busy machine.
    const isThere = await page.evaluate(A_FRAME).then(
      () => true,
      () => false, // It has just been left for another.
    );
    quiet = isThere && asked.size === 0 ? quiet + 1 : 0;
  }
}

const A_FRAME = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)))";
const SETTLED_MS_MAX = 30_000;
const underWay = new WeakMap<Page, Set<Request>>();

function watch(page: Page): Set<Request> {
  const asked = new Set<Request>();
  underWay.set(page, asked);
  page.on("request", (request) => void (request.url().endsWith("/api/live") || asked.add(request)));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => asked.delete(request));
  return asked;
}

const LINKS = `[...document.querySelectorAll("a[href^='/console/']")].map((link) => link.pathname + link.search)`;

/** Links keep the time of the page, which makes no other page. */
const OF_TIME = new Set(["range", "from", "to", "month", "zone"]);

function kindOf(href: string): string {
  const { pathname, searchParams } = new URL(href, "http://console");
  const keys = [...searchParams.keys()].filter((key) => !OF_TIME.has(key));
  return `${kindOfText(decodeURIComponent(pathname))}?${keys.sort().join("&")}`;
}
