import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { shell } from "../cli/project-shell.ts";
import { check, place, refusalOf } from "../check/place.ts";
import { startCommand, startDevelopment } from "../rig/command.ts";
import { project } from "./project-folder.ts";

const EXAMPLE = fileURLToPath(new URL("../../packages/datarun-catalog-example", import.meta.url));
const CONFIG = { "datarun.config.mjs": `export default { catalogs: ["datarun-catalog-example"] };` };
const COMPANY = "sources/example_registry/company.yaml";
const ID = "example_registry__company";

/** A project with our example package as npm installs it. */
function installed(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const folder = project(t, { ...CONFIG, ...files });
  const root = join(folder, "node_modules/datarun-catalog-example");
  cpSync(EXAMPLE, root, { recursive: true });
  const file = (path: string) => join(root, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(file(path)), { recursive: true });
    writeFileSync(file(path), text);
  };
  const manifest = (changes: object) =>
    write(
      "package.json",
      JSON.stringify({ ...JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8")), ...changes }),
    );
  const edit = (text: string, instead: string) => {
    const before = readFileSync(file(COMPANY), "utf8");
    assert.ok(before.includes(text));
    write(COMPANY, before.replaceAll(text, instead));
  };
  return { folder, file, write, manifest, edit, ...shell(t, folder) };
}

/** What a start says, and `check` as well. */
async function refusal(t: TestContext, folder: string, given: Readonly<Record<string, string>> = {}): Promise<string> {
  const { options } = place(t, { given: { project: folder, ...given } });
  const said = await refusalOf(options);
  const found = (await check(options)).filter(({ code }) => code === "catalogs.refused");
  assert.ok(found.length > 0, said.join("\n"));
  assert.deepEqual(
    found.map(({ says }) => says),
    said,
  );
  return said.join("\n");
}

test("a package that npm installs from its tarball, and again by npm ci, is served once it is locked", async (t) => {
  const folder = project(t, { ...CONFIG, "package.json": `{"name": "mine", "private": true}` });
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd: folder });
  npm("pack", EXAMPLE);
  npm("install", "./datarun-catalog-example-1.0.0.tgz");
  rmSync(join(folder, "node_modules"), { recursive: true });
  npm("ci");
  const { run, json } = shell(t, folder);

  assert.match(
    await refusal(t, folder),
    /datarun\.lock: the package datarun-catalog-example is not in it: example_registry__company is new, reaches https:\/\/api\.registry\.example and asks for the credential fields api_key\. Read its files, then accept them with: datarun catalog lock/,
  );
  const locked = await run(["catalog", "lock"]);
  assert.equal(locked.code, 0, locked.stderr);
  assert.match(
    locked.stdout,
    /^datarun-catalog-example 1\.0\.0: 1 source, 1 difference\n {2}example_registry__company is new/,
  );

  const { sources } = await json(["source", "list"]);
  const row = sources.find(({ source }: { source: string }) => source === ID);
  assert.deepEqual([row.from, row.package, row.on], ["package", "datarun-catalog-example", true]);
  assert.equal((await run(["source", "test", ID])).code, 0);
  const service = await startCommand(t, ["--project", folder, "--demo"]);
  const reply = await service.data({ config: { sources: { [ID]: { credentials: { api_key: "k" } } } }, inputs: {} });
  assert.match(reply.status[ID]!.message, /^Adapter error: .*number/);
  assert.equal((await run(["catalog", "lock", "--check"])).code, 0);
});

test("a version with another origin, credential field or text, or with another source, starts only after a new lock", async (t) => {
  const { folder, edit, write, file, run } = installed(t);
  assert.equal((await run(["catalog", "lock"])).code, 0);
  const changes: readonly [change: () => void, says: RegExp][] = [
    [
      () => edit("[https://api.registry.example]", "[https://api.registry.example, https://collector.example]"),
      /the package datarun-catalog-example differs from it: example_registry__company now reaches https:\/\/collector\.example\. /,
    ],
    [() => edit(", https://collector.example]", "]"), /no longer reaches https:\/\/collector\.example/],
    [
      () =>
        edit("    api_key: {type: string, minLength: 1}", "    api_key: {type: string}\n    password: {type: string}"),
      /now asks for the credential field password/,
    ],
    [() => appendFileSync(file(COMPANY), "# more\n"), /the text of example_registry__company has changed/],
    [
      () => write("sources/more.yml", readFileSync(file(COMPANY), "utf8").replace(`id: ${ID}`, "id: acme__more")),
      /acme__more is new, reaches https:\/\/api\.registry\.example/,
    ],
    [() => renameSync(file("sources/more.yml"), file("sources/moved.yml")), /acme__more is now in sources\/moved\.yml/],
    [() => rmSync(file("sources/moved.yml")), /acme__more is gone/],
  ];
  for (const [change, says] of changes) {
    change();
    assert.match(await refusal(t, folder), says);
    const shown = await run(["catalog", "lock", "--check"]);
    assert.equal(shown.code, 2, shown.stdout);
    const accepted = await run(["catalog", "lock"]);
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.equal((await run(["catalog", "lock", "--check"])).code, 0);
  }
  edit("https://api.registry.example", "https://evil.example");
  assert.match(
    await refusal(t, folder),
    /now reaches https:\/\/evil\.example; .*no longer reaches https:\/\/api\.registry/,
  );
  // None of its sources is known meanwhile.
  assert.match((await run(["source", "show", ID])).stderr, /There is no source/);
});

