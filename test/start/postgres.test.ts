import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { startPostgres } from "../postgres/start-postgres.ts";
import { command, verb } from "./operator-verb.ts";
import { project } from "./project-folder.ts";
import { startCommand, type CommandService } from "../rig/command.ts";

const BODY = { config: { sources: { publicsuffix__domain: true } }, inputs: { domain: "login.shop.example.co.uk" } };

/** Changes are noticed within a second on an idle machine. What is not noticed is known for minutes. */
const NOTICED_MS = 20_000;

async function post(
  service: CommandService,
  token: string,
  workflow: string,
): Promise<{ status: number; body: string; tookMs: number }> {
  const sentAt = performance.now();
  const reply = await fetch(`${service.url}/data`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-access-token": token, "x-service-workflow": workflow },
    body: JSON.stringify(BODY),
  });
  return { status: reply.status, body: await reply.text(), tookMs: performance.now() - sentAt };
}

async function until(what: string, check: () => Promise<boolean>, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await check())) {
    assert.ok(performance.now() < giveUpAt, `${what} did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Until the token is known to this replica: a database on a busy machine may not answer within the 500 ms of a request. */
async function untilAccepted(service: CommandService, token: string, workflow: string): Promise<void> {
  await until("a run", async () => (await post(service, token, workflow)).status === 200, 60_000);
}

test("two replicas on one database: a token revoked at one is refused by both within a second, and an outage costs only the unknown", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const env = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const first = verb(env, "token", "create", "--org", org);
  const second = verb(env, "token", "create", "--org", org);
  const replicas = [await startCommand(t, [], env), await startCommand(t, [], env)];

  for (const replica of replicas) {
    await untilAccepted(replica, first["access_token"]!, workflow);
    await untilAccepted(replica, second["access_token"]!, workflow);
  }
  verb(env, "token", "revoke", first["token_id"]!);
  for (const replica of replicas) {
    await until(
      "the revocation",
      async () => (await post(replica, first["access_token"]!, workflow)).status === 401,
      NOTICED_MS,
    );
  }

  const other = verb(env, "org", "create", "Bell")["organization_tuid"]!;
  const bell = verb(env, "token", "create", "--org", other)["access_token"]!;
  const ofBell = verb(env, "workflow", "create", "--org", other)["workflow"]!;
  for (const replica of replicas) await untilAccepted(replica, bell, ofBell);
  const statuses = () => Promise.all(replicas.map(async (replica) => (await post(replica, bell, ofBell)).status));
  verb(env, "org", "disable", other);
  await until("the disabling", async () => (await statuses()).every((status) => status === 401), NOTICED_MS);
  verb(env, "org", "enable", other);
  await until("the enabling", async () => (await statuses()).every((status) => status === 200), NOTICED_MS);

  const third = verb(env, "token", "create", "--org", org);
  await database.kill();
  const [replica] = replicas;
  assert.equal((await post(replica!, second["access_token"]!, workflow)).status, 200, "a known token goes on");
  const unseen = await post(replica!, third["access_token"]!, workflow);
  assert.equal(unseen.status, 500, "an unseen token was not rejected, it could not be looked up");
  assert.match(unseen.body, /"unavailable"/);
  assert.ok(unseen.tookMs < NOTICED_MS, `it waited ${unseen.tookMs} ms`);
  assert.equal((await fetch(`${replica!.url}/status`)).status, 200);
  assert.equal(
    (await fetch(`${replica!.adminUrl}/ready`)).status,
    200,
    "a balancer that took every replica out would end what still works",
  );

  await database.start();
  await until(
    "the recovery",
    async () => (await post(replica!, third["access_token"]!, workflow)).status === 200,
    60_000,
  );
});

test("runs drain to the shared database, those of an outage too, and none twice", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const env = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const service = await startCommand(t, [], env);
  const ids: string[] = [];
  const tryOnce = async () => {
    const { transaction_id } = JSON.parse((await post(service, token, workflow)).body) as { transaction_id?: string };
    if (transaction_id !== undefined) ids.push(transaction_id);
    return transaction_id !== undefined;
  };
  const run = () => until("a run", tryOnce, 60_000);
  await run();
  await run();
  await database.kill();
  await run();
  await database.start();
  await run();

  const rows = async () => {
    const client = new Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    const found = await client.query<{ transaction_id: string; calls: string }>(
      "SELECT transaction_id, (SELECT count(*) FROM ledger_calls c WHERE c.transaction_id = r.transaction_id) AS calls FROM ledger_runs r ORDER BY transaction_id",
    );
    await client.end();
    return found.rows;
  };
  await until("the drain", async () => (await rows().catch(() => [])).length === ids.length, 60_000);
  assert.deepEqual(
    await rows(),
    ids.toSorted().map((transaction_id) => ({ transaction_id, calls: "1" })),
  );
});

test("a database absent at the start: the service listens, refuses runs with 500, and takes them once it is there", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const env = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  await database.kill();
  const service = await startCommand(t, [], env);
  assert.equal((await fetch(`${service.url}/status`)).status, 200);
  assert.equal((await post(service, token, workflow)).status, 500);
  await database.start();
  await until("the first run", async () => (await post(service, token, workflow)).status === 200, 60_000);
});

test("a place without a store is refused on the data directory of another ledger, and nothing is made there", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const folder = mkdtempSync(join(tmpdir(), "datarun-elsewhere-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const administer = async (...statements: string[]): Promise<readonly object[]> => {
    const client = new Client({ connectionString: database.url("postgres") });
    await client.connect();
    try {
      let rows: readonly object[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    } finally {
      await client.end();
    }
  };
  await administer("create database one", "create database empty");
  const key = { DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const env = { ...key, DATABASE_URL: database.url("one"), DATARUN_DATA_DIR: join(folder, "data") };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const runOnce = async (service: CommandService) => {
    await untilAccepted(service, token, workflow);
    service.signal("SIGTERM");
    assert.equal((await service.ended).code, 0);
  };
  await runOnce(await startCommand(t, [], env));

  const refused = async (given: Readonly<Record<string, string>>, words: RegExp) => {
    const ended = await startCommand.fails(t, [], given);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, words);
    assert.match(ended.stderr, /For a new ledger, name a new data directory\./);
  };
  const sharedElsewhere = (schema: string, name: string) =>
    new RegExp(
      `no store in the schema "${schema}" of the database "${name}" at .+, but the journal in .+/data/ledger has runs of a shared ledger\\. Correct DATABASE_URL, or the search_path of its user\\.`,
    );
  await administer("alter role datarun in database one set search_path = other");
  await refused(
    env,
    /no store in the database "one" at .+, whose search_path names no schema that exists, but the journal/,
  );
  const one = new Client({ connectionString: database.url("one") });
  await one.connect();
  await one.query("create schema other");
  await refused(env, sharedElsewhere("other", "one"));
  for (const args of [
    ["org", "create", "Bell"],
    ["org", "list"],
  ]) {
    const { code, stderr } = command(env, ...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, sharedElsewhere("other", "one"), args.join(" "));
  }
  assert.deepEqual((await one.query("select tablename from pg_tables where schemaname = 'other'")).rows, []);
  await one.end();
  await refused({ ...env, DATABASE_URL: database.url("empty") }, sharedElsewhere("public", "empty"));
  await refused(
    { DATARUN_DATA_DIR: env.DATARUN_DATA_DIR },
    /no store in .+\/data, but the journal .+ has runs of a shared ledger\. Set DATABASE_URL to the database/,
  );

  // The embedded store of another directory, whose ledger was not moved.
  const embedded = { DATARUN_DATA_DIR: join(folder, "embedded") };
  const demo = await startCommand(t, ["--demo"], embedded);
  await demo.data(BODY);
  demo.signal("SIGTERM");
  await demo.ended;
  await refused(
    { ...env, ...embedded, DATABASE_URL: database.url("empty") },
    /the journal in .+\/embedded\/ledger has runs of a ledger of its own\. To move it to this database: .*store copy\./,
  );

  await administer("alter role datarun in database one reset search_path");
  await runOnce(await startCommand(t, [], env));
  const fresh = { ...env, DATABASE_URL: database.url("empty"), DATARUN_DATA_DIR: join(folder, "new") };
  verb(fresh, "org", "create", "Bell");
});

test("with DATABASE_URL a missing, malformed or wrong root key stops the start and names the variable", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const env = { DATABASE_URL: database.url("postgres"), DATARUN_ROOT_KEY: randomBytes(32).toString("base64") };
  const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
  const folder = project(t, {
    "sources/a.mjs": `export default { id: "acme__a", title: "A", inputs: { type: "object" }, credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] }, run: () => null };`,
  });
  const keyed = { ...env, KEY: "k" };
  verb(env, "keys", "adopt");
  verb(
    keyed,
    "credential",
    "create",
    "--org",
    org,
    "--project",
    folder,
    "--source",
    "acme__a",
    "--set-env",
    "api_key=KEY",
  );
  for (const key of [undefined, "short", randomBytes(16).toString("base64"), randomBytes(32).toString("base64")]) {
    const ended = await startCommand.fails(t, [], {
      DATABASE_URL: env.DATABASE_URL,
      ...(key === undefined ? {} : { DATARUN_ROOT_KEY: key }),
    });
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, /DATARUN_ROOT_KEY/);
  }
});
