import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { makeRun, runOnce, startLedger } from "../../src/ledger/ledger.kit.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import { until } from "../rig/until.ts";
import { startCommand, type DataReply } from "../rig/command.ts";
import { command, verb } from "./operator-verb.ts";
import { project } from "./project-folder.ts";

const SOURCE = `export default { id: "acme__keyed", title: "T", inputs: {},
  credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
  run: ({ credentials }) => ({ length: credentials.api_key.length }) };`;

test("a deployment goes over to PostgreSQL with its tokens, credentials and ledger, once its service has stopped", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const folder = mkdtempSync(join(tmpdir(), "datarun-copied-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const before = { DATARUN_DATA_DIR: dataDir, DATARUN_PROJECT: project(t, { "sources/keyed.mjs": SOURCE }) };
  const org = verb(before, "org", "create", "Acme")["organization_tuid"]!;
  const token = verb(before, "token", "create", "--org", org)["access_token"]!;
  const workflow = verb(before, "workflow", "create", "--org", org)["workflow"]!;
  verb(before, "credential", "create", "--org", org, "--source", "acme__keyed", "--set", "api_key=four", "--default");
  /** Its first calls may be refused: a busy machine's database does not always answer within half a second. */
  const runUntilItWorks = async (url: string) => {
    const ids: string[] = [];
    await until(async () => {
      const { id, outputs } = await run(url);
      // A refused request is no run.
      if (outputs !== undefined) ids.push(id);
      return isDeepStrictEqual(outputs, { acme__keyed: { length: 4 } });
    });
    return ids;
  };
  const run = async (url: string) => {
    const reply = await fetch(`${url}/data`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-access-token": token, "x-service-workflow": workflow },
      body: JSON.stringify({ config: { sources: { acme__keyed: true } } }),
    });
    const { outputs, transaction_id: id } = (await reply.json()) as DataReply & { transaction_id: string };
    return { id, outputs };
  };
  const embedded = await startCommand(t, [], before);
  const embeddedRuns = await runUntilItWorks(embedded.url);

  const after = {
    ...before,
    DATABASE_URL: database.url("postgres"),
    DATARUN_ROOT_KEY: readFileSync(join(dataDir, "root-1.key"), "utf8").trim(),
  };
  const running = command(after, "store", "copy");
  assert.equal(running.code, 1);
  assert.match(running.stderr, /A service runs on this data directory\. Stop it first/);
  embedded.signal("SIGTERM");
  assert.equal((await embedded.ended).code, 0);
  const keyless = command({ ...after, DATARUN_ROOT_KEY: randomBytes(32).toString("base64") }, "store", "copy");
  assert.equal(keyless.code, 1);
  assert.match(keyless.stderr, /DATARUN_ROOT_KEY does not hold the root key/);
  assert.equal(command(after, "org", "list").code, 1, "a refused copy has left nothing");

  const copied = verb<Record<string, number>>(after, "store", "copy");
  assert.deepEqual(copied, {
    organizations: 1,
    tokens: 1,
    workflows: 1,
    data_keys: 1,
    credentials: 1,
    credential_prices: 0,
    credential_calls: 0,
    budgets: 0,
    budget_leases: 0,
    operators: 0,
    audit: 4,
    versions: copied["versions"],
    shadow_results: 0,
    state_keys: 0,
    reply_shapes: 0,
    ledger_runs: embeddedRuns.length,
  });
  const again = command(after, "store", "copy");
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /The database is not empty/);

  const replicas = [
    await startCommand(t, [], after),
    await startCommand(t, [], { ...after, DATARUN_DATA_DIR: join(folder, "second") }),
  ];
  const firstRuns = await runUntilItWorks(replicas[0]!.url);
  const secondRuns = await runUntilItWorks(replicas[1]!.url);
  const sound = { without_checksum: 0, damaged: 0, missing: 0, findings: [], structure: [], cannot_be_read: null };
  const verified = () => verb<{ ledgers: readonly { ok: number }[] }>(after, "ledger", "verify").ledgers;
  // A run reaches the journal, and from there the shared ledger, a moment after its answer.
  const here = embeddedRuns.length + firstRuns.length;
  await until(() => verified()[0]!.ok === here + secondRuns.length);
  const ledgers = verified();
  assert.deepEqual(ledgers, [
    { place: "shared", ok: here + secondRuns.length, ...sound },
    { place: "journal", ok: here, ...sound },
  ]);
  const { runs } = verb<{ runs: { transaction_id: string }[] }>(after, "ledger", "list", "--org", org);
  const listed = new Set(runs.map(({ transaction_id: id }) => id));
  assert.ok(
    embeddedRuns.every((id) => listed.has(id)),
    "what was recorded before is there",
  );
});

test("a copy leaves the embedded ledger as it was, for a return to it and for a copy to another database", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const folder = mkdtempSync(join(tmpdir(), "datarun-copied-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const before = { DATARUN_DATA_DIR: dataDir };
  verb(before, "org", "create", "Acme");
  const { ledger } = await startLedger(t, { directory: join(dataDir, "ledger") });
  // A journal that is an outbox deletes what was sent and is older than a day.
  const old = makeRun({ startedWallAt: Date.now() - 10 * 24 * 60 * 60 * 1_000 });
  await runOnce(ledger, old);
  await ledger.close();
  const ids = (env: object) =>
    verb<{ runs: { transaction_id: string }[] }>({ ...before, ...env }, "ledger", "list").runs.map(
      (run) => run.transaction_id,
    );
  const copyTo = (name: string) => {
    const there = {
      DATABASE_URL: database.url(name),
      DATARUN_ROOT_KEY: readFileSync(join(dataDir, "root-1.key"), "utf8").trim(),
    };
    assert.equal(verb<Record<string, number>>({ ...before, ...there }, "store", "copy")["ledger_runs"], 1);
    assert.deepEqual(ids(there), [old.transactionId]);
    const listed = command({ ...before, ...there }, "ledger", "list");
    assert.equal(listed.stderr, "", "nothing is said to be missing there");
  };

  copyTo("postgres");
  assert.deepEqual(ids({}), [old.transactionId], "it is still here");
  verb(before, "ledger", "reconcile", old.transactionId, "--call", "0", "--charged", "no", "--note", "not billed");

  const client = new Client({ connectionString: database.url("postgres") });
  await client.connect();
  await client.query("create database another");
  await client.end();
  copyTo("another");
  const there = {
    ...before,
    DATABASE_URL: database.url("another"),
    DATARUN_ROOT_KEY: readFileSync(join(dataDir, "root-1.key"), "utf8").trim(),
  };
  const [day] = new Date().toISOString().split("T") as [string];
  assert.equal(verb<{ deleted: number }>(there, "ledger", "prune", "--before", day).deleted, 1);
  assert.equal(verb<{ sent: number }>(there, "ledger", "drain").sent, 1);
  assert.deepEqual(ids(there), [], "sending it once more changes nothing, and what was deleted there stays deleted");
});
