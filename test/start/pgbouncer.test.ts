import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { findPgBouncer, startPgBouncer } from "../postgres/start-pgbouncer.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import { startCommand, type CommandService } from "../rig/command.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { verb } from "./operator-verb.ts";
import { project } from "./project-folder.ts";

const program = findPgBouncer();
const skip = program === undefined && "PgBouncer is not installed on this machine (Debian: pgbouncer)";

const CLIENTS = 8;
const RUNS = 400;
const LIMIT = 300;

async function deployment(t: TestContext) {
  const database = await startPostgres();
  t.after(() => database.stop());
  const pooler = await startPgBouncer(t, program!, database);
  return {
    database,
    pooler,
    env: { DATABASE_URL: pooler.url("postgres"), DATARUN_ROOT_KEY: randomBytes(32).toString("base64") },
  };
}

/** How many clients of the pooler are needed to see each of its sessions with the server. */
const SESSIONS = 20;

/** What sessions of the server have that another client of the pooler would get. */
async function leftInSessions(url: string): Promise<readonly string[]> {
  const clients = Array.from({ length: SESSIONS }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    // Each transaction keeps its session until all have one.
    await Promise.all(clients.map((client) => client.query("begin")));
    const found = await Promise.all(
      clients.map((client) =>
        client.query<{ left: string }>(`
          select name as left from pg_settings where source = 'session' and name not in ('client_encoding', 'application_name',
            'DateStyle', 'TimeZone', 'IntervalStyle', 'standard_conforming_strings')
          union all select 'listens to ' || pg_listening_channels()
          union all select 'lock ' || objid from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
          union all select 'statement ' || name from pg_prepared_statements`),
      ),
    );
    return found.flatMap(({ rows }) => rows.map(({ left }) => left));
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

test(
  "two replicas behind PgBouncer with pooling by transaction: runs, budgets and changes are right, and nothing is left in its sessions",
  { skip },
  async (t) => {
    const { pooler, database, env: given } = await deployment(t);
    const vendor = await startVendor(t);
    const folder = project(t, {
      "sources/people.mjs": `export default { id: "acme__people", title: "P", inputs: { type: "object" },
      origins: ["${vendor.origin}"], run: ({ http }) => http.get("${vendor.origin}/people") };`,
    });
    const env = { ...given, DATARUN_PROJECT: folder };
    const org = verb(env, "org", "create", "Acme")["organization_tuid"]!;
    const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
    const token = verb(env, "token", "create", "--org", org);
    verb(env, "budget", "set", "--org", org, "--per", "month", "--calls", String(LIMIT));
    const replicas = [await startCommand(t, [], env), await startCommand(t, [], env)];
    const post = async (service: CommandService): Promise<{ status: number; id: string; success: boolean }> => {
      const reply = await fetch(`${service.url}/data`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-service-access-token": token["access_token"]!,
          "x-service-workflow": workflow,
        },
        body: JSON.stringify({ config: { sources: { acme__people: true } } }),
      });
      const body = (await reply.json()) as { transaction_id: string; status?: Record<string, { success: boolean }> };
      const success = body.status?.["acme__people"]?.success === true;
      return { status: reply.status, id: body.transaction_id, success };
    };
    for (const replica of replicas) await until(async () => (await post(replica)).status === 200);

    const ids: string[] = [];
    let succeeded = vendor.count();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let at = client; at < RUNS; at += CLIENTS) {
          const { status, id, success } = await post(replicas[at % 2]!);
          assert.equal(status, 200);
          ids.push(id);
          if (success) succeeded += 1;
        }
      }),
    );
    const used = () => verb<{ budgets: { used: string }[] }>(env, "budget", "list", "--org", org).budgets[0]!.used;
    assert.ok(vendor.count() <= LIMIT, `${vendor.count()} requests in a budget of ${LIMIT}`);
    assert.equal(succeeded, vendor.count());
    await until(() => used() === `${succeeded} requests`);

    verb(env, "token", "revoke", token["token_id"]!);
    for (const replica of replicas) await until(async () => (await post(replica)).status === 401);

    const direct = new Client({ connectionString: database.url("postgres") });
    await direct.connect();
    await until(async () => {
      const arrived = await direct.query("select 1 from ledger_runs where transaction_id = any($1)", [ids]);
      return arrived.rows.length === ids.length;
    });
    await direct.end();
    const { ledgers } = verb<{ ledgers: readonly { damaged: number; missing: number }[] }>(env, "ledger", "verify");
    assert.deepEqual([ledgers[0]!.damaged, ledgers[0]!.missing], [0, 0]);
    assert.deepEqual(await leftInSessions(pooler.url("postgres")), []);
    for (const replica of replicas) {
      replica.signal("SIGTERM");
      assert.equal((await replica.ended).code, 0);
    }
    assert.doesNotMatch(pooler.log(), /unsupported/);
  },
);

test(
  "a parameter that PgBouncer refuses ends a start, and a server that is away behind it does not",
  { skip },
  async (t) => {
    const { env, database } = await deployment(t);
    const ended = await startCommand.fails(t, [], { ...env, DATABASE_URL: `${env.DATABASE_URL}&options=-cgeqo=off` });
    assert.equal(ended.code, 1);
    assert.match(
      ended.stderr,
      /The pooler at .+ refuses the parameter "options" \(08P01\): take it out of DATABASE_URL/,
    );

    verb(env, "org", "create", "Acme");
    await database.kill();
    const service = await startCommand(t, [], env);
    const isReady = async () => (await fetch(`${service.adminUrl}/ready`)).status === 200;
    assert.equal(await isReady(), false);
    await database.start();
    await until(isReady);
  },
);
