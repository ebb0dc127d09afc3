import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { blocksOf, commandsOf, steady, wordsOf } from "../rig/page-reader.ts";
import { command } from "../start/operator-verb.ts";

const GUIDE = "docs/guides/configuration-in-git.md";

test("every command of the guide to configuration in Git does and prints what the guide says", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-git-guide-"));
  const home = process.cwd();
  process.chdir(folder);
  t.after(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });
  const env: Record<string, string> = { DATARUN_DATA_DIR: join(folder, "data") };
  const store = await openStore({ dataDir: env["DATARUN_DATA_DIR"]!, clock: systemClock });
  await store.ready();
  await store.close();
  let printed = "";
  let compared = 0;
  for (const block of blocksOf(GUIDE)) {
    if (block.language === "yaml") writeFileSync("state.yaml", block.text);
    else if (block.language === "sh") {
      for (const line of commandsOf(block)) {
        const words = wordsOf(line);
        if (words[0] === "export") env["CH_API_KEY"] = words[1]!.split("=")[1]!;
        else if (words[0] === "sed") {
          const [, from, to] = words[2]!.split("/");
          writeFileSync("state.yaml", readFileSync("state.yaml", "utf8").replace(from!, to!));
        } else {
          const ended = command(env, ...words.slice(2));
          const expected = words.includes("--plan") && ended.stdout !== "Nothing to do.\n" ? 2 : 0;
          assert.equal(ended.code, expected, `${line}: ${ended.stdout}${ended.stderr}`);
          printed = ended.stdout;
        }
      }
    } else {
      assert.equal(steady(printed).replaceAll(/bud_\w+/g, "bud_…"), block.text.trim());
      compared += 1;
    }
  }
  assert.equal(compared, 4);
  assert.equal(statSync("tokens.jsonl").mode & 0o777, 0o600);
});
