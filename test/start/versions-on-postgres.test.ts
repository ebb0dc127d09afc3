import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import { startCommand, type CommandService } from "../rig/command.ts";
import { assertVersionsResolve, withVersions } from "../rig/recorded-versions.ts";
import { readLedger } from "../rig/ledger-rows.ts";
import { until } from "../rig/until.ts";
import { verb, type Environment } from "./operator-verb.ts";
import { project } from "./project-folder.ts";

const FUNCTION = (id: string, says: string) =>
  `import { word } from "../shared/_word.ts";
export default { id: "dfunc_${id}", title: "Says", run: async ({ run }) => { await run("acme__here"); return { output: { says: "${says}", word } }; } };`;
const SOURCE = `import { word } from "../shared/_word.ts";
export default { id: "acme__here", title: "Here", inputs: { type: "object" }, run: () => ({ word }) };`;

const FILES = {
  "shared/_word.ts": `export const word: string = "word";`,
  "functions/a.ts": FUNCTION("a", "A"),
  "functions/b.ts": FUNCTION("b", "B"),
  "sources/here.ts": SOURCE,
};

function dataDir(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-versions-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Access {
  readonly token: string;
  readonly workflow: string;
}

function access(env: Environment): Access {
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  return { token: verb(env, "token", "create", "--org", org)["access_token"]!, workflow };
}

async function ask({ url }: CommandService, { token, workflow }: Access, id: string): Promise<number> {
  const headers = {
    "content-type": "application/json",
    "x-service-access-token": token,
    "x-service-workflow": workflow,
  };
  const body = JSON.stringify({ config: { data_func: id } });
  const reply = await fetch(`${url}/func`, { method: "POST", headers, body });
  await reply.text();
  return reply.status;
}

test("replicas that load the same files from other folders, in another order, agree on every version", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const env = { DATABASE_URL: databaseUrl, DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const caller = access(env);
  // The second has files of its own before and between the common ones.
  const own = {
    "functions/_0.ts": "",
    "functions/aa.ts": FUNCTION("aa", "AA"),
    "sources/b.ts": SOURCE.replace("here", "b"),
  };
  const folders = [
    project(t, FILES),
    project(t, Object.fromEntries(Object.entries({ ...FILES, ...own }).toReversed())),
  ];
  const dataDirs = [dataDir(t), dataDir(t)];
  const replicas: CommandService[] = [];
  for (const [at, folder] of folders.entries()) {
    const own = { DATARUN_PROJECT: folder, DATARUN_DATA_DIR: dataDirs[at]! };
    replicas.push(await startCommand(t, [], { ...env, ...own }));
  }
  for (const replica of replicas) {
    for (const id of ["dfunc_a", "dfunc_b"]) await until(async () => (await ask(replica, caller, id)) === 200);
    replica.signal("SIGTERM");
    assert.equal((await replica.ended).code, 0);
  }
  const ledgers = dataDirs.map((folder) => readLedger(folder));
  for (const ledger of ledgers) await assertVersionsResolve({ dataDir: "", databaseUrl }, ledger);
  await withVersions({ dataDir: "", databaseUrl }, async ({ all }) => {
    for (const id of ["dfunc_a", "dfunc_b"])
      assert.deepEqual(
        (await all("function", id)).map(({ number }) => number),
        [1],
      );
    assert.equal((await all("source", "acme__here")).length, 1);
  });
});

test("versions that are loaded while the store is away are registered when it is back, also by a later start", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const databaseUrl = database.url("postgres");
  const folder = project(t, FILES);
  const env = {
    DATABASE_URL: databaseUrl,
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    DATARUN_PROJECT: folder,
    DATARUN_DATA_DIR: dataDir(t),
  };
  const caller = access(env);
  const pending = join(env.DATARUN_DATA_DIR, "versions-pending.json");
  const numbers = () =>
    withVersions({ dataDir: "", databaseUrl }, async ({ all, contentOf }) => {
      const versions = await all("function", "dfunc_a");
      return Promise.all(
        versions.map(async ({ number, digest }) => [
          number,
          /says: "(.*?)"/.exec(JSON.parse(await contentOf("function", "dfunc_a", digest)).code)![1],
        ]),
      );
    });

  await database.kill();
  const killed = await startCommand(t, [], env);
  assert.ok(existsSync(pending), "it listens when the versions are on the disk");
  killed.signal("SIGKILL");
  await killed.ended;

  writeFileSync(join(folder, "functions/a.ts"), FUNCTION("a", "changed"));
  const service = await startCommand(t, [], env);
  await database.start();
  await until(async () => (await ask(service, caller, "dfunc_a")) === 200);
  await until(() => !existsSync(pending));
  assert.deepEqual(await numbers(), [
    [2, "changed"],
    [1, "A"],
  ]);
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
  await assertVersionsResolve({ dataDir: "", databaseUrl }, readLedger(env.DATARUN_DATA_DIR));
});

test("versions that the store does not have yet are in a backup, and a service on the restored one registers them", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const databaseUrl = database.url("postgres");
  const env = {
    DATABASE_URL: databaseUrl,
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    DATARUN_PROJECT: project(t, FILES),
    DATARUN_DATA_DIR: dataDir(t),
  };
  access(env);
  await database.kill();
  const killed = await startCommand(t, [], env);
  killed.signal("SIGKILL");
  await killed.ended;
  await database.start();
  const { backup } = verb(env, "store", "backup", dataDir(t));
  const restored = { ...env, DATARUN_DATA_DIR: dataDir(t), DATARUN_PROJECT: project(t, {}) };
  verb(restored, "store", "restore", backup!);
  const pending = join(restored.DATARUN_DATA_DIR, "versions-pending.json");
  assert.ok(existsSync(pending));
  const service = await startCommand(t, [], restored);
  await until(() => !existsSync(pending));
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
  await withVersions({ dataDir: "", databaseUrl }, async ({ all }) => {
    assert.deepEqual(
      (await all("function", "dfunc_a")).map(({ number }) => number),
      [1],
    );
  });
});
