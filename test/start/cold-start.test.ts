import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../rig/until.ts";
import { startCommand, type CommandOptions, type CommandService } from "../rig/command.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor, type TestLife } from "../vendor/scripted-vendor.ts";
import { project } from "./project-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Modules of a start on the embedded store, those of Node itself aside. Whoever adds to them should know that it costs every start some 0.2 ms each. */
const MODULES_MAX = 1_000;
/** Modules of the service's own that a simple verb loads. */
const MODULES_OF_VERB_MAX = 125;
/** What a start without a database, without a project and with its catalog at hand can do without. */
const NOT_LOADED = "typebox yaml pg esbuild isolated-vm fastify libphonenumber-js @ip-location-db stdnum".split(" ");

const PHONE = { config: { sources: { google__phone_number: true } }, inputs: { phone: "+44 20 7946 0958" } };

/** A checkout of one's own, with nothing kept from any start before. */
function checkout(t: TestLife): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-checkout-"));
  t.after(() => {
    chmodSync(folder, 0o755);
    rmSync(folder, { recursive: true, force: true });
  });
  for (const name of ["bin", "src", "catalog", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** One for all tests that leave it as it was, because a start for which nothing is kept takes longest. */
const root = checkout({ after });

function events(service: CommandService): unknown[] {
  return service.log().map((line) => line["event"]);
}

async function end(service: CommandService): Promise<void> {
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
}

async function startAndEnd(t: TestContext, options: CommandOptions): Promise<CommandService> {
  const service = await startCommand(t, ["--demo"], {}, options);
  assert.equal((await service.data(PHONE)).status["google__phone_number"]?.match, true);
  await end(service);
  return service;
}

function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
    .filter((child) => child !== "");
}

test("a start leaves no process beside it: those of functions come with the first run of one", async (t) => {
  // This start, the first of all, has to make the functions ready, in processes; the bundler's own goes once nothing has been bundled for a while.
  const first = await startCommand(t, ["--demo"], {}, { root });
  assert.ok(events(first).includes("catalog_read"));
  await until(() => childrenOf(first.pid).length === 0);
  await end(first);

  const service = await startCommand(t, ["--demo"], {}, { root });
  assert.deepEqual(childrenOf(service.pid), []);
  await service.data(PHONE);
  assert.deepEqual(childrenOf(service.pid), []);
  const answer = await service.func({
    config: { data_func: "dfunc_contact_check" },
    inputs: { email: "ada@example.com" },
  });
  assert.equal(answer.status["dfunc_contact_check"]?.success, true);
  assert.ok(childrenOf(service.pid).length > 0);
});

/** The environment of a process that writes the names of the modules that it loads into a file. */
function counting(list: string): { readonly NODE_OPTIONS: string } {
  const hook = `
    import { registerHooks } from "node:module";
    import { appendFileSync } from "node:fs";
    registerHooks({ load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    } });
    // Of Node's own modules, what the service's start has loaded by then.
    process.on("exit", () => appendFileSync(${JSON.stringify(list)}, process.moduleLoadList.map((name) => name + "\\n").join("")));`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
}

function namesIn(list: string): readonly string[] {
  return [...new Set(readFileSync(list, "utf8").trim().split("\n"))];
}

test("a verb loads what it needs of the service, and no sources", (t) => {
  const data = mkdtempSync(join(tmpdir(), "datarun-data-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const list = join(data, "loaded.txt");
  const run = (args: readonly string[], env = {}) => {
    const all = { ...process.env, DATARUN_DATA_DIR: data, ...env };
    const { status, stdout } = spawnSync(process.execPath, [join(root, "bin/datarun.mjs"), ...args, "--json"], {
      env: all,
      encoding: "utf8",
    });
    assert.equal(status, 0);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { organization_tuid: org } = run(["org", "create", "Acme"]);
  run(["token", "create", "--org", org!, "--name", "ci"], counting(list));
  const own = namesIn(list).filter((name) => name.startsWith("file:") && name.includes("/src/"));
  assert.ok(own.length > 50, "the hook sees them");
  assert.ok(own.length <= MODULES_OF_VERB_MAX, `${own.length} modules`);
  const needless = own.filter((name) => /\/src\/(?:drafting|run|outbound|sources\/declarative)\//.test(name));
  assert.deepEqual(needless, []);
});

test("a start loads what it needs and nothing else", async (t) => {
  const list = join(root, "loaded.txt");
  const service = await startCommand(t, ["--demo"], counting(list), { root });
  await end(service);
  const listed = namesIn(list);
  const loaded = listed.filter((name) => name.startsWith("file:"));
  const builtIn = listed.filter((name) => name.startsWith("NativeModule"));

  assert.ok(loaded.length > 300, "the hook sees them");
  assert.ok(loaded.length <= MODULES_MAX, `${loaded.length} modules`);
  assert.deepEqual(
    builtIn.filter((name) => name.includes("undici")),
    [],
    "src/terms/http/node-http.ts says what loads it",
  );
  // The launcher asks whether functions can run, for which the package is looked at and not loaded.
  const code = loaded.filter((url) => !url.endsWith("/package.json"));
  const needless = code.filter((url) => NOT_LOADED.some((name) => url.includes(`/node_modules/${name}/`)));
  assert.deepEqual(needless, []);
  assert.deepEqual(
    code.filter((url) => url.includes("/src/drafting/")),
    [],
  );
});

test("what was kept of a start before may be damaged in any way: the next one does without, and mends it", async (t) => {
  const kept = globSync("**", { cwd: join(root, ".cache") })
    .map((name) => join(root, ".cache", name))
    .filter((file) => lstatSync(file).isFile());
  const damages: ((bytes: Buffer) => Buffer)[] = [
    () => Buffer.alloc(0),
    (bytes) => bytes.subarray(0, bytes.length / 2),
    (bytes) =>
      Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.from("{}"), bytes.subarray(bytes.length / 2 + 2)]),
  ];
  const [code = [], others = []] = [true, false].map((is) => kept.filter((file) => file.includes("/compiled/") === is));
  assert.ok(code.length > 100 && others.length > 1);
  // A start that has to make everything takes longest: one meets all three kinds.
  for (const files of [code, others])
    for (const [at, file] of files.entries()) writeFileSync(file, damages[at % damages.length]!(readFileSync(file)));
  assert.ok(events(await startAndEnd(t, { root })).includes("catalog_read"));
  assert.ok(!events(await startAndEnd(t, { root })).includes("catalog_read"));
});

test("a changed file of the catalog is read again", async (t) => {
  const file = join(root, "catalog/sources/gleif/lei_record.yaml");
  const before = readFileSync(file, "utf8");
  t.after(() => writeFileSync(file, before));
  writeFileSync(file, before.replace(/^title: .*$/m, "title: [what no title may be]"));
  const refused = await startCommand(t, ["--demo"], {}, { root }).then(end, (error: Error) => error);
  assert.match(String(refused), /lei_record\.yaml:\d+:\d+: "title" must be/);
});

test("two starts at once that find nothing kept of the catalog do not disturb each other", async (t) => {
  // With its functions made ready, which on a busy machine takes longer than two may have for it at once.
  rmSync(join(root, ".cache/sources"), { recursive: true });
  await Promise.all([startAndEnd(t, { root }), startAndEnd(t, { root })]);
  assert.ok(!events(await startAndEnd(t, { root })).includes("catalog_read"));
});

test("a start does not read an unchanged YAML file of a project again; a changed one is read, and a broken one stops it", async (t) => {
  const vendor = await startVendor(t, { otherwise: json({ name: "ACME", country: "GB" }) });
  const text = `id: acme__company
title: Company
inputs: {type: object, required: [number], properties: {number: {type: string, pattern: '^[0-9]+$'}}}
origins: ['${vendor.origin}']
request: {url: '${vendor.origin}/companies/{{ inputs.number }}'}
match: {record: status == \`200\`, no_record: status == \`404\`}
map: {name: body.name}
output: {type: object, required: [name], properties: {name: {type: string}}}
`;
  const folder = project(t, { "sources/company.yaml": text });
  const data = project(t, {});
  const kept = join(data, "sources/project.json");
  const list = join(data, "loaded.txt");
  const readsYaml = (): boolean => {
    const reads = namesIn(list).some((name) => name.includes("/node_modules/yaml/"));
    rmSync(list);
    return reads;
  };
  const write = (changed: string) => writeFileSync(join(folder, "sources/company.yaml"), changed);
  const env = { DATARUN_DATA_DIR: data, DATARUN_OUTBOUND_PRIVATE_ORIGINS: vendor.origin, ...counting(list) };
  const args = ["--project", folder, "--demo"];

  async function start(output: object, isRead: boolean): Promise<void> {
    const service = await startCommand(t, args, env, { root });
    const config = { sources: { acme__company: true } };
    assert.deepEqual((await service.data({ config, inputs: { number: "7" } })).outputs["acme__company"], output);
    const refused = await service.data({ config, inputs: { number: "seven" } });
    assert.match(refused.status["acme__company"]!.message, /number does not have the required form/);
    await end(service);
    assert.equal(readsYaml(), isRead);
  }

  await start({ name: "ACME" }, true);
  await start({ name: "ACME" }, false);

  const ignored = ["--ignore", "project.no_cases", "--ignore", "data_dir.in_memory"];
  const check = spawnSync(process.execPath, [join(root, "bin/datarun.mjs"), "check", "--project", folder, ...ignored], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  assert.equal(check.status, 0, check.stdout);
  assert.ok(readsYaml(), "a check reads every file");

  write(text.replace("map: {name: body.name}", "map: {name: body.country}"));
  await start({ name: "GB" }, true);

  write(text.replace("body.name", "bdy.name"));
  const { code: failed, stderr } = await startCommand.fails(t, args, env);
  assert.equal(failed, 1);
  assert.match(stderr, /company\.yaml:7:13: a reply has no "bdy" \(did you mean "body"\?\)/);

  write(text);
  writeFileSync(kept, readFileSync(kept).subarray(1));
  await start({ name: "ACME" }, true);
  const code = join(root, "src/sources/ports.ts");
  const before = readFileSync(code, "utf8");
  t.after(() => writeFileSync(code, before));
  writeFileSync(code, `${before}// Of the next version.\n`);
  await start({ name: "ACME" }, true);

  rmSync(join(data, "sources"), { recursive: true });
  writeFileSync(join(data, "sources"), "No folder can be made here.");
  await start({ name: "ACME" }, true);
});

test("a checkout that may not be written to is served by an ordinary user, and keeps what it made ready with its data", async (t) => {
  const root = checkout(t);
  const data = mkdtempSync(join(tmpdir(), "datarun-data-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  // For whoever may write everywhere, the folder is closed by belonging to another.
  chmodSync(root, 0o555);
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot && spawnSync(process.execPath, ["-e", ""], { ...as, cwd: "/" }).status !== 0)
    return t.diagnostic("another user cannot run this Node where it lies");
  const env = { DATARUN_DATA_DIR: data };
  const start = async (): Promise<CommandService> => {
    const service = await startCommand(t, ["--demo"], env, { root, ...as });
    await end(service);
    return service;
  };
  assert.ok(events(await start()).includes("catalog_read"));
  assert.ok(!events(await start()).includes("catalog_read"));
  assert.ok(!existsSync(join(root, ".cache")));
});
