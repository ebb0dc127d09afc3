import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import pg from "pg";
import { createLedger } from "../../src/ledger/ledger.ts";
import { makeRun, runOnce } from "../../src/ledger/ledger.kit.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newDatabase } from "../postgres/shared-postgres.ts";
import { until } from "../rig/until.ts";
import { startCommand, type CommandService } from "../rig/command.ts";
import { command, verb, type Environment } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";

interface Caller {
  readonly org: string;
  readonly token: string;
  readonly workflow: string;
}

/** A database with two organizations that has been migrated, and a project whose one vendor answers or does not. */
async function sharedDeployment(t: TestContext) {
  const hanging: ServerResponse[] = [];
  const vendor = createServer((request, response) => {
    if (request.url === "/answers") response.setHeader("content-type", "application/json").end("{}");
    else hanging.push(response);
  });
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  t.after(() => vendor.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  const source = (name: string) => `export default {
    id: "vendor__${name}", title: "${name}", inputs: { type: "object" }, origins: ["${origin}"],
    run: ({ http }) => http.get("${origin}/${name}"),
  };`;
  const folder = project(t, { "sources/answers.mjs": source("answers"), "sources/hangs.mjs": source("hangs") });
  const env = {
    DATABASE_URL: await newDatabase(t),
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    DATARUN_PROJECT: folder,
  };
  const makeCaller = (name: string): Caller => {
    const org = verb(env, "org", "create", name)["organization_tuid"]!;
    const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
    return { org, workflow, token: verb(env, "token", "create", "--org", org)["access_token"]! };
  };
  return { env, hanging, a: makeCaller("A"), b: makeCaller("B") };
}

function newDataDir(t: TestContext, env: Environment): Environment {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-replica-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return { ...env, DATARUN_DATA_DIR: dataDir };
}

async function run(service: CommandService, { token, workflow }: Caller, ...sources: string[]): Promise<string> {
  let transactionId: string | undefined;
  await until(async () => {
    const reply = await fetch(`${service.url}/data`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-access-token": token, "x-service-workflow": workflow },
      body: JSON.stringify({ config: { sources: Object.fromEntries(sources.map((id) => [id, true])) }, inputs: {} }),
    });
    const answer = (await reply.json()) as { transaction_id?: string; error?: { code: string } };
    // A database on a busy machine may not find a new token within the 500 ms of a request. Nothing has run then.
    if (reply.status === 500 && answer.error?.code === "unavailable") return false;
    assert.equal(reply.status, 200, JSON.stringify(answer));
    transactionId = answer.transaction_id;
    return true;
  });
  return transactionId!;
}

interface Listed {
  readonly runs: readonly { readonly transaction_id: string; readonly organization_tuid: string }[];
}

interface Unknown {
  readonly requests: readonly {
    readonly transaction_id: string;
    readonly source: string;
    readonly organization_tuid: string;
  }[];
}

function list(env: Environment, ...args: string[]): string[] {
  return verb<Listed>(env, "ledger", "list", ...args).runs.map((one) => one.transaction_id);
}

function unknownOf(env: Environment, { org }: Caller): string[] {
  const { requests } = verb<Unknown>(env, "ledger", "unknown");
  return requests.filter((one) => one.organization_tuid === org).map((one) => one.transaction_id);
}

/** Kills a replica with `kill -9` while a vendor that does not answer has a request of this caller's. */
async function killUnderWay(service: CommandService, caller: Caller, hanging: ServerResponse[]): Promise<void> {
  const before = hanging.length;
  const broken = assert.rejects(run(service, caller, "vendor__hangs"));
  await until(() => hanging.length > before);
  service.signal("SIGKILL");
  await service.ended;
  await broken;
}

