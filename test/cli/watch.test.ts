import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { LAUNCHER } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const YAML = `id: acme__company
title: Company
inputs: {type: object, required: [number], properties: {number: {type: string, pattern: '^[0-9]+$'}}}
origins: ['https://acme.example']
request: {url: 'https://acme.example/companies/{{ inputs.number }}'}
match: {record: 'body.id', no_record: 'status == \`404\`'}
map: {name: body.name}
output: {type: object, properties: {name: {type: string}}}
charge: free
cases:
  - {name: found, inputs: {number: '7'}, reply: {body: {id: 7, name: EXAMPLE}}, expect: {match: true, output: {name: EXAMPLE}}}
  - {name: nobody, inputs: {number: '8'}, reply: {status: 404, body: {}}, expect: {match: false}}
  - {name: no number, inputs: {number: x}, expect: {failure: input, field: number}}
`;

const helper = (name: string) => `export const NAME: string = ${JSON.stringify(name)};\n`;
const TYPESCRIPT = `import { defineSource, Type } from "datarun";
import { NAME } from "./_name.ts";
export default defineSource({
  id: "acme__name",
  title: "Name",
  charge: "free",
  inputs: Type.Object({}),
  run: () => ({ name: NAME }),
  cases: [{ name: "name", inputs: {}, expect: { match: true, output: { name: "first" } } }],
});
`;

/** A command with --watch, and what it has printed since the last look. */
function watching(t: TestContext, folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [LAUNCHER, ...args, "--watch", "--project", folder], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let printed = "";
  let told = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      told.resolve();
    });
  }
  return {
    /** Waits until it has printed this, and returns everything up to there. */
    async printsUntil(end: RegExp): Promise<string> {
      for (;;) {
        const found = end.exec(printed);
        if (found !== null) {
          const until = found.index + found[0].length;
          const text = printed.slice(0, until);
          printed = printed.slice(until);
          return text;
        }
        assert.equal(child.exitCode, null, printed);
        await Promise.race([told.promise, exited]);
        told = Promise.withResolvers();
      }
    },
    async interrupt(): Promise<unknown[]> {
      child.kill("SIGINT");
      return exited;
    },
  };
}

test("the cases of a source run again at each change of its file, also after a broken one", async (t) => {
  const folder = project(t, { "sources/company.yaml": YAML });
  const file = join(folder, "sources/company.yaml");
  const watch = watching(t, folder, ["source", "test", "acme__company"]);
  await watch.printsUntil(/all passed\n/);

  writeFileSync(file, YAML.replace("map: {name: body.name}", "map: {name: body.title}"));
  const failed = await watch.printsUntil(/cases: .* failed.*\n/);
  assert.match(failed, /Changed: sources\/company\.yaml\n/);
  assert.match(failed, /FAILED found/);

  writeFileSync(file, YAML.replace("record: 'body.id'", "record: !body.id"));
  const broken = await watch.printsUntil(/see above\.\n/);
  assert.match(broken, /company\.yaml:6:\d+: .*quotes/);

  // Many editors write another file and rename it.
  writeFileSync(`${file}.new`, YAML);
  renameSync(`${file}.new`, file);
  await watch.printsUntil(/all passed\n/);
  assert.deepEqual(await watch.interrupt(), [null, "SIGINT"]);
});

test("a changed import of a source's code is loaded again", async (t) => {
  const folder = project(t, { "sources/name.ts": TYPESCRIPT, "sources/_name.ts": helper("first") });
  const watch = watching(t, folder, ["source", "test"]);
  await watch.printsUntil(/\bok +acme__name[^]*1 source, .*\n/);
  writeFileSync(join(folder, "sources/_name.ts"), helper("second"));
  const changed = await watch.printsUntil(/1 source, .*\n/);
  assert.match(changed, /Changed: sources\/_name\.ts\n/);
  assert.match(changed, /expected "first", found "second"/);
});

test("the cases of a function run again at each change", async (t) => {
  const code = (output: string) => `import { defineFunction, Type } from "datarun";
export default defineFunction({
  id: "dfunc_constant",
  title: "Constant",
  inputs: Type.Object({}),
  run: async () => ({ output: { is: ${output} } }),
  cases: [{ name: "constant", inputs: {}, expect: { output: { is: 1 } } }],
});
`;
  const folder = project(t, { "functions/constant.ts": code("1") });
  const watch = watching(t, folder, ["function", "test"]);
  const first = await watch.printsUntil(/dfunc_constant[^]*?\n.*constant.*\n/);
  assert.doesNotMatch(first, /FAILED/);
  writeFileSync(join(folder, "functions/constant.ts"), code("2"));
  await watch.printsUntil(/FAILED constant\n/);
});

test("what must not be repeated at each change is refused", async (t) => {
  const { run } = shell(t, project(t, { "sources/company.yaml": YAML }));
  const live = await run(["source", "test", "acme__company", "--live", "--watch"]);
  assert.deepEqual(
    [live.code, live.stderr.split("\n")[0]],
    [2, "--watch does not go with --live: every change would call the vendor."],
  );
  const json = await run(["source", "test", "acme__company", "--json", "--watch"]);
  assert.deepEqual([json.code, JSON.parse(json.stdout).error.code], [2, "usage"]);
  const listed = await run(["source", "list", "--watch"]);
  assert.equal(listed.code, 2);
  assert.match(listed.stderr, /Unknown option --watch/);
});
