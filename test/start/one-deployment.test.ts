import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import { createOperator, type Operator, type Organization } from "../rig/organization.ts";
import { Secrets } from "../rig/secrets.ts";
import { startCommand, type DataReply } from "../rig/command.ts";
import { until } from "../rig/until.ts";
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

test("a misspelled variable stops a verb and a start, rather than letting them use another store", async (t) => {
  const folder = emptyFolder(t);
  const { code, stderr } = command(
    { DATARUN_DATABASE_URL: "postgres://db/datarun", DATARUN_DATA_DIR: folder },
    "org",
    "create",
    "X",
  );
  assert.deepEqual([code, stderr], [1, "DATARUN_DATABASE_URL is not a setting: did you mean DATABASE_URL?\n"]);
  assert.deepEqual(readdirSync(folder), []);
  const ended = await startCommand.fails(t, [], { DATARUN_LIMIT_RUNS: "4" });
  assert.match(ended.stderr, /DATARUN_LIMIT_RUNS is not a setting: did you mean DATARUN_LIMITS_RUNS\?/);
});

test("a run for which a service is started prints its answer and one remark, and no log", (t) => {
  const env = { DATARUN_DATA_DIR: emptyFolder(t) };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const ran = command(
    env,
    "source",
    "run",
    "google__phone_number",
    "--workflow",
    workflow,
    "--set",
    "phone=+442079460958",
  );
  assert.deepEqual(
    [ran.code, ran.stderr],
    [0, "No service runs on this data directory: one was started for this command.\n"],
  );
  assert.match(ran.stdout, /^{[^]*}\n$/);
});

test("an empty folder name is refused, and not taken for the current one", () => {
  const { code, stderr } = command({}, "org", "list", "--data-dir", "");
  assert.notEqual(code, 0);
  assert.match(stderr, /data-dir must be a text/);
});

test("on a shared store the first service says by which root key is sealed, and a shell with another one seals nothing", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const folder = project(t, { "sources/keyed.mjs": SOURCE });
  const right = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: newKey(), DATARUN_PROJECT: folder };
  const wrong = { ...right, DATARUN_ROOT_KEY: newKey() };

  for (const DATARUN_ROOT_KEY of ["", "x"]) {
    const ended = await startCommand.fails(t, [], { ...right, DATARUN_ROOT_KEY });
    assert.match(ended.stderr, /^datarun cannot start: DATARUN_ROOT_KEY (must be given|is not base64)/);
  }
  const looked = command(right, "org", "list");
  assert.deepEqual([looked.code, looked.stdout], [1, ""]);
  assert.match(looked.stderr, /^There is no store in the database "postgres" at /);
  const [first, second] = ["One", "Two"].map((name) => verb(right, "org", "create", name)["organization_tuid"]!);
  const early = command(wrong, ...CREATE, "--org", first!);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /no service has started on it.*Start the service first.*datarun keys adopt/);

  const service = await startCommand(t, [], right);
  assert.ok(service.log().some(({ event }) => event === "root_key_registered"));
  for (const args of [
    [...CREATE, "--org", first!],
    ["keys", "rotate"],
  ]) {
    const { code, stderr } = command(wrong, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, /DATARUN_ROOT_KEY does not hold the root key/);
  }
  verb(right, ...CREATE, "--org", first!);
  verb(right, ...CREATE, "--org", second!);
  assert.deepEqual(verb<{ unreadable: unknown[] }>(right, "keys", "verify").unreadable, []);
  await startCommand(t, [], right);
  const ended = await startCommand.fails(t, [], wrong);
  assert.equal(ended.code, 1);
  // Whether the key fits is found out beside the rest of the start.
  assert.match(ended.stderr, /^datarun cannot (?:start|continue): DATARUN_ROOT_KEY does not hold the root key/);
});

test("a data key that cannot be decrypted affects only its own credentials, and is removed without SQL", async (t) => {
  const folder = project(t, { "sources/keyed.mjs": SOURCE });
  const env = { DATARUN_DATA_DIR: join(emptyFolder(t), "data"), DATARUN_PROJECT: folder };
  const [ours, theirs] = ["Ours", "Theirs"].map((name) => verb(env, "org", "create", name)["organization_tuid"]!);
  verb(env, ...CREATE, "--org", ours!);
  // Sealed by a root key that is then lost.
  const stray = { dataDir: env.DATARUN_DATA_DIR, databaseUrl: undefined, rootKey: newKey(), adoptRootKey: true };
  const opened = await openKeyedStore({ ...stray, clock: systemClock });
  const operator = createOperator(opened, systemClock, new Secrets());
  const [mine, theirAccess] = [await accessOf(operator, ours!), await accessOf(operator, theirs!)];
  const credential = { source: "acme__keyed", fields: { api_key: "k" }, isDefault: true };
  const lost = await operator.storeCredential(theirAccess, credential);
  await opened.store.close();

  const service = await startCommand(t, [], env);
  const line = service.log().find(({ event }) => event === "data_keys_unreadable");
  assert.equal(line?.["data_keys"], 1);
  assert.equal((await fetch(`${service.adminUrl}/ready`)).status, 200);
  assert.match(await (await fetch(`${service.adminUrl}/metrics`)).text(), /^datarun_data_keys_unreadable 1$/m);
  assert.equal((await asked(service.url, mine)).success, true);
  assert.match((await asked(service.url, theirAccess)).message, /the stored credential of this source cannot be used/);

  const verified = command(env, "keys", "verify", "--json");
  assert.equal(verified.code, 1);
  const { unreadable } = JSON.parse(verified.stdout) as { unreadable: { id: string; organization: string }[] };
  assert.deepEqual(
    unreadable.map(({ organization }) => organization),
    [theirs, theirs],
  );
  const key = unreadable.find(({ id }) => id.startsWith("key_"))!.id;
  const sealing = command(env, ...CREATE, "--org", theirs!);
  assert.equal(sealing.code, 1);
  assert.match(sealing.stderr, new RegExp(`data key ${key} .*datarun keys discard ${key}`));
  const refused = command(env, "keys", "discard", key);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`${lost}.*--with-credentials`));

  const gone = verb<object>(env, "keys", "discard", key, "--with-credentials");
  assert.deepEqual(gone, { key, organization: theirs, credentials_deleted: [lost] });
  verb(env, ...CREATE, "--org", theirs!);
  await until(async () => (await asked(service.url, theirAccess)).success);
  const { data_keys: left, unreadable: none } = verb<{ data_keys: number; unreadable: [] }>(env, "keys", "verify");
  assert.deepEqual([left, none], [2, []]);
  assert.match(command(env, "keys", "discard", key).stderr, /^There is no data key key_/);
});

async function accessOf(operator: Operator, id: string): Promise<Organization> {
  return { id, ...(await operator.issueToken(id)), workflow: await operator.createWorkflow(id) };
}

async function asked(url: string, { token, workflow }: Organization) {
  const reply = await fetch(`${url}/data`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-access-token": token, "x-service-workflow": workflow },
    body: JSON.stringify({ config: { sources: { acme__keyed: true } } }),
  });
  const { status } = (await reply.json()) as DataReply;
  return status["acme__keyed"]!;
}

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
