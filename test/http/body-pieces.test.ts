import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { heldBytes } from "../rig/held-bytes.ts";
import { until } from "../rig/until.ts";
import type { Step } from "../rig/raw-socket.ts";
import { startService, type TestService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";

const MAX = 1024 * 1024;
const PIECES = MAX / 128;
const settings = { "limits.body_bytes": MAX };
const service = await startService({ after }, { sources: [answers("acme__people", { name: "Ada" })], settings });
const STRANGER = "POST /data HTTP/1.1\r\nHost: test\r\n";
const CHUNKED = "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";

function bodyOf(bytes: number): string {
  const start = '{"config":{"sources":{"acme__people":true}},"inputs":{"filler":"';
  return `${start}${"x".repeat(bytes - start.length - 3)}"}}`;
}

function chunked(text: string, size: number, extension = ""): string {
  const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return `${pieces.map((piece) => `${piece.length.toString(16)}${extension}\r\n${piece}\r\n`).join("")}0\r\n\r\n`;
}

test("a body in as many pieces as it may have is read, one in more is refused", async () => {
  const body = bodyOf(PIECES);
  const lawful = await service.raw([service.rawHead("/data") + CHUNKED + chunked(body, 1)]);
  assert.deepEqual(
    lawful.replies.map(({ statusCode }) => statusCode),
    [200],
  );

  const { replies } = await service.raw([service.rawHead("/data") + CHUNKED + chunked(bodyOf(PIECES + 1), 1)]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [422],
  );
  assert.equal(JSON.parse(replies[0]!.text).error.details[0].message, `was sent in more than ${PIECES} chunks`);
});

test("a body of a million pieces is refused for the price of the first few thousand", async () => {
  const body = chunked("x".repeat(1_000_000), 1);
  for (const [head, status] of [
    [service.rawHead("/data"), 422],
    [service.rawHead("/func"), 422],
    [STRANGER, 401],
    [`${STRANGER}X-Service-Access-Token: drt_nobody\r\n`, 401],
    ["POST /none HTTP/1.1\r\nHost: test\r\n", 404],
    [service.rawHead("/data", "PUT"), 405],
  ] as const) {
    const before = process.cpuUsage();
    const { replies, closed } = await service.raw([head + CHUNKED, body]);
    const { user, system } = process.cpuUsage(before);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [status],
    );
    assert.ok(closed);
    // The client's part is in it; a piece that is parsed costs 3 microseconds, all of them cost seconds.
    assert.ok(user + system < 1_000_000, `it took ${(user + system) / 1000} ms of CPU`);
  }
});

test("a chunk with a large extension is refused", async () => {
  for (const extension of [`;${"x".repeat(20_000)}`, `;a="${"y".repeat(20_000)}"`]) {
    const { replies, closed } = await service.raw([
      service.rawHead("/data") + CHUNKED + chunked(bodyOf(600), 300, extension),
    ]);
    assert.ok(closed);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [400],
    );
  }
});

test("whatever becomes of a request, nothing of it is held when it is over", async () => {
  const body = bodyOf(300_000);
  const head = `${service.rawHead("/data")}Content-Length: ${body.length}\r\n`;
  const answered = [`${head}Connection: close\r\n\r\n`, body];
  const roads: readonly (readonly Step[])[] = [
    answered,
    [`${head}\r\n`, body.slice(0, -5), 50, (socket) => socket.destroy()],
    [`${head}\r\n`, body.slice(0, -5), 50, (socket) => socket.resetAndDestroy()],
    [`${head}\r\n`, body.slice(0, -5), 50, (socket) => socket.end()],
    [`${STRANGER}Content-Length: ${body.length}\r\n\r\n`, body.slice(0, -5), 50, (socket) => socket.destroy()],
    [`${STRANGER}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`, body],
    [`${head}Connection: close\r\n\r\n`, `[${body.slice(2)}]`],
    [service.rawHead("/data") + CHUNKED, chunked("y".repeat(2 * MAX), 4_000)],
    [service.rawHead("/data") + CHUNKED, "fff\r\nabc\r\n", "GARBAGE".repeat(2_000)],
  ];
  for (const steps of roads) await service.raw(steps, { withinMs: 4_000 });
  await until(async () => (await heldBytes(service)) === 0);
});

/** Unauthenticated callers that send all of a large body but its last byte, until they are released. */
function unfinished(small: TestService, count: number, released: Promise<void>) {
  const text = `${STRANGER}Content-Length: ${MAX}\r\n\r\n${"x".repeat(MAX - 1)}`;
  const steps = [text, () => released, (socket: Socket) => socket.destroy()];
  return Array.from({ length: count }, () => small.raw(steps, { withinMs: 60_000 }));
}

test("large bodies of unauthenticated callers wait for each other, and no other request waits for them", async (t) => {
  const small = await startService(t, {
    sources: [answers("acme__people", { name: "Ada" })],
    settings: { "limits.expert.held_bytes": 32 * MAX },
  });
  const { token, workflow } = small.a;
  const released = Promise.withResolvers<void>();
  const many = unfinished(small, 20, released.promise);
  await until(async () => (await heldBytes(small)) === MAX);

  const tokenInHeader = { headers: { "X-Service-Access-Token": token }, as: null };
  const body = JSON.parse(bodyOf(500_000)) as object;
  assert.equal((await small.post("/data", body)).statusCode, 200);
  assert.equal((await small.post("/data", { ...body, workflow }, tokenInHeader)).statusCode, 200);
  const tiny = { ...JSON.parse(bodyOf(5_000)), access_token: token, workflow };
  assert.equal((await small.post("/data", tiny, { as: null })).statusCode, 200);

  let isAnswered = false;
  const large = small.post("/data", { ...body, access_token: token, workflow }, { as: null }).then((reply) => {
    isAnswered = true;
    return reply;
  });
  assert.equal((await small.post("/data", tiny, { as: null })).statusCode, 200);
  assert.deepEqual([isAnswered, await heldBytes(small)], [false, MAX]);
  released.resolve();
  assert.equal((await large).statusCode, 200);
  assert.deepEqual(
    (await Promise.all(many)).flatMap(({ replies }) => replies),
    [],
  );
  await until(async () => (await heldBytes(small)) === 0);
});

test("a body that waits is refused when the time of its request is up", async (t) => {
  const small = await startService(t, {
    settings: {
      "limits.expert.held_bytes": 32 * MAX,
      "limits.expert.request_timeout_ms": 400,
    },
  });
  const many = await Promise.all(unfinished(small, 5, new Promise(() => {})));
  assert.deepEqual(
    many.map(({ replies }) => replies.map(({ statusCode }) => statusCode)),
    many.map(() => [408]),
  );
  await until(async () => (await heldBytes(small)) === 0);
});
