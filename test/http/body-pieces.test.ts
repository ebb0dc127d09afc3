import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { heldBytes } from "../rig/held-bytes.ts";
import { until } from "../rig/until.ts";
import type { Step } from "../rig/raw-socket.ts";
import { startService } from "../rig/service.ts";
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

test("chunks whose sizes and extensions take many times what they carry are refused", async () => {
  for (const extension of [`;${"x".repeat(3_000)}`, `;a="${"y".repeat(900)}"`]) {
    const { replies, closed } = await service.raw([
      service.rawHead("/data") + CHUNKED + chunked(bodyOf(6_000), 2, extension),
    ]);
    assert.ok(closed);
    assert.ok(replies.every(({ statusCode }) => statusCode === 400));
  }
  const zeros = `${"0".repeat(1_000_000)}1\r\n{\r\n`.repeat(4);
  const { replies, closed } = await service.raw([service.rawHead("/data") + CHUNKED + zeros]);
  assert.ok(closed);
  assert.ok(replies.every(({ statusCode }) => statusCode === 400));
});

test("whatever becomes of a request, nothing of it is held when it is over", async () => {
  const body = bodyOf(300_000);
  const head = `${service.rawHead("/data")}Content-Length: ${body.length}\r\n`;
  const answered = [`${head}Connection: close\r\n\r\n`, body];
  const roads: readonly (readonly Step[])[] = [
    answered,
    [`${head}\r\n`, body, (socket) => socket.end()],
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

test("a body that grows is counted while it comes, and strangers have one small share of what may be held", async (t) => {
  const small = await startService(t, {
    sources: [answers("acme__people", { name: "Ada" })],
    settings: { "limits.held_bytes": 32 * MAX },
  });
  const open = `${STRANGER}Content-Length: ${MAX}\r\n\r\n${"x".repeat(MAX - 1)}`;
  const waiting = Array.from({ length: 20 }, () => small.raw([open], { withinMs: 4_000, replies: 1 }));
  await until(async () => (await heldBytes(small)) > 2 * MAX);
  assert.ok((await heldBytes(small)) <= 4 * MAX);
  // Who is known has his own.
  assert.equal((await small.run({ acme__people: true }, { filler: "x".repeat(500_000) })).statusCode, 200);
  // Whose token is in a body that comes at once finds room, for larger ones make way.
  const { token, workflow } = small.a;
  const inBody = { ...JSON.parse(bodyOf(500_000)), access_token: token, workflow };
  assert.equal((await small.post("/data", inBody, { as: null })).statusCode, 200);
  const statuses = (await Promise.all(waiting)).flatMap(({ replies }) => replies.map(({ statusCode }) => statusCode));
  assert.ok(statuses.length > 0 && statuses.every((status) => status === 500), String(statuses));
  await until(async () => (await heldBytes(small)) === 0);
});

for (const [name, slow, others] of [
  ["a caller whose token is in a header makes no way for strangers", "known", "strangers"],
  ["a stranger makes no way for callers whose token is in a header", "stranger", "known"],
] as const)
  test(name, async (t) => {
    const small = await startService(t, {
      sources: [answers("acme__people", { name: "Ada" })],
      settings: { "limits.held_bytes": 32 * MAX },
    });
    const { token, workflow } = small.a;
    // The header has no workflow, so that its body is read before it is known whether it may.
    const body = (fields: object) => JSON.stringify({ ...JSON.parse(bodyOf(900_000)), ...fields });
    const known = [`${STRANGER}X-Service-Access-Token: ${token}\r\n`, body({ workflow })] as const;
    const stranger = [STRANGER, body({ access_token: small.b.token, workflow: small.b.workflow })] as const;
    /** All of it but the last byte, which comes later, or never. */
    const begin = ([head, text]: readonly [string, string], rest: readonly Step[] = []) =>
      small.raw([`${head}Content-Length: ${text.length}\r\n\r\n${text.slice(0, -1)}`, ...rest], {
        replies: 1,
        withinMs: 5_000,
      });

    const refused = Promise.withResolvers<void>();
    const chosen = slow === "known" ? known : stranger;
    const waiting = begin(chosen, [() => refused.promise, chosen[1].slice(-1)]);
    await until(async () => (await heldBytes(small)) > MAX / 2);
    const many = Array.from({ length: 40 }, () => begin(others === "known" ? known : stranger));
    // They want more than they may have.
    await Promise.race(many);
    refused.resolve();

    assert.equal((await waiting).replies[0]?.statusCode, 200);
    await Promise.all(many);
    await until(async () => (await heldBytes(small)) === 0);
  });

for (const [name, from, kib] of [
  ["a slow caller whose token is in the body is not displaced by faster strangers with larger bodies", "127.0.0.1", 40],
  ["nor, where they are elsewhere, by strangers with smaller ones", "127.0.0.2", 500],
] as const)
  test(name, async (t) => {
    const small = await startService(t, {
      sources: [answers("acme__people", { name: "Ada" })],
      settings: { "limits.held_bytes": 32 * MAX },
    });
    const { token, workflow } = small.a;
    const text = JSON.stringify({ ...JSON.parse(bodyOf(kib * 1024)), access_token: token, workflow });
    const slow = connect({ port: Number(new URL(small.url).port), host: "127.0.0.1", localAddress: from });
    t.after(() => slow.destroy());
    slow.write(`${STRANGER}Connection: close\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, -1)}`);
    await until(async () => (await heldBytes(small)) >= text.length - 1);

    // Ever new ones, each with more than there is room for: what is whole, and what never will be.
    const body = bodyOf(300_000);
    const sent = `${STRANGER}Content-Length: ${body.length}\r\n\r\n${body}`;
    const waiting = Array.from({ length: 60 }, (_, at) =>
      small.raw([at % 3 === 0 ? sent : sent.slice(0, -1)], { replies: 1, withinMs: 5_000 }),
    );
    const statuses = new Set(
      (await Promise.all(waiting)).flatMap(({ replies }) => replies.map((one) => one.statusCode)),
    );
    assert.ok(statuses.has(500), "they want more than they may have");
    small.expectRunWithoutAnswer();
    slow.write(text.slice(-1));
    const [answer] = (await once(slow, "data")) as [Buffer];
    assert.match(String(answer), /^HTTP\/1\.1 200 /);
    slow.destroy();
    await until(async () => (await heldBytes(small)) === 0);
  });
