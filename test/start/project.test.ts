import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PACKAGE_ROOT } from "../../src/project/package-root.ts";
import { shell } from "../cli/project-shell.ts";
import { startCommand } from "../rig/command.ts";
import { project } from "./project-folder.ts";

const PLAIN = `export default { id: "acme__plain", title: "Plain", inputs: { type: "object" }, run: () => null };`;
const GREETING = `
import { defineSource, Type } from "datarun";
import { greet } from "./_words.ts";
interface Unused { readonly a: string }
export default defineSource({
  id: "acme__greeting", title: "Greets", inputs: Type.Object({ name: Type.String() }),
  run: ({ inputs }) => ({ text: greet(inputs.name) }),
});`;

test("sources of a project folder anywhere are served: TypeScript that imports datarun, and plain objects", async (t) => {
  const folder = project(t, {
    "sources/anywhere/greeting.ts": GREETING,
    "sources/anywhere/_words.ts": "export const greet = (name: string): string => `Hello ${name}`;",
    "sources/plain.mjs": PLAIN,
  });
  const service = await startCommand(t, ["--project", folder, "--demo"]);
  const reply = await service.data({
    config: { sources: { acme__greeting: true, acme__plain: {} } },
    inputs: { name: "Ada", other: 1 },
  });
  assert.deepEqual(reply.outputs, { acme__greeting: { text: "Hello Ada" }, acme__plain: {} });
  assert.equal(reply.status["acme__plain"]!.match, false);
});

