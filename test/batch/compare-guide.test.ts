import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { deploy } from "../rig/deployed.ts";
import { blocksOf, wordsOf } from "../rig/page-reader.ts";
import { batchShell } from "./batch-command.ts";

/** Times differ from run to run. */
function withoutTimes(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^(\w+__\w+ +\d+ .*?\)  +\d+)  +\d+ +\d+ +/, "$1  … ").replaceAll(/ {2,}/g, "  "))
    .join("\n");
}

test("the report of the guide is what the guide shows, and it is also a page and JSON", async (t) => {
  const folder = project(t, {});
  const deployment = await deploy(t, { project: folder });
  const service = await deployment.start();
  const shell = batchShell(t, deployment, folder, service.url);
  let printed: string | null = null;
  for (const { language, text } of blocksOf("docs/guides/compare-vendors.md")) {
    if (language === "csv") shell.write("customers.csv", text);
    else if (text.startsWith("npx datarun batch")) {
      const { code, stdout, stderr } = await shell.run(wordsOf(text.trim()).slice(3));
      assert.equal(code, 0, stderr);
      printed = stdout;
    } else if (language === "text") assert.equal(withoutTimes(printed!), withoutTimes(text));
  }
  assert.match(readFileSync(shell.path("report.html"), "utf8"), /^<!doctype html>[^]*<svg[^]*<\/html>\n$/);
  const asJson = await shell.run(["report", "customers.jsonl", "--json"]);
  const { rows, sources } = JSON.parse(asJson.stdout) as { rows: number; sources: { source: string }[] };
  assert.deepEqual([rows, sources.length], [6, 2]);
  const again = await shell.run(["report", "customers.jsonl", "--html", "report.html"]);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /exists already/);
  const none = await shell.run(["report"]);
  assert.equal(none.code, 2);
  const missing = await shell.run(["report", "nowhere.jsonl", "--json"]);
  assert.deepEqual([missing.code, JSON.parse(missing.stdout).error.code], [1, "not_found"]);
});
