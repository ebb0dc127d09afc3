import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf } from "../rig/error-of.ts";
import { startService } from "../rig/service.ts";

const service = await startService({ after });

test("what is not HTTP is 400, in JSON and with the headers of every response", async () => {
  const texts = [
    "GARBAGE\r\n\r\n",
    "GET\r\n\r\n",
    "GET /status\r\n\r\n",
    "POST /data\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}",
    "GET /status HTTP/1.1 x\r\nHost: test\r\n\r\n",
    "GET /status HTTP/9.9\r\nHost: test\r\n\r\n",
    "GET /status HTTP/2.0\r\nHost: test\r\n\r\n",
    "GET /status HTTQ/1.1\r\nHost: test\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET /st\0atus HTTP/1.1\r\nHost: test\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\nBad Name: x\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\nNo-Colon\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\n: empty\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\nX: a\0b\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\nX: a\u0001b\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost: test\r\nX: a\rb\r\n\r\n",
    "GET /status HTTP/1.1\r\nHost : test\r\n\r\n",
    "GET /status HTTP/1.1\r\n\r\n",
    "GET /status HTTP/1.1\r\n Host: test\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "\0\0\0\0\0\0\0\0\r\n\r\n",
    "{}\r\n\r\n",
  ];
  for (const text of texts) {
    const { replies, closed } = await service.raw([Buffer.from(text, "latin1")]);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [400],
      JSON.stringify(text),
    );
    assert.deepEqual(errorOf(replies[0]!), { code: "bad_http", message: "The request is not valid HTTP." });
    assert.ok(closed);
  }
});

test("a header block over the limit is 431", async () => {
  const fields = [
    `X: ${"x".repeat(17_000)}\r\n`,
    `${"x".repeat(17_000)}: x\r\n`,
    Array.from({ length: 80 }, (_, index) => `X-${index}: ${"y".repeat(300)}\r\n`).join(""),
  ];
  for (const field of fields) {
    const { replies, closed } = await service.raw([`GET /status HTTP/1.1\r\nHost: test\r\n${field}\r\n`]);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [431],
    );
    assert.equal(JSON.parse(replies[0]!.text).error.code, "headers_too_large");
    assert.ok(closed);
  }
});

test("a request target over the limit is refused", async () => {
  const { replies } = await service.raw([`GET /status?${"x".repeat(17_000)} HTTP/1.1\r\nHost: test\r\n\r\n`]);
  assert.ok([414, 431].includes(replies[0]!.statusCode));
});

test("header fields are counted: one over the limit is 431, none is dropped silently", async () => {
  const request = (count: number) =>
    `GET /status HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${Array.from({ length: count - 2 }, (_, index) => `X-${index}: y\r\n`).join("")}\r\n`;
  const statuses = async (count: number) =>
    (await service.raw([request(count)])).replies.map(({ statusCode }) => statusCode);
  assert.deepEqual(await statuses(100), [200]);
  assert.deepEqual(await statuses(101), [431]);
  assert.deepEqual(await statuses(500), [431]);
});

test("header fields named like what objects inherit are fields like any other", async () => {
  const fields = "__proto__: x\r\nconstructor: y\r\ntoString: z\r\nhasOwnProperty: 1\r\n__proto__: again\r\n";
  const { replies } = await service.raw([`GET /status HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${fields}\r\n`]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
});

test("a connection that sends nothing, or resets, has no effect on others", async () => {
  await service.raw([(socket) => socket.end()]);
  await service.raw(["POST /da", (socket) => socket.resetAndDestroy()]);
  await service.raw([`${service.rawHead("/data")}Content-Length: 10\r\n\r\n{`, (socket) => socket.resetAndDestroy()]);
  assert.equal((await service.send("GET", "/status")).statusCode, 200);
});
