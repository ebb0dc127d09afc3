import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The tutorial that shows both requests of the demo and their whole answers. */
const PAGE = "docs/tutorials/first-requests.md";

/** The block of code behind a comment of a page that says it is tested. */
export function testedBlock(mark: string, page = PAGE): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const found = new RegExp(`<!-- ${mark}: [^>]*-->\\s+\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text);
  assert.ok(found, `${page} has no block marked ${mark}`);
  return found[1]!;
}

/** The body of a request of the tutorial. */
export function testedRequest(mark: string): object {
  return JSON.parse(/-d '(.*)'$/.exec(testedBlock(mark).trim())![1]!) as object;
}

/** What differs from run to run: the identifier of the run, and times. */
export function steady(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    name === "response_time_ms" || name === "transaction_id" ? typeof value : value,
  );
}