test("a folder of sources that nothing names as a project's is not read, and a message at the start says so", async (t) => {
  const folder = project(t, { "sources/plain.mjs": "export default 1;" });
  const unnamed = await startCommand(t, [], {}, { cwd: folder });
  assert.match(unnamed.stderr(), /^The folder "sources" here is not read: .*--project \..*datarun\.config\.ts/m);

  const verb = spawnSync(process.execPath, [join(PACKAGE_ROOT, "bin/datarun.mjs"), "source", "show", "acme__plain"], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.match(verb.stderr, /^The folder "sources" here is not read/m);
  assert.equal(verb.stderr.match(/is not read/g)?.length, 1);

  writeFileSync(join(folder, "sources/plain.mjs"), PLAIN);
  const named = await startCommand(t, ["--project", "."], {}, { cwd: folder });
  assert.doesNotMatch(named.stderr(), /not read/);
});

test("a project's source replaces the catalog's of the same id, and the log says so", async (t) => {
  const folder = project(t, {
    "sources/phone.js": `export default { id: "google__phone_number", title: "Ours", inputs: { type: "object" }, run: () => ({ ours: true }) };`,
  });
  const service = await startCommand(t, ["--project", folder, "--demo"]);
  const reply = await service.data({ config: { sources: { google__phone_number: true } } });
  assert.deepEqual(reply.outputs, { google__phone_number: { ours: true } });
  assert.ok(
    service
      .log()
      .some((line) => line["event"] === "catalog_source_replaced" && line["source"] === "google__phone_number"),
  );
});

test("settings come from the option, then the environment, then the project's config file", async (t) => {
  const folder = project(t, {
    "datarun.config.ts": `import { defineConfig } from "datarun"; export default defineConfig({ region: "from-file", limits: { body_bytes: 2048 } });`,
    "sources/where.mjs": `export default { id: "acme__where", title: "Where", inputs: { type: "object" }, run: ({ region }) => ({ region }) };`,
  });
  const where = async (args: string[], env: Record<string, string>) => {
    const service = await startCommand(t, ["--project", folder, "--demo", ...args], env);
    return (await service.data({ config: { sources: { acme__where: true } } })).outputs["acme__where"];
  };
  assert.deepEqual(await where([], {}), { region: "from-file" });
  assert.deepEqual(await where([], { DATARUN_REGION: "from-environment" }), { region: "from-environment" });
  // Whoever starts it waits for the line that says where it listens, which is written at any level.
  const options = ["--region", "from-option", "--log-level", "error"];
  assert.deepEqual(await where(options, { DATARUN_REGION: "x" }), { region: "from-option" });
});

test("a data directory in the project is closed to functions, whatever its name and the reading process", async (t) => {
  const folder = project(t, {
    "datarun.config.ts": `import { defineConfig } from "datarun"; export default defineConfig({ data_dir: process.env["VAULT"]! });`,
    "functions/fine.ts": `import { word } from "../lib/words.ts";
      import odd from "odd";
      export default { id: "dfunc_fine", title: "Fine", run: () => ({ output: { word, odd } }) };`,
    "lib/words.ts": "export const word: string = 'hello';",
    "node_modules/odd/index.js": "module.exports = 'odd';",
  });
  // An empty one in the environment is none: that of the config file is used.
  const env = { VAULT: join(folder, "vault"), DATARUN_DATA_DIR: "" };
  const service = await startCommand(t, ["--project", folder], env);
  assert.equal(service.stderr().includes("fine.ts"), false);
  service.signal("SIGTERM");
  await service.ended;

  writeFileSync(join(folder, "vault/got.json"), "{}");
  mkdirSync(join(folder, "functions/more"));
  const attacks = { got: "../../vault/got.json", settings: "../../datarun.config.ts", kept: "../../vault/root-1.key" };
  for (const [name, path] of Object.entries(attacks)) {
    const text = `\nimport got from "${path}";\nexport default { id: "dfunc_${name}", title: "T", run: () => ({ output: { got } }) };`;
    writeFileSync(join(folder, `functions/more/${name}.ts`), text);
  }
  const { code, stderr } = await startCommand.fails(t, ["--project", folder], env);
  assert.equal(code, 1);
  assert.match(stderr, /got\.ts: line 2: "\.\.\/\.\.\/vault\/got\.json" leads to the data directory, which is closed/);
  assert.match(stderr, /kept\.ts: line 2: "\.\.\/\.\.\/vault\/root-1\.key" leads to the data directory/);
  assert.match(stderr, /settings\.ts: line 2: .* leads to the settings of the service, which is closed/);
  assert.equal(stderr.includes("fine.ts"), false);
});

const source = (id: string, more = "") =>
  `export default { id: "${id}", title: "T", inputs: { type: "object" }, run: () => null, ${more} };`;
/** What is wrong, the files, and what is said of one of them. */
const BROKEN: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  ["a syntax error", { "sources/broken.ts": "export default {" }, /broken\.ts: line 1: cannot be loaded/],
  [
    "a file that ends the process",
    { "sources/broken.mjs": "\nprocess.exit(3);" },
    /broken\.mjs: line 2: cannot be loaded: process\.exit was called/,
  ],
  [
    "TypeScript that is more than types",
    { "sources/broken.ts": "const a = 1;\nenum B { C }\nexport default {};" },
    /broken\.ts: line 2: cannot be loaded: TypeScript enum .*write plain JavaScript instead/,
  ],
  [
    "an import of something that is not there",
    { "sources/broken.ts": `import x from "nowhere"; export default x;` },
    /broken\.ts: line 1: cannot be loaded.*nowhere/,
  ],
  ["no default export", { "sources/broken.ts": "export const a = 1;" }, /broken\.ts: must export a source by default/],
  ["an id of the wrong form", { "sources/broken.mjs": source("Acme") }, /broken\.mjs: id must have the form/],
  [
    "a schema that is none",
    { "sources/broken.mjs": source("acme__a", "output: { type: 5 }") },
    /broken\.mjs: output is not a valid JSON Schema/,
  ],
  [
    "a pattern with lookaround",
    { "sources/broken.mjs": source("acme__a", `credentials: { properties: { a: { pattern: "^(?=.*a)b" } } }`) },
    /broken\.mjs: credentials\/properties\/a\/pattern: the pattern \^\(\?=\.\*a\)b has a lookahead/,
  ],
  [
    "a pattern with lookaround in YAML",
    {
      "sources/broken.yaml":
        "id: acme__a\ntitle: T\norigins: ['https://a.example']\nrequest: {method: GET, url: 'https://a.example'}\ninputs: {properties: {a: {pattern: '(?<!a)b'}}}\nmatch: {record: '`true`', no_record: '`false`'}\n",
    },
    /broken\.yaml:5:\d+: the pattern \(\?<!a\)b has a lookbehind/,
  ],
  [
    "a reference to nowhere",
    { "sources/broken.mjs": source("acme__a", `credentials: { $ref: "#/$defs/none" }`) },
    /broken\.mjs: a schema cannot be compiled/,
  ],
  [
    "an origin with a path",
    { "sources/broken.mjs": source("acme__a", `origins: ["https://a.example/v1"]`) },
    /broken\.mjs: origins/,
  ],
  [
    "an origin that is everybody's",
    { "sources/broken.mjs": source("acme__a", `origins: ["https://*.com"]`) },
    /broken\.mjs: origins/,
  ],
  [
    "a rate that is no list",
    { "sources/broken.mjs": source("acme__a", "limits: { rate: 5 }") },
    /broken\.mjs: limits\.rate must be a list/,
  ],
  [
    "a charge that nobody knows",
    { "sources/broken.mjs": source("acme__a", `charge: "sometimes"`) },
    /broken\.mjs: charge must be one of/,
  ],
  [
    "a timeout over the ceiling",
    { "sources/broken.mjs": source("acme__a", "timeout_ms: 60001") },
    /broken\.mjs: timeout_ms/,
  ],
  [
    "a misspelled key",
    { "sources/broken.mjs": source("acme__a", "timeout: 5") },
    /broken\.mjs: timeout is not a key of a source/,
  ],
  [
    "a misspelled key of a limit",
    { "sources/broken.mjs": source("acme__a", "limits: { concurency: 5 }") },
    /broken\.mjs: concurency is not a key of limits: did you mean "concurrency"/,
  ],
  [
    "a misspelled key of a case",
    {
      "sources/broken.mjs": source(
        "acme__a",
        `cases: [{ name: "a", inputs: {}, expect: { match: true, outptu: {} } }]`,
      ),
    },
    /broken\.mjs: its cases cannot be used: .*unknown key "outptu"/,
  ],
  [
    "a case that says nothing of a match, and so could never pass",
    { "sources/broken.mjs": source("acme__a", `cases: [{ name: "a", inputs: {}, expect: { output: { a: 1 } } }]`) },
    /broken\.mjs: its cases cannot be used: "expect" of case 1 needs the key "match"/,
  ],
  [
    "a syntax error in plain JavaScript",
    { "sources/broken.mjs": "export default {\n  id: 5,\n  run: (: 5\n};" },
    /broken\.mjs: line 3: cannot be loaded/,
  ],
  [
    "a mistake in what a source imports",
    {
      "sources/broken.ts": `export { default } from "./_part.ts";`,
      "sources/_part.ts": "const a: number = 1;\nthrow new Error(`no ${a}`);\nexport default a;",
    },
    /broken\.ts: _part\.ts line 2: cannot be loaded: no 1/,
  ],
  [
    "a syntax error in a function",
    { "functions/broken.ts": "export default {\n  id:\n};" },
    /broken\.ts: line 3: Unexpected/,
  ],
  [
    "a function that needs Node",
    { "functions/broken.ts": `import { readFileSync } from "node:fs";\nexport default { run: readFileSync };` },
    /broken\.ts: line 1: "node:fs" is a part of Node/,
  ],
  [
    "a function whose id has the wrong form",
    { "functions/broken.mjs": `export default { id: "people", title: "T", run: () => ({}) };` },
    /broken\.mjs: "id" must be "dfunc_" and a name/,
  ],
  [
    "an id of two functions",
    {
      "functions/a.mjs": `export default { id: "dfunc_a", title: "T", run: () => ({}) };`,
      "functions/b.mjs": `export default { id: "dfunc_a", title: "T", run: () => ({}) };`,
    },
    /b\.mjs: "id" dfunc_a is already used by .*a\.mjs/,
  ],
  [
    "an id used twice",
    { "sources/a.mjs": source("acme__twice"), "sources/b.mjs": source("acme__twice") },
    /b\.mjs: its id acme__twice is already used by .*a\.mjs/,
  ],
];

