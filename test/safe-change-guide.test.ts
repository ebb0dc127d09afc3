import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { start, type RunningService } from "../src/composition/start.ts";
import { createLog } from "../src/operate/log.ts";
import { projectOf, readSettingsOf } from "../src/project/config-file.ts";
import { blocksOf, commandsOf, type Printed, steady, type, wordsOf } from "./rig/page-reader.ts";
import { until } from "./rig/until.ts";
import { command } from "./start/operator-verb.ts";

const GUIDE = "docs/guides/change-a-function-safely.md";
const ID = /\b(org|wfl)_[0-9a-f]{32}\b/g;

/** Without digests, builds and times, and with one blank between columns. */
function comparable(text: string): string {
  return steady(text)
    .replaceAll(/(?<=\d )\([0-9a-f]{6}\)/g, "(digest)")
    .replaceAll(/(?<=-> )[0-9a-f]{6}\b/g, "digest")
    .replaceAll(/(?<=time +)\S+(?= +ada )/g, "build")
    .replaceAll(/ +/g, " ");
}

/** A check ends its process. The tests may be on any disk, and in memory. */
function check(): Printed {
  const folders = Object.entries(process.env).filter((pair): pair is [string, string] =>
    pair[0].startsWith("DATARUN_"),
  );
  const ignored = ["--ignore", "data_dir.in_memory", "--ignore", "data_dir.slow"];
  const { code, stdout, stderr } = command(Object.fromEntries(folders), "check", "--against-store", ...ignored);
  assert.equal(code, 3, stdout + stderr);
  return { result: stdout, all: stderr + stdout };
}

/** Until a shadow run is in the counts. One that finds no free process is dropped, and the run is made again. */
async function untilCompared(adminUrl: string, runAgain: () => Promise<unknown>): Promise<void> {
  let dropped = 0;
  await until(async () => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    const counts = [...metrics.matchAll(/^datarun_shadow_runs_total\{outcome="(\w+)"\} (\d+)$/gm)];
    if (counts.some(([, outcome, runs]) => outcome === "compared" && runs !== "0")) return true;
    const all = counts.reduce((sum, [, , runs]) => sum + Number(runs), 0);
    if (all > dropped) await runAgain();
    dropped = all;
    return false;
  });
}

test("every command of the guide to safe changes does and prints what the guide says", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-safe-change-"));
  mkdirSync(join(folder, "checkout"));
  mkdirSync(join(folder, "my-project/functions"), { recursive: true });
  const [home, before] = [process.cwd(), { ...process.env }];
  process.chdir(join(folder, "checkout"));
  let running: RunningService | undefined;
  t.after(async () => {
    await running?.close();
    process.chdir(home);
    process.env = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "my-project/functions/sign_up.ts");
  const own = new Map<string, string>();
  let lastRun: readonly string[] = [];
  let printed: Printed = { result: "", all: "" };
  let compared = 0;

  for (const block of blocksOf(GUIDE)) {
    const { language, text } = block;
    if (language === "ts") {
      const isWhole = text.startsWith("import ");
      const accepts = '    return { output: { decision: "ACCEPT" } };\n';
      writeFileSync(file, isWhole ? text : readFileSync(file, "utf8").replace(accepts, text));
    } else if (language === "sh") {
      for (const line of commandsOf(block)) {
        const words = wordsOf(line.replaceAll(ID, (id, kind: string) => own.get(kind) ?? id));
        if (words[0] === "export")
          for (const word of words.slice(1)) process.env[word.split("=")[0]!] = word.split("=")[1]!;
        else if (words[2] === "start") {
          await running?.close();
          const given = { port: "0", "admin-port": "0", "deployed-by": words[4]!, "limits-drain-ms": "0" };
          const settings = await readSettingsOf(projectOf({}, process.env, process.cwd()), given, process.env);
          running = await start({ settings, printDemo: () => {}, log: createLog("error", "/dev/null") });
        } else {
          if (words[3] === "shadow") await untilCompared(running!.adminUrl, () => type(lastRun));
          if (words[3] === "run") lastRun = words;
          printed = words[2] === "check" ? check() : await type(words);
          // On a busy machine a version takes longer to load than a run waits for it.
          while (/"kind": "unavailable",\s+"retryable": true/.test(printed.result)) printed = await type(words);
          assert.notEqual(printed.result, "", printed.all);
          for (const [id, kind] of printed.result.matchAll(ID)) own.set(kind!, id);
        }
      }
    } else if (language === "json") {
      const answer = JSON.parse(printed.result) as { outputs: Record<string, { output: Record<string, unknown> }> };
      const { output } = answer.outputs["dfunc_sign_up"]!;
      assert.deepEqual(output, JSON.parse(`{${text}}`), `${block.before}: ${printed.all}`);
      compared += 1;
    } else {
      const expected = comparable(text);
      const actual = comparable(printed.result);
      if (expected.endsWith("\n…")) assert.equal(`${actual.slice(0, expected.length - 1)}…`, expected, printed.all);
      else assert.equal(actual, expected, printed.all);
      compared += 1;
    }
  }
  assert.equal(compared, 9);
});
