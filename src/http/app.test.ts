import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test, type TestContext } from "node:test";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { systemClock } from "../terms/time/clock.ts";
import { createApp, ROUTES, type AppParts } from "./app.ts";
import type { TokenGrant } from "../terms/caller.ts";
import { openApiDocument } from "./public-openapi.ts";
import type { RefusedRequest } from "./ports.ts";
import type { Route } from "./route.ts";
import { createPublicServer } from "./server.ts";

const LIMITS = {
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 10_000,
  writeTimeoutMs: 10_000,
  bodyBytesMax: 1_000_000,
  connectionsMax: 10,
};
const GRANT: TokenGrant = { tokenId: "tok_1", organizationId: "org_1" };
const WORKFLOW = {
  id: "wfl_1",
  organizationId: "org_1",
  disabled: false,
  autoCredentials: false,
  failureDetails: false,
  maskCredentials: false,
  simulated: false,
  versions: null,
};

/** A server whose token look-ups are answered by the test, and which counts the runs that it starts. */
async function openServer(t: TestContext, changes: Partial<AppParts> = {}, routes?: readonly Route[]) {
  const asked: (() => void)[] = [];
  let started = 0;
  const start = () => {
    started += 1;
    return { transactionId: "trx_1", answer: Promise.resolve([Buffer.from("{}")]), clientGone: () => {} };
  };
  const parts: AppParts = {
    authenticator: {
      resolveToken: () => new Promise((resolve) => asked.push(() => resolve(GRANT))),
      resolveCaller: async () => ({ ...GRANT, workflow: WORKFLOW }),
    },
    bodyBytesMax: 1_000_000,
    offers: { startData: start, startFunction: start, deployment: { gitSha: "unknown", gitDerivedVersion: "unknown" } },
    overloadStatus: 500,
    requestMemoryBytesMax: 1_000_000,
    budget: new ByteBudget(10_000_000),
    clock: systemClock,
    newRequestId: () => "req_1",
    observer: { refused: () => {}, dropped: () => {} },
    isStopping: () => false,
    ...changes,
  };
  const server = createPublicServer(createApp(parts, routes), LIMITS, parts.observer, parts.newRequestId);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { server, asked, started: () => started, port: (server.address() as AddressInfo).port };
}

const BODY = `{"access_token":"t","workflow":"w","config":{"sources":{"acme__people":true}}}`;
const REQUEST = `POST /data HTTP/1.1\r\nHost: t\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

test("a client that hangs up while its token is looked up starts nothing", async (t) => {
  const { server, asked, started, port } = await openServer(t);
  const arrived = once(server, "request");
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write(REQUEST);
  const [, response] = (await arrived) as [unknown, NodeJS.EventEmitter];
  while (asked.length === 0) await new Promise(setImmediate);
  socket.resetAndDestroy();
  await once(response, "close");
  for (const answer of asked) answer();
  await new Promise(setImmediate);
  assert.equal(started(), 0);
});

test("a connection without input is closed when listening ends, not when its timeout passes", async (t) => {
  const { server, port } = await openServer(t);
  let received = "";
  const closed = [];
  for (let count = 0; count < 3; count += 1) {
    const accepted = once(server, "connection");
    const socket = connect(port, "127.0.0.1").on("data", (bytes) => (received += bytes.toString()));
    closed.push(once(socket, "close"));
    await accepted;
  }
  await server.stopListening().closed;
  await Promise.all(closed);
  assert.equal(received, "", "no timeout had to answer it");
});

test("an endpoint is one value: it is served, `Allow` lists its methods, and the contract describes it", async (t) => {
  const Region = { type: "object", properties: { region: { type: "string" } } };
  const region: Route = {
    method: "GET",
    path: "/region",
    operationId: "region",
    summary: "Where it runs",
    description: "Needs no authentication.",
    answers: { description: "The region.", schemas: { Region } },
    examples: { europe: { summary: "In Europe", answer: { region: "eu" } } },
    makeBody: () => `{"region":"eu"}`,
  };
  const { port } = await openServer(t, {}, [...ROUTES, region]);
  const url = `http://127.0.0.1:${port}/region`;

  assert.deepEqual(await (await fetch(url)).json(), { region: "eu" });
  const refused = await fetch(url, { method: "POST" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
  const contract = openApiDocument([...ROUTES, region]) as {
    readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
    readonly components: { readonly schemas: Record<string, object> };
  };
  assert.equal(contract.paths["/region"]?.["get"]?.operationId, "region");
  assert.deepEqual(contract.components.schemas["Region"], Region);
});

test("an error after a run has started has the id of the run", async (t) => {
  const refused: RefusedRequest[] = [];
  const start = () => ({
    transactionId: "trx_7",
    answer: Promise.reject(new Error("the answer failed")),
    clientGone: () => {},
  });
  const { port } = await openServer(t, {
    authenticator: { resolveToken: async () => GRANT, resolveCaller: async () => ({ ...GRANT, workflow: WORKFLOW }) },
    offers: { startData: start, startFunction: start, deployment: { gitSha: "unknown", gitDerivedVersion: "unknown" } },
    observer: { refused: (request) => refused.push(request), dropped: () => {} },
  });
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(`http://127.0.0.1:${port}/data`, { method: "POST", headers, body: BODY });
  assert.deepEqual([reply.status, reply.headers.get("x-request-id")], [500, "trx_7"]);
  assert.equal(((await reply.json()) as { error: { request_id: string } }).error.request_id, "trx_7");
  assert.deepEqual(
    refused.map(({ requestId, path }) => [requestId, path]),
    [["trx_7", "/data"]],
  );
});