test("a start is stopped by every file that cannot be used, naming each with its reason", async (t) => {
  const files = BROKEN.flatMap(([, broken], row) =>
    Object.entries(broken).map(([name, text]) => [name.replace("/", `/row-${row}/`), text] as const),
  );

  const { code, stderr } = await startCommand.fails(t, ["--project", project(t, Object.fromEntries(files))]);

  assert.equal(code, 1);
  BROKEN.forEach(([what, , words], row) => {
    const said = stderr.split("\n").filter((line) => line.includes(`/row-${row}/`));
    assert.match(said.join("\n"), words, what);
  });
});

test("a source that would end the process costs only its own entry", async (t) => {
  const exits = `export default { id: "acme__exits", title: "T", inputs: { type: "object" }, run: () => process.exit(0) };`;
  const folder = project(t, { "sources/exits.mjs": exits, "sources/fine.mjs": source("acme__fine") });
  const service = await startCommand(t, ["--demo", "--project", folder]);
  const { status } = await service.data({ config: { sources: { acme__exits: true, acme__fine: true } }, inputs: {} });
  assert.equal(status["acme__exits"]!.message, "Adapter error: the adapter of this source failed");
  assert.equal(status["acme__fine"]!.success, true);
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
});

test("a start is stopped by a file that leaves behind what fails later", async (t) => {
  const folder = project(t, { "sources/broken.ts": `\nPromise.reject(new Error("too late"));\n${source("acme__a")}` });
  const { code, stderr } = await startCommand.fails(t, ["--project", folder]);
  assert.equal(code, 1);
  assert.match(stderr, /cannot start: work that a loaded file started has failed: \S*broken\.ts:2:16: too late/);
});

