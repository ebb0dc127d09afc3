import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { PIPELINED_MAX } from "../../src/http/server.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

let underWay = 0;
let underWayMax = 0;
const counted = source(
  "acme__counted",
  async ({ inputs }) => {
    underWay += 1;
    underWayMax = Math.max(underWayMax, underWay);
    await delay(5);
    underWay -= 1;
    return { turn: inputs["turn"] };
  },
  { inputs: { type: "object", properties: { turn: {} } } },
);
const service = await startService({ after }, { sources: [counted] });

function request(turn: number, last = false): string {
  const body = JSON.stringify({ config: { sources: { acme__counted: true } }, inputs: { turn } });
  return `${service.rawHead("/data")}${last ? "Connection: close\r\n" : ""}Content-Length: ${body.length}\r\n\r\n${body}`;
}

test("requests sent at once on one connection are answered in order, one at a time", async () => {
  const turns = Array.from({ length: 20 }, (_, turn) => turn);
  const { replies } = await service.raw([turns.map((turn) => request(turn, turn === 19)).join("")]);

  assert.deepEqual(
    replies.map(({ text }) => JSON.parse(text).outputs.acme__counted.turn),
    turns,
  );
  assert.equal(underWayMax, 1, "a connection has one run under way, however many requests it has sent");
});

test("an error in between is answered in order", async () => {
  const wrong = `${service.rawHead("/data")}Content-Length: 2\r\n\r\n{}`;
  const none = `${service.rawHead("/none")}Content-Length: 2\r\n\r\n{}`;
  const { replies } = await service.raw([request(0) + wrong + none + request(1) + request(2, true)]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 422, 404, 200, 200],
  );
});

test("after a request in progress, garbage ends the connection and not the answer", async () => {
  const { replies, closed } = await service.raw([`${request(7)}GARBAGE\r\n\r\n`]);
  assert.equal(replies.length, 1);
  assert.equal(replies[0]!.statusCode, 200);
  assert.equal(JSON.parse(replies[0]!.text).outputs.acme__counted.turn, 7);
  assert.ok(closed);
});

test("as many requests as may wait are answered in order, be they cut wherever", async () => {
  const flood = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n".repeat(PIPELINED_MAX - 1);
  const text = request(1) + flood + request(2, true);
  for (const pieces of [[text], text.match(/[^]{1,101}/g)!]) {
    const { replies } = await service.raw(pieces);
    assert.equal(replies.length, PIPELINED_MAX + 1);
    assert.ok(replies.every(({ statusCode }) => statusCode === 200));
  }
});

test("a connection that sends thousands of requests ahead is closed, and others go on", async () => {
  const status = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n";
  const { replies, closed } = await service.raw([request(1) + status.repeat(3_000)]);
  service.expectRunWithoutAnswer();
  assert.deepEqual([replies.length, closed], [0, true]);
  assert.equal((await service.send("GET", "/status")).statusCode, 200);
  const lines = (await service.logLines()).filter(({ event }) => event === "connections_dropped");
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ["pipelining"],
  );
});

test("a flood is answered one request per tick of the event loop, so that it delays no other client", async (t) => {
  let turn = 0;
  let isOver = false;
  t.after(() => (isOver = true));
  (function count() {
    turn += 1;
    if (!isOver) setImmediate(count);
  })();
  const answeredIn = new Map<number, number>();
  const note = () => void answeredIn.set(turn, (answeredIn.get(turn) ?? 0) + 1);
  subscribe("http.server.response.finish", note);
  t.after(() => unsubscribe("http.server.response.finish", note));

  const flood = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n".repeat(PIPELINED_MAX);
  const { replies } = await service.raw([flood + request(1, true)]);

  assert.equal(replies.length, PIPELINED_MAX + 1);
  // The first request of a connection, or of a turn, may be followed by one that has waited.
  assert.ok(Math.max(...answeredIn.values()) <= 2, `${Math.max(...answeredIn.values())} in one turn`);
});

test("bodies of any size are read in order", async () => {
  const sized = (turn: number, bytes: number, last = false) => {
    const body = JSON.stringify({
      config: { sources: { acme__counted: true } },
      inputs: { turn, filler: "x".repeat(bytes) },
    });
    return `${service.rawHead("/data")}${last ? "Connection: close\r\n" : ""}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const chunked = (turn: number, bytes: number) => {
    const body = JSON.stringify({
      config: { sources: { acme__counted: true } },
      inputs: { turn, filler: "x".repeat(bytes) },
    });
    const chunks = body.match(/[^]{1,700}/g)!.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
    return `${service.rawHead("/data")}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
  };
  const sent = [
    sized(0, 10),
    chunked(1, 200_000),
    sized(2, 900_000),
    chunked(3, 10),
    sized(4, 3_000),
    chunked(5, 5_000),
    sized(6, 70_000, true),
  ];
  const { replies } = await service.raw([sent.join("")]);
  assert.deepEqual(
    replies.map(({ text }) => JSON.parse(text).outputs.acme__counted.turn),
    [0, 1, 2, 3, 4, 5, 6],
  );
});

test("an unexpected body is skipped, and the next request is answered", async () => {
  const get = "GET /status HTTP/1.1\r\nHost: test\r\n";
  const chunks = `${"400\r\n" + "x".repeat(0x400)}\r\n`.repeat(40);
  for (const [head, body] of [
    [`${get}Content-Length: 3\r\n\r\n`, "abc"],
    [`${get}Content-Length: 70000\r\n\r\n`, "x".repeat(70_000)],
    [`${get}Transfer-Encoding: chunked\r\n\r\n`, `${chunks}0\r\n\r\n`],
  ] as const)
    for (const steps of [
      [head + body + request(1, true)],
      [head, 30, body.slice(0, 2), 30, body.slice(2) + request(1, true)],
    ]) {
      const { replies } = await service.raw(steps, { withinMs: 20_000 });
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode),
        [200, 200],
        head,
      );
    }
});

test("a connection is kept for the next request", async () => {
  const { replies } = await service.raw([request(1), 60, request(2, true)]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 200],
  );
});
