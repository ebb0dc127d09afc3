import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { deploy, type Process } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { vendorProject } from "./vendor-project.ts";

const DELAY_MS = 10;
const EVERY_MS = 3;
/** Requests of kept connections before the stop, and answers that close their connection after it. */
const BEFORE = 60;

/** What became of the requests of a client. */
export interface Counts {
  answered: number;
  /** Sent on a connection that had been used before, and not answered. */
  lost: number;
  /** Sent on a new connection, and not answered. */
  refused: number;
}

/** A loopback port that passes all bytes on after a delay, in both directions. */
async function delayingProxy(t: TestContext, port: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (chunk: Buffer) => void setTimeout(() => to.write(chunk), DELAY_MS));
      from.on("end", () => void setTimeout(() => to.end(), DELAY_MS));
      from.on("error", () => to.destroy());
      from.on("close", () => void setTimeout(() => to.destroy(), DELAY_MS));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stops a service while a client with kept connections sends a request every few milliseconds. */
export async function stopUnderLoad(t: TestContext, stops: number): Promise<Counts> {
  const vendor = await startVendor(t);
  const deployment = await deploy(t, {
    project: vendorProject(t, vendor, { quick: "/json" }),
    env: { DATARUN_LIMITS_DRAIN_MS: "700" },
  });
  const counts: Counts = { answered: 0, lost: 0, refused: 0 };
  for (let at = 0; at < stops; at += 1) {
    const service = await deployment.start();
    const url = await delayingProxy(t, new URL(service.url).port);
    await stopOnce(service, url, deployment.access, counts);
  }
  assert.equal(deployment.ledger().length, vendor.count(), "each recorded run sent its one request");
  assert.equal(deployment.ledger().filter(({ run }) => run["state"] !== "ended").length, 0);
  return counts;
}

async function stopOnce(
  service: Process,
  url: string,
  access: { readonly token: string; readonly workflow: string },
  counts: Counts,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 40 });
  const body = JSON.stringify({ config: { sources: { acme__quick: true } }, inputs: {} });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-service-access-token": access.token,
    "x-service-workflow": access.workflow,
  };
  let [open, closing, hasEnded] = [0, 0, false];
  const ask = () => {
    open += 1;
    const request = http.request(`${url}/data`, { agent, method: "POST", headers }, (response) => {
      if (response.headers.connection === "close") closing += 1;
      response.resume().on("end", () => (counts.answered += 1));
    });
    request.on("close", () => (open -= 1));
    request.on("error", () => {
      if (request.reusedSocket) counts.lost += 1;
      else counts.refused += 1;
    });
    request.end(body);
  };
  const goOn = (async () => {
    while (!hasEnded) {
      ask();
      await sleep(EVERY_MS);
    }
  })();
  const before = counts.answered;
  await until(() => counts.answered >= before + BEFORE);
  service.signal("SIGTERM");
  const { code } = await service.ended;
  hasEnded = true;
  await goOn;
  await until(() => open === 0);
  agent.destroy();
  assert.equal(code, 0);
  assert.ok(closing > 0, "answers after the signal close their connection");
}
