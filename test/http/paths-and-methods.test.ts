import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { errorOf } from "../rig/error-of.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

let ran = 0;
const service = await startService({ after }, { sources: [source("acme__counter", () => ({ ran: ++ran }))] });
const RUN = JSON.stringify({ config: { sources: { acme__counter: true } } });
const { a } = service;

test("any other path is 404, however much it resembles one of the three, and is never a run", async () => {
  const paths = [
    "/",
    "/data/",
    "//data",
    "/DATA",
    "/Data",
    "/data/x",
    "/data%2f",
    "/%64ata",
    "/data;x=1",
    "/./data",
    "/x/../data",
    "/data.json",
    "/data%00",
    "/v1/data",
    "/func/",
    "/status/",
    "/Status",
    "/metrics",
    "/live",
    "/ready",
    "/favicon.ico",
    "/openapi.json",
    "/.env",
    "/%",
    "/%zz",
    "/data%20",
    "/__proto__",
    "/constructor",
    "/toString",
  ];
  for (const path of paths) {
    for (const method of ["POST", "GET"]) {
      const reply = await service.send(method, path, { as: a, body: method === "POST" ? RUN : undefined });
      assert.equal(reply.statusCode, 404, path);
      assert.deepEqual(errorOf(reply), { code: "not_found", message: "There is nothing at this path." });
    }
  }
  assert.equal(ran, 0);
});

test("a request target that is no plain path is never a run", async () => {
  const targets = [
    `${service.url}/data`,
    "http://other.example/data",
    "data",
    "*",
    "?",
    "/?/data",
    "\\data",
    "/data#x",
  ];
  for (const target of targets) {
    const head = service.rawHead("/data").replace(" /data ", ` ${target} `);
    const { replies } = await service.raw([`${head}Connection: close\r\nContent-Length: ${RUN.length}\r\n\r\n${RUN}`]);
    assert.ok(replies.length === 1 && [400, 404].includes(replies[0]!.statusCode), target);
  }
  assert.equal(ran, 0);
});

test("any other method is 405 and says which ones there are", async () => {
  for (const [path, allowed] of [
    ["/data", "POST"],
    ["/func", "POST"],
    ["/status", "GET, HEAD"],
  ] as const) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]) {
      if (allowed.split(", ").includes(method)) continue;
      const reply = await service.send(method, path, { as: a });
      assert.equal(reply.statusCode, 405, `${method} ${path}`);
      assert.equal(reply.headers["allow"], allowed);
      if (method !== "HEAD") assert.equal(reply.json().error.code, "method_not_allowed");
    }
  }
  assert.equal(ran, 0);
});

test("a method that HTTP does not know, or in lower case, is refused", async () => {
  for (const method of ["post", "RUN", "POST\t", "P", "G E T"]) {
    const head = service.rawHead("/data").replace("POST", method);
    const { replies } = await service.raw([`${head}Connection: close\r\nContent-Length: ${RUN.length}\r\n\r\n${RUN}`]);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [400],
      method,
    );
  }
  assert.equal(ran, 0);
});

test("the service cannot be called from browser code: a preflight gets no permission", async () => {
  const headers = {
    Origin: "https://shop.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "x-service-access-token",
  };
  for (const path of ["/data", "/func", "/status"]) {
    // That no Access-Control header is on any reply is checked with each of them.
    assert.equal((await service.send("OPTIONS", path, { headers })).statusCode, 405);
  }
  const simple = await service.post("/func", { config: {} }, { headers: { Origin: "https://shop.example" } });
  assert.equal(simple.statusCode, 200);
  assert.equal(simple.headers["vary"], undefined);
});

test("CONNECT is refused like any other method", async () => {
  const { replies, closed } = await service.raw(["CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n"]);
  assert.deepEqual(
    replies.map(({ statusCode, headers }) => [statusCode, headers["allow"]]),
    [[405, "GET, HEAD, POST"]],
  );
  assert.ok(closed);
});

test("a client that keeps its side of a CONNECT open, or resets it, cannot hold up the end of the service", async (t) => {
  const own = await startService(t);
  const { hostname, port } = new URL(own.url);
  const request = "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n";
  for (const keep of [true, false]) {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on("error", () => {});
    t.after(() => socket.destroy());
    socket.write(request);
    if (keep) await once(socket, "data");
    else socket.resetAndDestroy();
  }
  const closed = await Promise.race([own.close().then(() => true), setTimeout(15_000, false, { ref: false })]);
  assert.ok(closed, "the service has ended");
});

test("an upgrade is not taken up: the request is answered as it is", async () => {
  const upgrade = "Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n";
  const { replies } = await service.raw([`GET /status HTTP/1.1\r\nHost: test\r\n${upgrade}`]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
});

test("the query means nothing", async () => {
  const before = ran;
  const reply = await service.send("POST", "/data?sources=x&context=prod&__proto__=1", { as: a, body: RUN });
  assert.equal(reply.json().config.context, "dev");
  assert.equal(ran, before + 1);
});

test("HTTP/1.0 is answered, and the connection closed", async () => {
  const { replies, closed } = await service.raw(["GET /status HTTP/1.0\r\n\r\n"]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
  assert.ok(closed);
});