test("each start of a demo prints a token that works, and the one before works as well", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-data-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { DATARUN_DATA_DIR: dataDir };
  const first = await startCommand(t, ["--demo"], env);
  first.signal("SIGTERM");
  await first.ended;
  const second = await startCommand(t, ["--demo"], env);
  assert.match(second.stderr(), /The demo organization has a new token, which is valid for a day/);
  const printed = [first, second].map(({ stderr }) =>
    Object.fromEntries([...stderr().matchAll(/(X-Service-\S+): ([^']+)'/g)].map(([, name, value]) => [name!, value!])),
  );
  const [before, after] = printed as [Record<string, string>, Record<string, string>];
  assert.notEqual(before["X-Service-Access-Token"], after["X-Service-Access-Token"]);
  assert.equal(before["X-Service-Workflow"], after["X-Service-Workflow"]);
  for (const access of printed) {
    const headers = { ...access, "Content-Type": "application/json" };
    const body = JSON.stringify(DOMAIN);
    assert.equal((await fetch(`${second.url}/data`, { method: "POST", headers, body })).status, 200);
  }
});

const DOMAIN = { config: { sources: { publicsuffix__domain: true } }, inputs: { domain: "example.com" } };

test("a demo on a store that is in use is made beside what there is", async (t) => {
  const folder = project(t, {});
  const { json, dataDir } = shell(t, folder);
  await json(["org", "create", "Demo"]);
  const service = await startCommand(t, ["--demo"], { DATARUN_DATA_DIR: dataDir });
  assert.equal((await service.data(DOMAIN)).status["publicsuffix__domain"]!.success, true);
  const { organizations } = await json(["org", "list"]);
  assert.equal(organizations.length, 2, "an organization with the same name is somebody's own");
});

test("unknown keywords and formats of a schema are annotations and stop nothing", async (t) => {
  const inputs = `inputs: { type: "object", properties: { a: { type: "string", format: "made-up", "x-pii": true, unknownKeyword: [] } } }`;
  const folder = project(t, {
    "sources/a.mjs": `export default { id: "acme__a", title: "T", ${inputs}, run: ({ inputs }) => ({ ...inputs }) };`,
  });
  const service = await startCommand(t, ["--project", folder, "--demo"]);
  assert.deepEqual((await service.data({ config: { sources: { acme__a: true } }, inputs: { a: "x" } })).outputs, {
    acme__a: { a: "x" },
  });
});

test("a wrong setting stops the start with its name and exit code 2", async (t) => {
  for (const [args, env, words] of [
    [["--port", "70000"], {}, /--port must be from 0 to 65535/],
    [[], { DATARUN_LIMITS_RUNS: "many" }, /DATARUN_LIMITS_RUNS must be a whole number/],
    [["--prot", "1"], {}, /--prot/],
    [["--limits-headers=50"], {}, /--limits-headers is no longer a setting, remove it: the limit is fixed/],
    [["--log-level", "loud"], {}, /--log-level must be one of/],
    [["--project", "./no-such-folder"], {}, /project: the folder .*no-such-folder does not exist/],
    [[], { DATARUN_PROJECT: "/no/such/folder" }, /project: the folder \/no\/such\/folder does not exist/],
  ] as const) {
    const ended = await startCommand.fails(t, args, env);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, words);
  }
});

test("a setting's former name works, and a line of the log names the new one", async (t) => {
  const folder = project(t, { "datarun.config.mjs": "export default { limits: { vendor_queue: 100 } };" });
  const service = await startCommand(t, ["--project", folder, "--limits-write-timeout-ms", "9000"], {
    DATARUN_LIMITS_HELD_BYTES: "90000000",
  });
  const lines = service.log().filter(({ event }) => event === "setting_renamed");
  assert.deepEqual(
    lines.map(({ level, setting, instead }) => [level, setting, instead]),
    [
      [40, "--limits-write-timeout-ms", "--limits-expert-write-timeout-ms"],
      [40, "DATARUN_LIMITS_HELD_BYTES", "DATARUN_LIMITS_EXPERT_HELD_BYTES"],
      [40, "limits.vendor_queue in the config file", "limits.expert.vendor_queue"],
    ],
  );
});

test("the line that says where it listens says what is deployed too, under names like those of every line", async (t) => {
  const service = await startCommand(t, []);
  const line = service.log().find(({ event }) => event === "listening")!;
  assert.deepEqual(
    Object.keys(line).filter((key) => !/^[a-z_]+$/.test(key)),
    [],
  );
  assert.match(String(line["git_sha"]), /^([0-9a-f]{40}|unknown)$/);
});
