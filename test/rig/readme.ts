import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const README = new URL("../../README.md", import.meta.url);

/** The block of code behind a comment of the README that says it is tested. */
export function testedBlock(mark: string): string {
  const text = readFileSync(README, "utf8");
  const found = new RegExp(`<!-- ${mark}: [^>]*-->\\s+\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text);
  assert.ok(found, `README has no block marked ${mark}`);
  return found[1]!;
}

/** The body of a request of the README. */
export function testedRequest(mark: string): object {
  return JSON.parse(/-d '(.*)'$/.exec(testedBlock(mark).trim())![1]!) as object;
}

/** What differs from run to run: the identifier of the run, and times. */
export function steady(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value: unknown) =>
    name === "response_time_ms" || name === "transaction_id" ? typeof value : value,
  );
}
