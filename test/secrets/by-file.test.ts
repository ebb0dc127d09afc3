import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { newDatabase } from "../postgres/shared-postgres.ts";
import { startCommand } from "../rig/command.ts";
import { command, verb } from "../start/operator-verb.ts";

function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "datarun-by-file-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { folder, dataDir: join(folder, "data"), write };
}

test("a service and the verbs read root key and database address from the same files", async (t) => {
  const { dataDir, write } = place(t);
  const databaseUrl = await newDatabase(t);
  const env = {
    DATARUN_DATA_DIR: dataDir,
    DATABASE_URL_FILE: write("database-url", `${databaseUrl}\n`),
    DATARUN_ROOT_KEY_FILE: write("root-key", `first:${randomBytes(32).toString("base64")}\r\n`),
  };
  await startCommand(t, [], env);
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  verb(env, "credential", "create", "--org", org, "--source", "hibp__breached_account", "--set", "api_key=k");
  const keys = verb<{ root_keys_in_use: object[] }>(env, "keys", "verify");
  assert.deepEqual(keys.root_keys_in_use, [{ id: "first", data_keys: 1 }]);
});

test("a service and a verb refuse the same file in the same words", (t) => {
  const { folder, dataDir } = place(t);
  const missing = join(folder, "missing");
  for (const [env, says] of [
    [{ DATARUN_ROOT_KEY_FILE: missing }, `DATARUN_ROOT_KEY_FILE: there is no file ${missing}`],
    [{ DATABASE_URL_FILE: folder }, `DATABASE_URL_FILE: ${folder} is a directory, not a file`],
  ] as const) {
    const all = { ...env, DATARUN_DATA_DIR: dataDir };
    const started = command(all, "start", "--port", "0", "--admin-port", "0");
    assert.deepEqual([started.code, started.stderr], [2, `datarun cannot start: ${says}\n`]);
    const listed = command(all, "org", "list");
    assert.deepEqual([listed.code, listed.stderr], [1, `${says}\n`]);
  }
});
