import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { GENERATED_LINE } from "../../src/contract/environment.ts";
import { shell } from "../cli/project-shell.ts";
import { startDevelopment } from "../rig/command.ts";
import { readLedger } from "../rig/ledger-rows.ts";
import { assertVersionsResolve } from "../rig/recorded-versions.ts";
import { project } from "./project-folder.ts";

const FUNCTION = (text: string) =>
  `import { word } from "./_word.ts";
export default { id: "dfunc_says", title: "Says", run: async ({ run }) => ({ output: { text: "${text}", word, source: (await run("acme__says")).output } }) };`;
const SOURCE = (text: string) =>
  `import { word } from "../_word.ts";
export default { id: "acme__says", title: "Says", inputs: { type: "object" }, run: ({ region }) => ({ text: "${text}", word, region }) };`;
const WORD = (word: string) => `export const word: string = "${word}";`;

interface Says {
  readonly success: boolean;
  readonly output: unknown;
}

/** A service in development, and how a client and an author meet it. */
async function develop(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = project(t, files);
  const dataDir = join(project(t, {}), "data");
  const dev = startDevelopment(t, ["--project", folder, "--demo"], { DATARUN_DATA_DIR: dataDir });
  const [, url] = await dev.says(/listening {2}url=(\S+)/);
  while (!dev.stderr().includes("/func ")) await new Promise((resolve) => setTimeout(resolve, 20));
  const header = (name: string) => new RegExp(`${name}: ([^']+)`).exec(dev.stderr())![1]!;
  return {
    folder,
    dev,
    url: url!,
    workflow: header("X-Service-Workflow"),
    ...shell(t, folder, dataDir),
    write: (path: string, text: string) => writeFileSync(join(folder, path), text),
    writeByRename(path: string, text: string) {
      writeFileSync(join(folder, "saving.tmp"), text);
      renameSync(join(folder, "saving.tmp"), join(folder, path));
    },
    async ask(id = "dfunc_says"): Promise<Says> {
      const reply = await fetch(`${url}/func`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-service-access-token": header("X-Service-Access-Token"),
          "x-service-workflow": header("X-Service-Workflow"),
        },
        body: JSON.stringify({ config: { data_func: id } }),
      });
      const body = (await reply.json()) as {
        outputs: Record<string, { output: unknown }>;
        status: Record<string, { success: boolean }>;
      };
      return { success: body.status[id]!.success, output: body.outputs[id]!.output };
    },
  };
}

const FILES = {
  "functions/says.ts": FUNCTION("one"),
  "functions/_word.ts": WORD("a"),
  "sources/acme/says.ts": SOURCE("one"),
  "sources/_word.ts": WORD("a"),
};
const said = (text: string, word: string, source: string, sourceWord: string, region = "local") => ({
  success: true,
  output: { text, word, source: { text: source, word: sourceWord, region } },
});

test("what is changed is served at once: functions, sources, and what they import", async (t) => {
  const { dev, write, ask, folder, dataDir } = await develop(t, FILES);
  assert.deepEqual(await ask(), said("one", "a", "one", "a"));

  write("functions/says.ts", FUNCTION("two"));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("two", "a", "one", "a"));

  write("sources/acme/says.ts", SOURCE("two"));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("two", "a", "two", "a"));

  write("functions/_word.ts", WORD("b"));
  await dev.says(/reloaded/);
  write("sources/_word.ts", WORD("c"));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("two", "b", "two", "c"));

  mkdirSync(join(folder, "functions/more"));
  write(
    "functions/more/new.mjs",
    `export default { id: "dfunc_new", title: "New", run: () => ({ output: { new: true } }) };`,
  );
  await dev.says(/reloaded/);
  assert.deepEqual(await ask("dfunc_new"), { success: true, output: { new: true } });
  rmSync(join(folder, "functions/more/new.mjs"));
  await dev.says(/reloaded/);
  assert.equal((await ask("dfunc_new")).success, false);

  const ledger = readLedger(dataDir);
  await assertVersionsResolve({ dataDir }, ledger);
  const [first, second, third, fourth] = ledger.map(({ run, calls }) => [
    run["function_version"],
    calls[0]?.["source_version"],
  ]);
  assert.equal(new Set([first![0], second![0], fourth![0]]).size, 3);
  assert.equal(third![0], second![0]);
  assert.equal(new Set([second![1], third![1], fourth![1]]).size, 3);
  assert.equal(first![1], second![1]);
});

test("every save is served, also if the editor renames a new file over the old one", async (t) => {
  const { dev, write, writeByRename, ask } = await develop(t, FILES);
  for (const text of ["two", "three", "four"]) {
    writeByRename("functions/says.ts", FUNCTION(text));
    await dev.says(/reloaded/);
    assert.deepEqual(await ask(), said(text, "a", "one", "a"));
  }
  write("functions/says.ts", FUNCTION("five"));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("five", "a", "one", "a"));
  for (const word of ["b", "c"]) {
    writeByRename("functions/_word.ts", WORD(word));
    await dev.says(/reloaded/);
    writeByRename("sources/_word.ts", WORD(word));
    await dev.says(/reloaded/);
    assert.deepEqual(await ask(), said("five", word, "one", word));
  }
  for (let save = 1; save <= 10; save += 1) writeByRename("sources/acme/says.ts", SOURCE(`save ${save}`));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("five", "c", "save 10", "c"));
});

