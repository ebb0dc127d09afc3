import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { settle } from "./walk.ts";

/** More than any page has stops. */
const STOPS_MAX = 250;

interface Stop {
  readonly name: string;
  readonly row: string;
  /** Whether a person sees that it has the focus. */
  readonly isSeen: boolean;
}

/** What has the focus: its name, and the text of the row of a table that it is in. */
const FOCUSED = `(() => {
  const it = document.activeElement;
  const name = it === document.body ? "" : (it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent);
  const isSeen = it.matches(":focus-visible") && getComputedStyle(it).outlineStyle !== "none";
  return { name: name.trim(), row: it.closest("tr")?.textContent ?? "", isSeen };
})()`;

/** A page as somebody without a pointer uses it: with Tab from one stop to the next, and with what a stop takes. */
export function keyboardOf(page: Page) {
  /** Goes on to the stop whose name begins so; if said, in the row with this text. */
  async function to(name: string, row = ""): Promise<void> {
    const passed: string[] = [];
    while (passed.length < STOPS_MAX) {
      const stop = (await page.evaluate(FOCUSED)) as Stop;
      if (stop.name.startsWith(name) && stop.row.includes(row))
        return assert.ok(stop.isSeen, `${name} has the focus, which cannot be seen`);
      passed.push(stop.name.slice(0, 20));
      await page.keyboard.press("Tab");
    }
    assert.fail(`no stop of ${page.url()} is called ${name}; they are: ${[...new Set(passed)].join(", ")}`);
  }
  async function press(name: string, row?: string): Promise<void> {
    await to(name, row);
    await page.keyboard.press("Enter");
  }
  return {
    to,
    press,
    /** Presses what opens a window over the page, which then has the focus. */
    async open(name: string, row?: string): Promise<void> {
      await press(name, row);
      await page.locator("dialog[open]").waitFor();
    },
    /** In place of what is in a field. */
    async write(name: string, text: string): Promise<void> {
      await to(name);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    },
    /** Does something that asks the service for a verb, which it must not refuse. Gives the answer. */
    async act(verb: string, how: () => Promise<void>): Promise<unknown> {
      const path = `/api/${verb.replaceAll(" ", "/")}`;
      const [answer] = await Promise.all([page.waitForResponse((one) => new URL(one.url()).pathname === path), how()]);
      if (answer.status() !== 200) assert.fail(`${verb}: ${await answer.text()}`);
      await settle(page);
      return answer.headers()["content-type"]?.startsWith("application/json;") ? answer.json() : null;
    },
  };
}
