import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import type { FunctionHost } from "../run/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import { preparePrelude, prepareType } from "./load/bundle-cache.ts";
import { createFunctions, type Functions, type FunctionsOptions } from "./catalog.ts";
import { LoadError } from "../terms/load-error.ts";
import { startPool } from "./pool/pool.kit.ts";

const HOST: FunctionHost = {
  runSource: async (source, inputs) => ({
    json: JSON.stringify({ success: true, match: true, message: "", output: { source, inputs }, response_time_ms: 1 }),
    release: () => {},
  }),
  pipe: () => {},
  reserveBytes: () => true,
  log: () => {},
};

interface Project {
  readonly folder: string;
  write(files: Record<string, string>): Promise<void>;
  load(names: readonly string[], options?: Partial<FunctionsOptions>): Promise<Functions>;
}

async function startProject(t: TestContext, files: Record<string, string>): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "datarun-functions-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { pool } = await startPool(t, { processes: 2, spare: false, evaluateWithinMs: 20_000 });
  const project: Project = {
    folder,
    async write(more) {
      for (const [name, text] of Object.entries(more)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
    },
    load: (names, options) =>
      createFunctions({
        files: names.map((name) => ({ file: join(folder, name), root: folder })),
        pool,
        ...options,
      }),
  };
  await project.write(files);
  return project;
}

async function call(functions: Functions, id: string, inputs: object = {}): Promise<unknown> {
  const found = functions.find(id);
  assert.ok(found !== undefined);
  const argument = JSON.stringify({
    inputs,
    extra: {},
    config: {},
    context: "dev",
    region: "eu",
    transaction_id: "trx_1",
  });
  const json = await found.run(
    {
      organizationId: "org_a",
      simulated: false,
      transactionId: "trx_1",
      deadlineAt: systemClock.now() + 20_000,
      argument,
    },
    HOST,
  );
  return json === null ? null : JSON.parse(json);
}

function saying(problem: string): object {
  return { code: "function.input_invalid", says: `Data function error: ${problem}` };
}

const GREET = `
  import { defineFunction, Type } from "datarun";
  import { decorate } from "../lib/decorate.ts";
  import words from "./words.json";
  import { double } from "pure";
  export default defineFunction({
    id: "dfunc_greet",
    title: "Greet",
    inputs: Type.Object({ name: Type.String({ minLength: 2 }) }),
    output: Type.Object({ text: Type.String() }),
    timeout_ms: 2_000,
    memory_mb: 32,
    cases: [{ name: "Ada", inputs: { name: "Ada" }, expect: { output: { text: "hello Ada" } } }],
    async run({ inputs }) {
      return { output: { text: decorate(words.hello + " " + inputs.name), four: double(2) } };
    },
  });`;

const GREET_FILES = {
  "functions/greet.ts": GREET,
  "functions/words.json": '{ "hello": "hello" }',
  "lib/decorate.ts": "export function decorate(text: string): string { return `*${text}*`; }",
  "node_modules/pure/package.json": '{ "name": "pure", "main": "./main.cjs" }',
  "node_modules/pure/main.cjs": "module.exports.double = (n) => n * 2;",
};

test("a function of several files, a package and Type is loaded, listed and run", async (t) => {
  const project = await startProject(t, GREET_FILES);
  const functions = await project.load(["functions/greet.ts"]);
  assert.deepEqual(await call(functions, "dfunc_greet", { name: "Ada" }), { output: { text: "*hello Ada*", four: 4 } });
  const [listed] = functions.list();
  assert.equal(listed!.title, "Greet");
  assert.deepEqual([listed!.timeoutMs, listed!.memoryMb, listed!.cases.length], [2_000, 32, 1]);
  await assert.rejects(call(functions, "dfunc_greet"), saying("input name is required"));
  await assert.rejects(
    call(functions, "dfunc_greet", { name: "A" }),
    saying("input name must have at least 2 characters"),
  );
  assert.equal(functions.find("dfunc_other"), undefined);
  assert.equal(functions.find("toString"), undefined);
});

