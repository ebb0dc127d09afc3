import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { startFaultyProxy } from "../postgres/faulty-proxy.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { startPostgres } from "../postgres/start-postgres.ts";
import { startCommand, type CommandService, type DataReply } from "../rig/command.ts";
import { until } from "../rig/until.ts";
import { verb } from "../start/operator-verb.ts";
import { project } from "../start/project-folder.ts";

const CALLS_MAX = 400;
const AT_ONCE_MAX = 3;
/** Nearly a year, so that no period ends during a test. */
const EVERY_MS = 30_000_000_000;

/** A vendor that counts: all calls of a path, and the most that were under way at once. */
async function countingVendor(t: TestContext) {
  const counts = new Map<string, { calls: number; now: number; most: number }>();
  const vendor = createServer((request, response) => {
    const count = counts.get(request.url!) ?? { calls: 0, now: 0, most: 0 };
    counts.set(request.url!, count);
    count.calls += 1;
    count.most = Math.max(count.most, (count.now += 1));
    response.once("close", () => (count.now -= 1));
    setTimeout(() => response.setHeader("content-type", "application/json").end("{}"), 5 + Math.random() * 30);
  });
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  t.after(() => vendor.close().closeAllConnections());
  const of = (path: string) => counts.get(path) ?? { calls: 0, now: 0, most: 0 };
  return { origin: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, of };
}

/** @param ofReplicas the address at which replicas reach the database */
async function sharedDeployment(t: TestContext, databaseUrl: string, ofReplicas = databaseUrl) {
  const vendor = await countingVendor(t);
  const source = (name: string, limits: string) => `export default {
    id: "vendor__${name}", title: "${name}", inputs: { type: "object" }, origins: ["${vendor.origin}"], limits: ${limits},
    run: ({ http }) => http.get("${vendor.origin}/${name}"),
  };`;
  const folder = project(t, {
    "sources/rated.mjs": source("rated", `{ rate: [{ per: "source", max: ${CALLS_MAX}, every_ms: ${EVERY_MS} }] }`),
    "sources/slots.mjs": source("slots", `{ concurrency: ${AT_ONCE_MAX} }`),
  });
  const env = {
    DATABASE_URL: databaseUrl,
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    DATARUN_PROJECT: folder,
  };
  const org = verb(env, "org", "create", "A")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const headers = {
    "content-type": "application/json",
    "x-service-access-token": token,
    "x-service-workflow": workflow,
  };
  const dataDirs = [0, 1].map(() => {
    const dataDir = mkdtempSync(join(tmpdir(), "datarun-replica-"));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    return dataDir;
  });
  return {
    vendor,
    start: (at: number) => startCommand(t, [], { ...env, DATABASE_URL: ofReplicas, DATARUN_DATA_DIR: dataDirs[at]! }),
    async ask(service: CommandService, ...names: string[]): Promise<DataReply["status"]> {
      const sources = Object.fromEntries(names.map((name) => [`vendor__${name}`, true]));
      const reply = await fetch(`${service.url}/data`, {
        method: "POST",
        headers,
        body: JSON.stringify({ config: { sources }, inputs: {} }),
      });
      return ((await reply.json()) as DataReply).status;
    },
  };
}

/** What each start of a replica has leased, in the order of the starts. */
async function leasesOf(databaseUrl: string, name: string): Promise<number[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ amount: string }>("select amount from leases where name = $1 order by lease", [
    name,
  ]);
  await client.end();
  return rows.map(({ amount }) => Number(amount));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

test("two replicas never exceed a source's limits together, however often one is killed under load", async (t) => {
  const databaseUrl = await newStoreDatabase(t);
  const { vendor, start, ask } = await sharedDeployment(t, databaseUrl);
  const replicas = await Promise.all([start(0), start(1)]);
  let over = false;
  // A test that fails must not go on asking.
  t.after(() => (over = true));
  const load = async (at: number): Promise<void> => {
    while (!over) {
      await ask(replicas[at]!, "rated", "slots").catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
    }
  };
  const clients = [0, 1].flatMap((at) => Array.from({ length: 6 }, () => load(at)));

  for (const at of [0, 1, 0]) {
    const before = vendor.of("/slots").calls;
    await until(() => vendor.of("/slots").calls > before + 20);
    const victim = replicas[at]!;
    victim.signal("SIGKILL");
    await victim.ended;
    replicas[at] = await start(at);
  }
  const before = vendor.of("/slots").calls;
  await until(() => vendor.of("/slots").calls > before + 60);
  over = true;
  await Promise.all(clients);

  assert.equal(vendor.of("/slots").most, AT_ONCE_MAX);
  while ((await ask(replicas[0]!, "rated"))["vendor__rated"]!.success);
  while ((await ask(replicas[1]!, "rated"))["vendor__rated"]!.success);
  const { calls } = vendor.of("/rated");
  const leases = await leasesOf(databaseUrl, "rate vendor__rated source 0");
  assert.equal(sum(leases), CALLS_MAX, "everything was leased");
  assert.ok(calls <= CALLS_MAX, `${calls} of ${CALLS_MAX}`);
  // The last start of each replica has used up its lease; of the others, less than all may have been used.
  assert.ok(calls >= sum(leases.slice(-2)), `${calls} of ${CALLS_MAX}`);
});

test("a replica that cannot reach the store uses up what it has leased, then refuses and says why", async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  const proxy = await startFaultyProxy(server.socket);
  t.after(() => proxy.close());
  const { vendor, start, ask } = await sharedDeployment(
    t,
    server.url("postgres"),
    `postgres://datarun@127.0.0.1:${proxy.port}/postgres`,
  );
  const service = await start(0);
  for (let calls = 0; calls < 20; calls += 1) assert.ok((await ask(service, "rated"))["vendor__rated"]!.success);

  proxy.turn("black hole");
  let message = "";
  while (message === "") {
    const { success, message: said } = (await ask(service, "rated"))["vendor__rated"]!;
    if (!success) message = said;
  }
  const { calls } = vendor.of("/rated");
  assert.match(message, /^Adapter error: what is left of this source's limits cannot be looked up now/);
  assert.ok(calls < CALLS_MAX);
  await ask(service, "rated");
  assert.equal(vendor.of("/rated").calls, calls, "nothing was sent");

  proxy.turn("fair");
  await until(async () => (await ask(service, "rated"))["vendor__rated"]!.success);
});
