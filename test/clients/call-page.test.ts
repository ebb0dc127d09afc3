import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { blocksOf } from "../rig/page-reader.ts";
import { followPage, freePorts } from "./follow-page.ts";
import { CallersFolder } from "./generated-clients.ts";

const PAGE = "docs/guides/call-it.md";
const OPENAPI = fileURLToPath(new URL("../../openapi.json", import.meta.url));

/** The files that the page asks for, by their names. */
function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(page).flatMap(({ before, text }) => {
      const [, name] = /Write `([^`]+)`:\s*$/.exec(before) ?? [];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}

const hasRequests = spawnSync("python3", ["-c", "import requests"]).status === 0;

test("every command of the page runs, and each program prints what the page shows", async (t) => {
  if (!hasRequests) t.diagnostic("there is no Python with requests here: its program is left out");
  using callers = new CallersFolder("empty");
  copyFileSync(OPENAPI, join(callers.folder, "openapi.json"));
  const files = filesOf(PAGE);
  assert.deepEqual([...files.keys()], ["ask.ts", "ask.py"]);
  for (const [name, text] of files) writeFileSync(join(callers.folder, name), text);
  const without = hasRequests ? [] : ["python3 ask.py"];
  const compared = await followPage(t, PAGE, { folder: callers.folder, ports: await freePorts(), without });
  assert.equal(compared, hasRequests ? 2 : 1);

  assert.deepEqual(await callers.compile(), [], "under --strict");
  writeFileSync(join(callers.folder, "ask.ts"), files.get("ask.ts")!.replace("inputs: {\n", "input: {\n"));
  const [refusal] = await callers.compile();
  assert.match(refusal?.says ?? "", /'input' does not exist in type .* Did you mean to write 'inputs'\?/);
});