test("a plain object, without datarun and without types, is as good", async (t) => {
  const project = await startProject(t, {
    "plain.mjs": 'export default { id: "dfunc_plain", title: "Plain", run: ({ inputs }) => ({ output: inputs }) };',
    "common.cjs": 'module.exports = { id: "dfunc_common", title: "Common", run: () => ({ output: { a: 1 } }) };',
  });
  const functions = await project.load(["plain.mjs", "common.cjs"]);
  assert.deepEqual(await call(functions, "dfunc_plain", { __proto__: null, a: 1 }), { output: { a: 1 } });
  assert.deepEqual(await call(functions, "dfunc_common"), { output: { a: 1 } });
  assert.equal(functions.find("dfunc_plain")!.timeoutMs, 30_000);
});

test("a file that looks into its own schemas keeps the real Type", async (t) => {
  const project = await startProject(t, {
    "spread.ts": `import { Type } from "datarun";
      const base = Type.Object({ a: Type.String() });
      const both = Type.Object({ ...base.properties, b: Type.Number() });
      export default { id: "dfunc_spread", title: "Spread", inputs: both, run: () => ({ output: { names: Object.keys(both.properties) } }) };`,
  });
  const functions = await project.load(["spread.ts"]);
  assert.deepEqual(await call(functions, "dfunc_spread", { a: "x", b: 1 }), { output: { names: ["a", "b"] } });
  await assert.rejects(call(functions, "dfunc_spread", { a: "x" }), saying("input b is required"));
});

const GOOD = 'id: "dfunc_x", title: "X", run: () => ({})';
const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  [
    "node",
    'import { readFileSync } from "node:fs";\nexport default { readFileSync }',
    /^line 1: "node:fs" is a part of Node/,
  ],
  ["bare", '\nimport fs from "fs";\nexport default { fs }', /^line 2: "fs" is a part of Node/],
  ["deep", 'import "./helper.ts"; export default {}', /helper\.ts line 1: "child_process" is a part of Node/],
  ["missing", 'import "no-such-package"; export default {}', /^line 1: Could not resolve "no-such-package"/],
  ["outside", 'import "../../../../../etc/hostname"; export default {}', /^line 1: /],
  ["beyond", 'import "../beyond.ts"; export default {}', /lies outside of the project's folder/],
  ["syntax", "export default {\n  id: ,\n}", /^line 2: Unexpected/],
  ["await", "const a = await fetch('x');\nexport default { a }", /^line 1: Top-level await/],
  ["throws", "export default (() => { throw new Error('at load') })()", /cannot be evaluated: Error: at load/],
  ["process", "export default { id: process.env.HOME }", /cannot be evaluated: ReferenceError: process is not defined/],
  ["loops", "for (;;);\nexport default {}", /cannot be evaluated: .*timed out/],
  ["nothing", "export const a = 1;", /"id" must be/],
  ["id", 'export default { id: "greet", title: "X", run() {} }', /"id" must be "dfunc_"/],
  ["case", 'export default { id: "dfunc_Greet", title: "X", run() {} }', /"id" must be/],
  ["title", 'export default { id: "dfunc_x", run() {} }', /"title" must be a text/],
  ["empty", "", /"run" must be a function; is the declaration the default export\?/],
  ["run", 'export default { id: "dfunc_x", title: "X", run: 1 }', /"run" must be a function/],
  ["timeout", `export default { ${GOOD}, timeout_ms: 60001 }`, /"timeout_ms" must be a whole number up to 60000/],
  ["text", `export default { ${GOOD}, timeout_ms: "10" }`, /"timeout_ms"/],
  ["memory", `export default { ${GOOD}, memory_mb: 513 }`, /"memory_mb" must be a whole number from 8 to 512/],
  ["schema", `export default { ${GOOD}, inputs: { type: "strin" } }`, /"inputs" is not a JSON Schema that can be used/],
  ["pattern", `export default { ${GOOD}, output: { pattern: "(" } }`, /"output" is not a JSON Schema that can be used/],
  ["list", `export default { ${GOOD}, inputs: [] }`, /"inputs" must be a JSON Schema/],
  ["cases", `export default { ${GOOD}, cases: {} }`, /"cases" must be a list/],
  [
    "bigint",
    `export default { ${GOOD}, inputs: { const: 1n } }`,
    /cannot be evaluated: TypeError: Do not know how to serialize a BigInt/,
  ],
];

