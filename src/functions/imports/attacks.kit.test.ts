import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../terms/time/clock.ts";
import { bundleFunction } from "../load/bundle.ts";
import { createFunctions } from "../catalog.ts";
import { LoadError } from "../../terms/load-error.ts";
import { startPool } from "../pool/pool.kit.ts";
import { HARMLESS, REFUSED, type Attack } from "./attacks.kit.ts";
import { layFiles, type Laid } from "./lay-files.kit.ts";
import type { ForbiddenPath } from "./import-scope.ts";

const SECRET = "SECRET";
const KEY = `root_dd4c${SECRET}:WZvwg5G/${SECRET}=`;
const HOST = {
  runSource: () => Promise.reject(new Error("no source")),
  pipe: () => {},
  reserveBytes: () => true,
  log: () => {},
};

const LAID: Readonly<Record<string, Laid>> = {
  "../outside/secret.json": `"${SECRET}"`,
  "../outside/secret.ts": `export type Secret = "${SECRET}"; export default "${SECRET}";`,
  "../outside/secret.js": `export default "${SECRET}";`,
  "../outside/secret.txt": SECRET,
  "../outside/vault/service.json": `"${SECRET}"`,
  "../project-b/secret.json": `"${SECRET}"`,
  ".env": `KEY=${SECRET}`,
  ".env.json": `"${SECRET}"`,
  ".hidden/secret.ts": `export default "${SECRET}";`,
  "datarun.config.ts": `export default { database_url: "postgres://a:${SECRET}@b" };`,
  "notes.txt": SECRET,
  notes: SECRET,
  "lib/words.json": '{ "hello": "hello" }',
  "lib/other.ts": "export default 1;",
  "node_modules/pure/package.json": '{ "name": "pure", "main": "./main.cjs" }',
  "node_modules/pure/main.cjs": "module.exports.double = (n) => n * 2;",
  "node_modules/.store/deep@1/node_modules/deep/index.js": "exports.deep = 1;",
  "node_modules/deep": { link: "node_modules/.store/deep@1/node_modules/deep" },
  ...dataDirectory(".datarun"),
  ...dataDirectory("vault"),
};

function dataDirectory(name: string): Record<string, string> {
  return {
    [`${name}/root-1.key`]: KEY,
    [`${name}/store.sqlite`]: `SQLite format 3\0${SECRET}`,
    [`${name}/service.json`]: `{ "token": "${SECRET}" }`,
    [`${name}/functions/kept.js`]: `export default "${SECRET}";`,
    [`${name}/functions/index.js`]: `export default "${SECRET}";`,
  };
}

/** A hidden folder above the project must make no difference. */
async function layProject(t: TestContext, attack: Attack): Promise<string> {
  const above = await mkdtemp(join(tmpdir(), "datarun-attack-"));
  t.after(() => rm(above, { recursive: true, force: true }));
  const project = join(above, ".work", "project");
  const own = attack.code === undefined ? {} : { "functions/attack.ts": attack.code };
  await layFiles(project, { ...LAID, ...own, ...attack.files });
  return project;
}

function closedIn(project: string): ForbiddenPath[] {
  return [
    { path: join(project, ".datarun"), name: "the data directory" },
    { path: join(project, "vault"), name: "the data directory" },
    { path: join(project, "datarun.config.ts"), name: "the settings of the service" },
  ];
}

test("a function that reaches for more than it may have is refused with file and line", async (t) => {
  for (const attack of REFUSED) {
    await t.test(attack.name, async (t) => {
      const project = await layProject(t, attack);
      const file = join(project, "functions/attack.ts");
      const bundled = bundleFunction(file, project, closedIn(project));
      const thrown: unknown = await bundled.then(
        ({ code }) => `it is bundled: ${code.slice(0, 2000)}`,
        (error) => error,
      );
      assert.ok(thrown instanceof LoadError, String(thrown));
      assert.equal(thrown.file, file);
      assert.match(thrown.reason, attack.says);
      const place = attack.in === undefined ? "" : `${attack.in} `;
      if (attack.line !== null) assert.ok(thrown.reason.startsWith(`${place}line ${attack.line}: `), thrown.reason);
      assert.ok(!thrown.message.includes(SECRET), thrown.message);
      assert.ok(thrown.reason.length < 300, thrown.reason);
    });
  }
});

test("a function that asks in vain is loaded, and what it asked for is not in it", async (t) => {
  const { pool } = await startPool(t, { processes: 1, spare: false });
  for (const attack of HARMLESS) {
    await t.test(attack.name, async (t) => {
      const project = await layProject(t, attack);
      const file = join(project, "functions/attack.ts");
      const { code } = await bundleFunction(file, project, closedIn(project));
      assert.ok(!code.includes(SECRET), code);
      assert.ok(!code.includes(project), "the bundle says where the project lies");
      const functions = await createFunctions({ files: [{ file, root: project, closed: closedIn(project) }], pool });
      const inputs = { x: "vault/service.json", y: "../" };
      const argument = JSON.stringify({ inputs, extra: {}, config: {}, context: "dev" });
      const job = {
        organizationId: "o",
        simulated: false,
        transactionId: "t",
        deadlineAt: systemClock.now() + 5_000,
        argument,
      };
      const answer = await functions.find("dfunc_attack")!.run(job, HOST);
      assert.match(answer ?? "", /^\{"output":/);
      assert.ok(!answer!.includes(SECRET), answer!);
    });
  }
});