test("a file that breaks is reported with its line and reason, and its last good version is still served", async (t) => {
  const { dev, write, ask, run, workflow } = await develop(t, FILES);

  write("functions/says.ts", "export default {\n  id: \n};");
  const [functionLine] = await dev.says(/.*broken_file.*\n/);
  assert.match(functionLine, /file=\S*functions\/says\.ts .*line 3: Unexpected/);
  assert.deepEqual(await ask(), said("one", "a", "one", "a"));
  const ofFunction = await run(["function", "run", "dfunc_says", "--workflow", workflow]);
  assert.equal(ofFunction.code, 0, ofFunction.stderr);
  assert.match(ofFunction.stderr, /A file cannot be used: \S*functions\/says\.ts: line 3: Unexpected/);
  assert.match(ofFunction.stdout, /"text": "one"/);

  write("functions/says.ts", FUNCTION("two"));
  await dev.says(/reloaded/);
  write("sources/acme/says.ts", 'export default {\n  id: "acme__says",\n  run: (: 5 };');
  const [sourceLine] = await dev.says(/.*broken_file.*\n/);
  assert.match(sourceLine, /file=\S*sources\/acme\/says\.ts .*line 3: cannot be loaded/);
  assert.deepEqual(await ask(), said("two", "a", "one", "a"));
  const ofSource = await run(["source", "run", "acme__says", "--workflow", workflow]);
  assert.equal(ofSource.code, 0, ofSource.stderr);
  assert.match(ofSource.stdout, /"text": "one"/);

  write("sources/acme/says.ts", SOURCE("two"));
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), said("two", "a", "two", "a"));
});

test("a file that is saved while the service starts is served as saved", async (t) => {
  const source = `import { readFileSync, writeFileSync } from "node:fs";
const file = import.meta.filename;
const text = readFileSync(file, "utf8");
if (!text.startsWith("// saved")) writeFileSync(file, "// saved\\n" + text.replace(/(?<=text: ")first/, "second"));
export default { id: "acme__says", title: "Says", inputs: { type: "object" }, run: () => ({ text: "first" }) };`;
  const { dev, ask } = await develop(t, { ...FILES, "sources/acme/says.ts": source });
  await dev.says(/reloaded/);
  assert.deepEqual(await ask(), { success: true, output: { text: "one", word: "a", source: { text: "second" } } });
});

test("a file that is broken at the start costs only itself, and is served once it is mended", async (t) => {
  const { dev, write, ask } = await develop(t, { ...FILES, "functions/other.ts": "export default {" });
  assert.equal((await ask()).success, true);
  assert.equal((await ask("dfunc_other")).success, false);
  write("functions/other.ts", "export default {}");
  await dev.says(/broken_file: it is not served .*other\.ts/);
  write(
    "functions/other.ts",
    `export default { id: "dfunc_other", title: "Other", run: () => ({ output: { mended: true } }) };`,
  );
  await dev.says(/reloaded/);
  assert.deepEqual(await ask("dfunc_other"), { success: true, output: { mended: true } });
});

test("a file that leaves behind what fails later takes nothing down, at the start and after a change", async (t) => {
  const leaves = (word: string) => `Promise.reject(new Error("${word}"));\n${SOURCE("one")}`;
  const { dev, write, ask } = await develop(t, { ...FILES, "sources/acme/says.ts": leaves("early") });
  assert.match(dev.stderr(), /Work that a loaded file started has failed: \S*says\.ts:1:16: early/);
  assert.equal((await ask()).success, true);
  write("sources/acme/says.ts", leaves("late"));
  await dev.says(/stray_error/);
  assert.equal((await ask()).success, true);
});

test("a changed config file restarts the service on the same port; a broken one changes nothing", async (t) => {
  const config = (region: string) => `export default { region: "${region}" };`;
  const { dev, write, ask, url } = await develop(t, { ...FILES, "datarun.config.ts": config("here") });
  assert.deepEqual(await ask(), said("one", "a", "one", "a", "here"));
  write("datarun.config.ts", config("there"));
  assert.equal((await dev.says(/listening {2}url=(\S+)/))[1], url);
  await dev.says(/started_anew/);
  assert.deepEqual(await ask(), said("one", "a", "one", "a", "there"));
  write("datarun.config.ts", "export default { regoin: 5 };");
  await dev.says(/broken_config.*regoin in the config file is not a setting/);
  assert.deepEqual(await ask(), said("one", "a", "one", "a", "there"));
});

test("a run is shown as a line for people, with each of its calls below", async (t) => {
  const { dev, ask } = await develop(t, FILES);
  await ask();
  await dev.says(/info {2}run {4}dfunc_says {2}\d+ ms {2}trx_\w+\n {15}record {2}acme__says {2}\d+ ms\n/);
});

test("the generated types follow the sources, and a project without the file gets none", async (t) => {
  const withTypes = { ...FILES, "datarun-env.d.ts": `${GENERATED_LINE}\n` };
  const { dev, write, folder } = await develop(t, withTypes);
  const types = () => readFileSync(join(folder, "datarun-env.d.ts"), "utf8");
  await dev.says(/types_written/);
  assert.match(types(), /acme__says: \{ inputs: AcmeSaysInputs; output: any \};/);

  write("sources/acme/says.ts", SOURCE("two").replace('"object"', '"object", properties: { word: { enum: ["a"] } }'));
  await dev.says(/types_written/);
  assert.match(types(), /word\?: "a" \| undefined;/);

  // A broken file has the types of its last good version.
  const before = types();
  write("sources/acme/says.ts", "export default {");
  await dev.says(/broken_file/);
  write("functions/says.ts", FUNCTION("two"));
  await dev.says(/broken_file/);
  assert.equal(types(), before);

  const without = await develop(t, FILES);
  without.write("functions/says.ts", FUNCTION("two"));
  await without.dev.says(/reloaded/);
  assert.equal(existsSync(join(without.folder, "datarun-env.d.ts")), false);
});
