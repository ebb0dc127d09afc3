import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { blocksOf } from "../rig/page-reader.ts";
import { followPage, freePorts } from "./follow-page.ts";
import { CallersFolder } from "./generated-clients.ts";

const PAGE = "docs/guides/call-it.md";

/** The files that the page asks for, by their names. */
function filesOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(page).flatMap(({ before, text }) => {
      const [, name] = /Write `([^`]+)`:\s*$/.exec(before) ?? [];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test("every command of the page runs, and each program prints what the page shows", async (t) => {
  if (!hasPython) t.diagnostic("there is no Python here: its program is left out");
  using callers = new CallersFolder("empty");
  const files = filesOf(PAGE);
  assert.deepEqual([...files.keys()], ["ask.ts", "ask.py"]);
  for (const [name, text] of files) writeFileSync(join(callers.folder, name), text);
  const without = hasPython ? [] : ["python3 ask.py"];
  const compared = await followPage(t, PAGE, { folder: callers.folder, ports: await freePorts(), without });
  assert.equal(compared, hasPython ? 2 : 1);

  assert.deepEqual(await callers.compile(), [], "under --strict");
  writeFileSync(join(callers.folder, "ask.ts"), files.get("ask.ts")!.replace("inputs: { phone", "inputs: { phoen"));
  const [refusal] = await callers.compile();
  assert.match(refusal?.says ?? "", /'phoen' does not exist in type .* Did you mean to write 'phone'\?/);
});