test("two replicas have one ledger: every run, of a replica that was killed and of one that never comes back", async (t) => {
  const { env, hanging, a, b } = await sharedDeployment(t);
  const environments = [newDataDir(t, env), newDataDir(t, env)] as const;
  const [first, second] = await Promise.all(environments.map((each) => startCommand(t, [], each)));

  const strange = "nul\u0000 and half \ud800";
  const ofA = await run(first!, a, "vendor__answers", strange);
  const ofB = await run(second!, b, "vendor__answers");
  await until(() => list(env).length === 2);
  assert.deepEqual(list(env, "--org", a.org), [ofA]);
  assert.deepEqual(list(env, "--org", b.org), [ofB]);
  const shown = verb<{ run: { unknown_source_names: string }; calls: { source: string }[]; timeline: string }>(
    env,
    "ledger",
    "show",
    ofA,
  );
  assert.deepEqual(
    shown.calls.map(({ source }) => source),
    ["vendor__answers"],
  );
  assert.deepEqual(JSON.parse(shown.run.unknown_source_names), ["nul\\u0000 and half \\ud800"]);
  assert.match(shown.timeline, /vendor__answers/);

  await killUnderWay(first!, a, hanging);
  assert.deepEqual(unknownOf(env, a), [], "only its own disk knows yet");
  const again = await startCommand(t, [], environments[0]);
  await until(() => unknownOf(env, a).length === 1);
  const [killed] = unknownOf(env, a);
  verb(env, "ledger", "reconcile", killed!, "--call", "0", "--charged", "no", "--note", "not on invoice 7");
  assert.deepEqual(unknownOf(env, a), []);

  await killUnderWay(second!, b, hanging);
  const drained = verb<{ sent: number }>(environments[1], "ledger", "drain");
  assert.deepEqual(drained, { sent: 1 });
  assert.equal(unknownOf(env, b).length, 1);
  assert.deepEqual(verb<{ sent: number }>(environments[1], "ledger", "drain"), { sent: 0 });
  const refused = command(environments[0], "ledger", "drain");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /another service or a command keeps its ledger/);

  again.signal("SIGKILL");
  await again.ended;
  const restarted = await startCommand(t, [], environments[0]);
  const last = await run(restarted, a, "vendor__answers");
  await until(() => list(env).includes(last));
  const settled = verb<{ calls: { charged: string }[]; reconciliations: object[] }>(env, "ledger", "show", killed!);
  assert.deepEqual([settled.calls[0]?.charged, settled.reconciliations.length], ["no", 1]);
  assert.equal(list(env).length, 5);
});

test("a machine says how many of its runs the shared ledger does not have yet", async (t) => {
  const env = newDataDir(t, {
    DATABASE_URL: await newDatabase(t),
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
  });
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const dir = join(env["DATARUN_DATA_DIR"]!, "ledger");
  const ledger = createLedger({ dir, clock: systemClock, log: quiet, limits: { reserveBytes: 1 } });
  await ledger.ready;
  const runs = [makeRun(), makeRun()];
  for (const each of runs) await runOnce(ledger, each);
  await ledger.close();

  for (const asked of ["list", "drain"])
    assert.match(command(env, "ledger", asked).stderr, /^There is no store in the schema "public" of the database/);
  // A data directory with runs makes no store.
  verb(newDataDir(t, env), "org", "create", "Acme");
  assert.match(command(env, "ledger", "list").stderr, /2 runs of this machine have not reached/);
  assert.deepEqual(verb(env, "ledger", "drain"), { sent: 2 });
  const listed = command(env, "ledger", "list", "--json");
  assert.equal(listed.stderr, "");
  assert.equal((JSON.parse(listed.stdout) as Listed).runs.length, runs.length);
  const embedded = command({ DATARUN_DATA_DIR: env["DATARUN_DATA_DIR"]! }, "ledger", "drain");
  assert.match(embedded.stderr, /DATABASE_URL is not set/);
});

test("ledger verify looks at the shared ledger and at this machine's journal, and says which has what", async (t) => {
  const env = newDataDir(t, {
    DATABASE_URL: await newDatabase(t),
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
  });
  verb(env, "org", "create", "Acme");
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const dir = join(env["DATARUN_DATA_DIR"]!, "ledger");
  const ledger = createLedger({ dir, clock: systemClock, log: quiet, limits: { reserveBytes: 1 } });
  await ledger.ready;
  for (const each of [makeRun(), makeRun()]) await runOnce(ledger, each);
  await ledger.close();
  verb(env, "ledger", "drain");
  assert.equal(
    command(env, "ledger", "verify").stdout,
    "the shared ledger:\nok 2 runs\n\nthis machine's journal:\nok 2 runs\n",
  );

  const [transactionId] = list(env);
  const client = new pg.Client(env["DATABASE_URL"]);
  await client.connect();
  for (const table of ["ledger_runs", "ledger_calls", "ledger_attempts"])
    await client.query(`DELETE FROM ${table} WHERE transaction_id = $1`, [transactionId]);
  await client.end();
  const path = join(dir, "journal.db");
  const journal = new DatabaseSync(path);
  journal.exec(`UPDATE runs SET took_ms = took_ms + 64 WHERE transaction_id = '${transactionId}'`);
  journal.close();
  const wrong = command(env, "ledger", "verify");
  assert.equal(wrong.code, 1);
  assert.equal(
    wrong.stdout,
    `the shared ledger:
a run  missing: it is gone without having been deleted
the database: runs that are gone and have left nothing: 1, of those whose ids begin with ${transactionId!.slice(0, 10)}
0 damaged, 1 missing
ok 1 run

this machine's journal:
${transactionId}  altered: its rows are not what was written
1 damaged, 0 missing
ok 1 run
`,
  );

  writeFileSync(path, "not a database, by the look of it ".repeat(200));
  const gone = command(env, "ledger", "verify");
  assert.equal(gone.code, 1);
  assert.match(
    gone.stdout,
    /^the shared ledger:\n[^]*ok 1 run\n\nthis machine's journal:\nThe journal in .* is damaged, and nothing of it can be read/,
  );
});
