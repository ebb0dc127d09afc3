import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { startCommand, type CommandService } from "../rig/command.ts";
import { until } from "../rig/until.ts";
import { verb } from "../start/operator-verb.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { vendorProject } from "./vendor-project.ts";

const LOOK_MS = 50;
const EVERY_MS = 5;

/** A load balancer: requests go in turn to replicas that say that they are ready, on kept connections, and never twice. */
async function balance(t: TestContext, replicas: ReadonlySet<CommandService>) {
  const ready = new Set<CommandService>();
  const agent = new http.Agent({ keepAlive: true });
  let turn = 0;
  const server = http.createServer((request, response) => {
    const [...choices] = ready;
    const replica = choices[(turn += 1) % choices.length];
    const fail = () => void response.writeHead(502).end();
    if (replica === undefined) return fail();
    const { method, headers } = request;
    const passed = http.request(`${replica.url}${request.url}`, { agent, method, headers }, (answer) => {
      // A connection of one side is not the other's.
      const { connection: _own, ...others } = answer.headers;
      response.writeHead(answer.statusCode!, others);
      answer.pipe(response);
    });
    passed.on("error", fail);
    request.pipe(passed);
  });
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      for (const replica of ready) if (!replicas.has(replica)) ready.delete(replica);
      for (const replica of replicas) {
        const isReady = await fetch(`${replica.adminUrl}/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isReady) ready.add(replica);
        else ready.delete(replica);
      }
      await sleep(LOOK_MS);
    }
  })();
  // Otherwise it would close idle connections while the caller sends on them.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    isOver = true;
    await looking;
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ready };
}

test("a rolling restart of two replicas behind a load balancer fails no request", async (t) => {
  const vendor = await startVendor(t);
  const env = {
    DATABASE_URL: await newStoreDatabase(t),
    DATARUN_ROOT_KEY: randomBytes(32).toString("base64"),
    DATARUN_PROJECT: vendorProject(t, vendor, { quick: "/json" }),
    DATARUN_LIMITS_DRAIN_MS: "2000",
  };
  const org = verb(env, "org", "create", "A")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const token = verb(env, "token", "create", "--org", org)["access_token"]!;
  const replicas = new Set<CommandService>();
  const { url, ready } = await balance(t, replicas);
  for (let at = 0; at < 2; at += 1) replicas.add(await startCommand(t, [], env));
  await until(() => ready.size === 2);

  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
  t.after(() => agent.destroy());
  const body = JSON.stringify({ config: { sources: { acme__quick: true } }, inputs: {} });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-service-access-token": token,
    "x-service-workflow": workflow,
  };
  const outcomes = new Map<number | string, number>();
  const count = (outcome: number | string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  let [open, isOver] = [0, false];
  const load = (async () => {
    while (!isOver) {
      open += 1;
      http
        .request(`${url}/data`, { agent, method: "POST", headers }, (response) => {
          count(response.statusCode!);
          response.resume();
        })
        .on("error", ({ message }) => count(message))
        .on("close", () => (open -= 1))
        .end(body);
      await sleep(EVERY_MS);
    }
  })();
  const answered = () => outcomes.get(200) ?? 0;
  for (const old of Array.from(replicas)) {
    const before = answered();
    await until(() => answered() > before + 50);
    old.signal("SIGTERM");
    assert.equal((await old.ended).code, 0);
    replicas.delete(old);
    replicas.add(await startCommand(t, [], env));
    await until(() => ready.size === 2);
  }
  const before = answered();
  await until(() => answered() > before + 50);
  isOver = true;
  await load;
  await until(() => open === 0);
  assert.deepEqual([...outcomes.keys()], [200], JSON.stringify([...outcomes]));
  assert.equal(vendor.count(), answered());
});
