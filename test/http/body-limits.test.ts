import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";

const MAX = 4096;
const settings = { "limits.body_bytes": MAX };
const service = await startService({ after }, { sources: [answers("acme__people", { name: "Ada" })], settings });
const PATHS = ["/data", "/func"] as const;

function bodyOf(bytes: number): string {
  const start = '{"config":{"sources":{"acme__people":true}},"inputs":{"filler":"';
  return `${start}${"x".repeat(bytes - start.length - 3)}"}}`;
}

function chunked(text: string, size: number): string {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`;
}

test("a body of exactly the limit is read, one byte more is 422", async () => {
  for (const path of PATHS) {
    for (const [bytes, status] of [
      [MAX - 1, 200],
      [MAX, 200],
      [MAX + 1, 422],
    ] as const) {
      assert.equal((await service.post(path, bodyOf(bytes))).statusCode, status, `${bytes} bytes`);
      const head = `${service.rawHead(path)}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const { replies } = await service.raw([head, chunked(bodyOf(bytes), 1000)]);
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode),
        [status],
        `${bytes} bytes in chunks`,
      );
    }
  }
});

test("a body announced as too large is refused before it is sent, and the connection closed", async () => {
  for (const path of PATHS) {
    for (const length of [String(MAX + 1), "1073741824", "9007199254740993"]) {
      const { replies, closed } = await service.raw([`${service.rawHead(path)}Content-Length: ${length}\r\n\r\n`]);
      assert.deepEqual(
        replies.map(({ statusCode, headers }) => [statusCode, headers.connection]),
        [[422, "close"]],
      );
      assert.ok(closed);
    }
  }
});

test("a client that sends a body before it reads gets the reason of the refusal", async () => {
  const body = "x".repeat(7 * MAX);
  for (const path of PATHS) {
    const unknown = `POST ${path} HTTP/1.1\r\nHost: test\r\nX-Service-Access-Token: unknown\r\n`;
    for (const [head, status] of [
      [service.rawHead(path), 422],
      [unknown, 401],
    ] as const) {
      const pieces = body.match(/[^]{1,4096}/g)!.flatMap((piece) => [piece, 20]);
      const { replies, closed } = await service.raw([
        (socket) => socket.pause(),
        `${head}Content-Length: ${body.length}\r\n\r\n`,
        ...pieces,
        (socket) => socket.resume(),
      ]);
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode),
        [status],
      );
      assert.ok(closed);
    }
  }
});

test("a refusal whose body has come whole closes the connection at once", async () => {
  const stranger = "X-Service-Access-Token: unknown\r\nConnection: close\r\n";
  const startedAt = performance.now();
  for (let count = 0; count < 40; count += 1) {
    const body = "x".repeat(count * 3_000);
    const head = `POST /data HTTP/1.1\r\nHost: test\r\n${stranger}Content-Length: ${body.length}\r\n\r\n`;
    const { replies, closed } = await service.raw(count % 2 === 0 ? [head + body] : [head, body]);
    assert.ok(closed);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [401],
    );
  }
  // Each that waited for more to come would wait half a second.
  assert.ok(performance.now() - startedAt < 10_000);
});

test("a body in chunks without end is cut off at the limit", async () => {
  for (const path of PATHS) {
    let sent = 0;
    const piece = `1000\r\n${"x".repeat(0x1000)}\r\n`;
    const pieces = Array.from({ length: 400 }, () => [piece, () => void (sent += piece.length), 1]).flat();
    const head = `${service.rawHead(path)}Transfer-Encoding: chunked\r\n\r\n`;
    const { replies, closed } = await service.raw([head, ...pieces]);
    assert.ok(closed);
    assert.ok(replies.length <= 1);
    if (replies.length === 1) assert.equal(replies[0]!.statusCode, 422);
    assert.ok(sent < 1_500_000, `the service took ${sent} bytes`);
  }
});

test("a body shorter than announced is no request: nothing runs when the client stops there", async () => {
  const { replies } = await service.raw([
    `${service.rawHead("/data")}Content-Length: 1000\r\n\r\n${bodyOf(500)}`,
    (socket) => socket.end(),
  ]);
  assert.deepEqual(
    replies.filter(({ statusCode }) => statusCode === 200),
    [],
  );
});

test("a body longer than announced is cut where it was announced to end", async () => {
  const body = bodyOf(500);
  const head = `${service.rawHead("/data")}Content-Length: 499\r\n\r\n`;
  const { replies } = await service.raw([head, body]);
  assert.equal(replies[0]!.statusCode, 422, "499 bytes of it are no JSON");
  assert.ok(replies.slice(1).every(({ statusCode }) => statusCode === 400));
});

test("a refusal does not wait for the rest of the body", async () => {
  const head = `${service.rawHead("/data")}Content-Type: text/plain\r\nContent-Length: 4000\r\n\r\n`;
  const { replies, closed } = await service.raw([head]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [422],
  );
  assert.ok(closed);
});