test("a package replaces neither a source of the catalog, nor one of the project, nor one of another package", async (t) => {
  const ofProject = `export default { id: "acme__mine", title: "Mine", inputs: {}, run: () => null };`;
  const { folder, write, file, run } = installed(t, { "sources/mine.mjs": ofProject });
  const text = readFileSync(file(COMPANY), "utf8");
  for (const [id, owner] of [
    ["gleif__lei_record", /the catalog \(/],
    ["acme__mine", /the project \(/],
  ] as const) {
    write(COMPANY, text.replace(`id: ${ID}`, `id: ${id}`));
    assert.equal((await run(["catalog", "lock"])).code, 0);
    const said = await refusal(t, folder);
    assert.match(said, new RegExp(`its id ${id} is that of a source of ${owner.source}`));
    assert.match(said, /and the package datarun-catalog-example cannot replace it/);
  }
  write(COMPANY, text);
  const both = installed(t, {
    "datarun.config.mjs": `export default { catalogs: ["datarun-catalog-example", "@acme/datarun-catalog-other"] };`,
  });
  const other = join(both.folder, "node_modules/@acme/datarun-catalog-other");
  cpSync(EXAMPLE, other, { recursive: true });
  const manifest = `{"name": "@acme/datarun-catalog-other", "version": "2.0.0", "datarun": {"sources": "sources"}}`;
  writeFileSync(join(other, "package.json"), manifest);
  assert.equal((await both.run(["catalog", "lock"])).code, 0);
  assert.match(
    await refusal(t, both.folder),
    /of the package datarun-catalog-example, and the package @acme\/datarun-catalog-other/,
  );
});

test("a package with code, with links, or with what makes npm install or run code is refused, and cannot be locked", async (t) => {
  const { folder, file, write, manifest, run } = installed(t);
  assert.equal((await run(["catalog", "lock"])).code, 0);
  const wrong: readonly [make: () => void, says: RegExp][] = [
    [() => write("index.js", ""), /index\.js: a package of sources has YAML files only/],
    [() => write("sources/acme/code.ts", ""), /code\.ts: a package of sources has YAML files only/],
    [() => write("sources/acme/company.cases.json", "[]"), /cases\.json: a package of sources has YAML files only/],
    [() => write("node_modules/x/index.js", ""), /YAML files only/],
    [() => write(".hidden/run.sh", ""), /YAML files only/],
    [() => symlinkSync("/etc/hostname", file("sources/linked.yaml")), /has no symbolic links/],
    [() => symlinkSync("..", file("sources/up")), /has no symbolic links/],
    [() => manifest({ dependencies: { left: "1" } }), /has no dependencies: npm would install code/],
    [() => manifest({ peerDependencies: { left: "1" } }), /has no peerDependencies/],
    [() => manifest({ scripts: { postinstall: "true" } }), /has no script "postinstall": npm would run it/],
    [() => manifest({ datarun: { sources: "../.." } }), /must name the folder of its sources/],
    [() => manifest({ datarun: undefined }), /must name the folder of its sources/],
    [() => manifest({ name: "datarun-catalog-uk" }), /its name is not datarun-catalog-example/],
    [() => write("package.json", "{"), /it cannot be read/],
    [
      () => rmSync(file("package.json")),
      /datarun-catalog-example is not installed: npm install datarun-catalog-example/,
    ],
    [() => write(COMPANY, "id: [x"), /company\.yaml/],
  ];
  for (const [make, says] of wrong) {
    rmSync(file("."), { recursive: true });
    cpSync(EXAMPLE, file("."), { recursive: true });
    make();
    const locked = await run(["catalog", "lock"]);
    assert.equal(locked.code, 1);
    assert.match(locked.stderr, says);
    assert.notDeepEqual(await refusalOf(place(t, { given: { project: folder } }).options), []);
  }
  // What an author has beside it matters only in what is installed: npm links a folder.
  rmSync(file("."), { recursive: true });
  const own = project(t, {});
  cpSync(EXAMPLE, own, { recursive: true });
  mkdirSync(join(own, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(own, "node_modules/.bin/datarun"), "");
  symlinkSync(own, join(folder, "node_modules/datarun-catalog-example"));
  assert.equal((await run(["catalog", "lock"])).code, 0);
  assert.equal((await run(["source", "test", ID])).code, 0);
});

test("names that are no packages of sources, a lock that cannot be read, and packages without a project are refused", async (t) => {
  const { folder, run } = installed(t);
  writeFileSync(join(folder, "datarun.lock"), `{"datarun-catalog-example": 5}`);
  assert.match(await refusal(t, folder), /it is not a lock of catalog packages\. Write it with: datarun catalog lock/);
  assert.equal((await run(["catalog", "lock"])).code, 0);
  for (const name of ["express", "../datarun-catalog-x", "datarun-catalog-x/../../y", "Datarun-catalog-x"]) {
    assert.match(
      await refusal(t, folder, { catalogs: name }),
      /is not the name of a package of sources: datarun-catalog-<name>/,
    );
  }
  const { stderr } = await startCommand.fails(t, ["--catalogs", "datarun-catalog-example"]);
  assert.match(stderr, /packages of sources belong to a project folder/);
});

test("in development the sources of a package that is not as locked are missing, until it is locked", async (t) => {
  const { folder, edit, run } = installed(t);
  const { says } = startDevelopment(t, ["--project", folder, "--demo"]);
  await says(/the package datarun-catalog-example is not in it: example_registry__company is new/);
  await says(/listening/);
  assert.equal((await run(["catalog", "lock"])).code, 0);
  await says(/reloaded/);
  edit("https://api.registry.example", "https://evil.example");
  // npm changes the lock of the project with the package; datarun watches no installed files.
  writeFileSync(join(folder, "package-lock.json"), "{}");
  await says(/example_registry__company now reaches https:\/\/evil\.example/);
});
