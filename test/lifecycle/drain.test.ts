import assert from "node:assert/strict";
import { connect } from "node:net";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { startMock } from "../../src/composition/mock-service.ts";
import { createLog } from "../../src/operate/log.ts";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { stopUnderLoad } from "./stops.ts";
import { vendorProject } from "./vendor-project.ts";

const DRAIN_MS = 600_000;

async function statusOf(url: string, agent?: http.Agent): Promise<{ status: number; connection: string | undefined }> {
  const request = http.get(url, agent === undefined ? {} : { agent });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.resume();
  await once(response, "end");
  return { status: response.statusCode!, connection: response.headers.connection };
}

test("while it drains, a service says that it is not ready, accepts runs and closes connections, and ends when its clients have gone", async (t) => {
  const vendor = await startVendor(t);
  const deployment = await deploy(t, {
    project: vendorProject(t, vendor, { quick: "/json" }),
    env: { DATARUN_LIMITS_DRAIN_MS: String(DRAIN_MS), DATARUN_LIMITS_SHUTDOWN_GRACE_MS: String(DRAIN_MS) },
  });
  const service = await deployment.start();
  const ready = `${service.adminUrl}/ready`;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  assert.equal((await statusOf(ready, agent)).connection, "keep-alive");
  assert.equal((await service.run({ acme__quick: true })).headers["connection"], "keep-alive");
  // A connection on which nothing is asked, such as one that a load balancer keeps.
  const kept = connect(Number(new URL(service.url).port), "127.0.0.1");
  await once(kept, "connect");

  service.signal("SIGTERM");
  await until(async () => (await statusOf(ready)).status === 503);
  assert.deepEqual(await statusOf(ready, agent), { status: 503, connection: "close" }, "on the connection from before");
  for (let at = 0; at < 3; at += 1) {
    const reply = await service.run({ acme__quick: true });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.json().status["acme__quick"].success, true);
    assert.equal(reply.headers["connection"], "close");
  }
  kept.destroy();
  const { code } = await service.ended;
  assert.equal(code, 0);
  assert.equal(vendor.count(), 4);
  assert.equal(deployment.ledger().length, 4);
});

test("a service without clients stops at once", async (t) => {
  const vendor = await startVendor(t);
  const deployment = await deploy(t, {
    project: vendorProject(t, vendor, { quick: "/json" }),
    env: { DATARUN_LIMITS_DRAIN_MS: String(DRAIN_MS), DATARUN_LIMITS_SHUTDOWN_GRACE_MS: String(DRAIN_MS) },
  });
  const service = await deployment.start();
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
});

test("the mock drains too", async (t) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const mock = await startMock({
    host: "127.0.0.1",
    port: 0,
    adminPort: 0,
    project: undefined,
    token: "drt_mock",
    workflow: "wfl_mock",
    failureDetails: true,
    set: [],
    timeoutMs: undefined,
    log: createLog("error", { write: (line) => assert.fail(line) }),
  });
  assert.deepEqual(await statusOf(`${mock.url}/status`, agent), { status: 200, connection: "keep-alive" });
  const closed = mock.close();
  assert.deepEqual(await statusOf(`${mock.url}/status`, agent), { status: 200, connection: "close" });
  await closed;
});

test("a stop under load loses no request of a client that keeps its connections", async (t) => {
  const counts = await stopUnderLoad(t, 2);
  assert.equal(counts.lost, 0, JSON.stringify(counts));
  assert.ok(counts.answered > 120);
});
