import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { deploy } from "../rig/deployed.ts";
import { blocksOf, wordsOf } from "../rig/page-reader.ts";
import { batchShell } from "./batch-command.ts";

test("every command of the guide prints what the guide says", async (t) => {
  const folder = project(t, {});
  const deployment = await deploy(t, { project: folder });
  const service = await deployment.start();
  const shell = batchShell(t, deployment, folder, service.url);
  let printed: string | null = null;
  let compared = 0;
  for (const { language, text } of blocksOf("docs/guides/batch.md")) {
    if (language === "csv") shell.write("companies.csv", text);
    else if (text.startsWith("npx datarun batch")) {
      const { code, stdout, stderr } = await shell.run(wordsOf(text.trim()).slice(3));
      assert.ok(code === 0 || code === 3, stderr);
      printed = stderr + stdout;
    } else if (text.startsWith("cat ")) printed = readFileSync(shell.path(text.slice(4).trim()), "utf8");
    else if (printed !== null) {
      assert.equal(printed, text);
      [printed, compared] = [null, compared + 1];
    }
  }
  assert.equal(compared, 4);
  assert.match(readFileSync(shell.path("answers.csv"), "utf8"), /,'=cmd Ltd,CMD Limited,/);
});