test("a file that cannot be used says where and why", async (t) => {
  const files = Object.fromEntries(BROKEN.map(([name, text]) => [`project/${name}.ts`, text]));
  const project = await startProject(t, {
    ...files,
    "project/helper.ts": 'import "child_process";',
    "beyond.ts": "export {};",
  });
  for (const [name, , expected] of BROKEN) {
    await t.test(name, async () => {
      assert.match(await reasonOf(project, `project/${name}.ts`), expected);
    });
  }
});

async function reasonOf(project: Project, name: string): Promise<string> {
  try {
    const functions = await project.load([], { files: [{ file: join(project.folder, name) }] });
    return `it loads ${functions.list().length}`;
  } catch (thrown) {
    assert.ok(thrown instanceof LoadError, String(thrown));
    assert.ok(thrown.message.startsWith(join(project.folder, name)));
    return thrown.reason;
  }
}

test("an id used twice names both files; with a problem handler the first file is used", async (t) => {
  const project = await startProject(t, {
    "a.ts": `export default { ${GOOD} }`,
    "b.ts": `export default { ${GOOD} }`,
  });
  await assert.rejects(project.load(["a.ts", "b.ts"]), /b\.ts: "id" dfunc_x is already used by .*a\.ts/);
  const told: string[] = [];
  const functions = await project.load(["a.ts", "b.ts"], { onProblem: ({ file }) => told.push(file) });
  assert.equal(functions.list().length, 1);
  assert.deepEqual(told, [join(project.folder, "b.ts")]);
});

test("a reload replaces what the file declares, even its id; a broken one leaves what was there", async (t) => {
  const text = (id: string, value: number) =>
    `export default { id: "${id}", title: "X", run: () => ({ output: { value: ${value} } }) }`;
  const project = await startProject(t, { "a.ts": text("dfunc_a", 1) });
  const functions = await project.load(["a.ts"]);
  const file = { file: join(project.folder, "a.ts"), root: project.folder };
  assert.deepEqual(await call(functions, "dfunc_a"), { output: { value: 1 } });
  await project.write({ "a.ts": text("dfunc_a", 2) });
  await functions.reload(file);
  assert.deepEqual(await call(functions, "dfunc_a"), { output: { value: 2 } });
  await project.write({ "a.ts": "export default {" });
  await assert.rejects(functions.reload(file), LoadError);
  assert.deepEqual(await call(functions, "dfunc_a"), { output: { value: 2 } });
  await project.write({ "a.ts": text("dfunc_b", 3) });
  await functions.reload(file);
  assert.equal(functions.find("dfunc_a"), undefined);
  assert.deepEqual(await call(functions, "dfunc_b"), { output: { value: 3 } });
  functions.remove(file.file);
  assert.equal(functions.list().length, 0);
});

test("the cache is used while nothing has changed, and never after that", async (t) => {
  const project = await startProject(t, GREET_FILES);
  const cacheDir = join(project.folder, "cache");
  const load = () => project.load(["functions/greet.ts"], { cacheDir });
  await load();
  const cached = await load();
  assert.deepEqual(await call(cached, "dfunc_greet", { name: "Ada" }), { output: { text: "*hello Ada*", four: 4 } });
  await project.write({ "lib/decorate.ts": "export const decorate = (text: string) => `<${text}>`;" });
  const changed = await load();
  assert.deepEqual(await call(changed, "dfunc_greet", { name: "Ada" }), { output: { text: "<hello Ada>", four: 4 } });
});

const RULE = {
  "functions/rule.ts": `import { rule } from "./_lib/rule";
    export default { id: "dfunc_rule", title: "Rule", run: () => ({ output: { rule } }) };`,
  "functions/_lib/rule/index.ts": "export const rule = 1;",
};

test("the cache is not used once a nearer file has come, and again once it has gone", async (t) => {
  const project = await startProject(t, RULE);
  const rule = async () => {
    const functions = await project.load(["functions/rule.ts"], { cacheDir: join(project.folder, "cache") });
    return call(functions, "dfunc_rule");
  };
  assert.deepEqual([await rule(), await rule()], [{ output: { rule: 1 } }, { output: { rule: 1 } }]);
  await project.write({ "functions/_lib/rule.ts": "export const rule = 2;" });
  assert.deepEqual(await rule(), { output: { rule: 2 } });
  await rm(join(project.folder, "functions/_lib/rule.ts"));
  assert.deepEqual(await rule(), { output: { rule: 1 } });
});

