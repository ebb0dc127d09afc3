import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { startPostgres } from "../postgres/start-postgres.ts";
import { startCommand } from "./command.ts";
import { command, verb } from "./operator-verb.ts";
import { project } from "./project-folder.ts";

const SOURCE = `export default { id: "acme__keyed", title: "T", inputs: {},
  credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
  run: ({ credentials }) => ({ length: credentials.api_key.length }) };`;

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-empty-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const newKey = (): string => randomBytes(32).toString("base64");
const CREATE = ["credential", "create", "--source", "acme__keyed", "--set", "api_key=k", "--default"] as const;

test("a verb works on the store that the project's config file names, from whatever folder", async (t) => {
  const folder = project(t, {
    "datarun.config.mjs": `export default { data_dir: "../${"x".repeat(3)}-store" };`,
    "sources/keyed.mjs": SOURCE,
  });
  const dataDir = join(folder, "..", "xxx-store");
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const env = { DATARUN_PROJECT: folder };

  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  assert.ok(existsSync(join(dataDir, "store.sqlite")));
  const service = await startCommand(t, ["--project", folder, "--data-dir", dataDir]);
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const reply = await fetch(`${service.url}/data`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-access-token": token, "x-service-workflow": workflow },
    body: JSON.stringify({ config: { sources: { acme__keyed: true } } }),
  });
  assert.equal(reply.status, 200, "what the verbs made is what the service knows");
});

test("a verb that looks makes nothing: a mistyped folder is said to hold no store", (t) => {
  const folder = emptyFolder(t);
  const dataDir = join(folder, "typo");
  for (const args of [
    ["org", "list"],
    ["token", "list", "--org", "org_x"],
    ["keys", "verify"],
    ["keys", "rotate"],
    ["workflow", "create", "--org", "org_x"],
  ]) {
    const { code, stderr, stdout } = command({ DATARUN_DATA_DIR: dataDir }, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, /^There is no store in .*typo\./);
    assert.equal(stdout, "");
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("an empty folder name is refused, and not taken for the current one", () => {
  const { code, stderr } = command({}, "org", "list", "--data-dir", "");
  assert.notEqual(code, 0);
  assert.match(stderr, /data-dir must be a text/);
});

test("another root key in the shell seals nothing on a shared store", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const folder = project(t, { "sources/keyed.mjs": SOURCE });
  const right = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: newKey(), DATARUN_PROJECT: folder };
  const wrong = { ...right, DATARUN_ROOT_KEY: newKey() };
  const [first, second] = ["One", "Two"].map((name) => verb(right, "org", "create", name)["organization_tuid"]!);
  verb(right, ...CREATE, "--org", first!);

  for (const args of [
    [...CREATE, "--org", second!],
    ["keys", "rotate"],
  ]) {
    const { code, stderr } = command(wrong, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, /DATARUN_ROOT_KEY does not hold the root key/);
  }

  assert.deepEqual(verb<{ unreadable: unknown[] }>(right, "keys", "verify").unreadable, []);
  await startCommand(t, [], right);
});

test("another root key in the shell seals nothing on an embedded store, until it is adopted", async (t) => {
  const folder = project(t, { "sources/keyed.mjs": SOURCE });
  const env = { DATARUN_DATA_DIR: join(emptyFolder(t), "data"), DATARUN_PROJECT: folder };
  const stray = { ...env, DATARUN_ROOT_KEY: newKey() };
  const [first, second] = ["One", "Two"].map((name) => verb(env, "org", "create", name)["organization_tuid"]!);
  verb(env, ...CREATE, "--org", first!);
  verb(stray, ...CREATE, "--org", second!);
  verb(stray, "keys", "rotate");

  const verified = verb<{ unreadable: unknown[] }>(env, "keys", "verify");
  assert.deepEqual(verified.unreadable, [], "all is sealed by the files");
  await startCommand(t, [], env);

  verb(stray, "keys", "rotate", "--adopt-root-key");
  assert.equal(command(env, "keys", "verify").code, 1, "now the variable is what it needs");
  assert.deepEqual(verb<{ unreadable: unknown[] }>(stray, "keys", "verify").unreadable, []);
});