test("the cache is not used once a nearer package has come, nor once a link leads elsewhere", async (t) => {
  const project = await startProject(t, {
    "functions/which.ts": `import { which } from "which";
      import { linked } from "./linked.ts";
      export default { id: "dfunc_which", title: "Which", run: () => ({ output: { which, linked } }) };`,
    "node_modules/which/index.js": "export const which = 'far';",
    "lib/a.ts": "export const linked = 'a';",
    "lib/b.ts": "export const linked = 'b';",
  });
  const link = join(project.folder, "functions/linked.ts");
  const which = async () => {
    const functions = await project.load(["functions/which.ts"], { cacheDir: join(project.folder, "cache") });
    return call(functions, "dfunc_which");
  };
  await symlink("../lib/a.ts", link);
  assert.deepEqual(await which(), { output: { which: "far", linked: "a" } });
  await project.write({ "functions/node_modules/which/index.js": "export const which = 'near';" });
  assert.deepEqual(await which(), { output: { which: "near", linked: "a" } });
  await rm(link);
  await symlink("../lib/b.ts", link);
  assert.deepEqual(await which(), { output: { which: "near", linked: "b" } });
});

test("what was bundled before a place was closed is not used after", async (t) => {
  const project = await startProject(t, {
    "a.ts": `import got from "./data/got.json"; export default { id: "dfunc_a", title: "A", run: () => ({ output: got }) };`,
    "data/got.json": "{}",
  });
  const cacheDir = join(project.folder, "cache");
  const file = { file: join(project.folder, "a.ts"), root: project.folder };
  await project.load([], { files: [file], cacheDir });
  const closed = [{ path: join(project.folder, "data"), name: "the data directory" }];
  await assert.rejects(project.load([], { files: [{ ...file, closed }], cacheDir }), /leads to the data directory/);
});

test("a pipe in the place of a file that is in the cache does not hold up a start", async (t) => {
  const project = await startProject(t, RULE);
  const cacheDir = join(project.folder, "cache");
  await project.load(["functions/rule.ts"], { cacheDir });
  const file = join(project.folder, "functions/_lib/rule/index.ts");
  await rm(file);
  execFileSync("mkfifo", [file]);
  await assert.rejects(project.load(["functions/rule.ts"], { cacheDir }), /is not a regular file/);
});

const DAMAGE: readonly (readonly [string, (whole: string) => string])[] = [
  ["empty", () => ""],
  ["cut in the middle", (whole) => whole.slice(0, whole.length / 2)],
  ["zeroes of the same length", (whole) => "\0".repeat(whole.length)],
  ["another text of the same length", (whole) => whole.replaceAll("e", "f")],
  ["without its digest", (whole) => whole.slice(whole.indexOf("\n") + 1)],
];

test("whatever a power cut leaves of the cache, functions are loaded and run as without it", async (t) => {
  const project = await startProject(t, GREET_FILES);
  const cacheDir = join(project.folder, "cache");
  const whole = { prelude: await preparePrelude(undefined), type: await prepareType(undefined) };
  for (const [name, damage] of DAMAGE) {
    await t.test(name, async () => {
      const load = () => project.load(["functions/greet.ts"], { cacheDir });
      await Promise.all([load(), preparePrelude(cacheDir), prepareType(cacheDir)]);
      const kept = await readdir(cacheDir);
      assert.equal(kept.filter((file) => /^(prelude-|type-).*\.js$|\.json$/.test(file)).length, 3, String(kept));
      for (const file of kept) {
        const place = join(cacheDir, file);
        await writeFile(place, damage(await readFile(place, "utf8")));
      }
      assert.equal(await preparePrelude(cacheDir), whole.prelude);
      assert.equal(await prepareType(cacheDir), whole.type);
      assert.deepEqual(await call(await load(), "dfunc_greet", { name: "Ada" }), {
        output: { text: "*hello Ada*", four: 4 },
      });
    });
  }
});
