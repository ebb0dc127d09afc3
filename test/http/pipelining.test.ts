import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../rig/until.ts";
import { startService } from "../service.ts";
import { source } from "../sources.ts";

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

  assert.deepEqual(replies.map(({ text }) => JSON.parse(text).outputs.acme__counted.turn), turns); // prettier-ignore
  assert.equal(underWayMax, 1, "a connection has one run under way, however many requests it has sent");
});

test("an error in between is answered in its turn", async () => {
  const wrong = `${service.rawHead("/data")}Content-Length: 2\r\n\r\n{}`;
  const none = `${service.rawHead("/none")}Content-Length: 2\r\n\r\n{}`;
  const { replies } = await service.raw([request(0) + wrong + none + request(1) + request(2, true)]);
  assert.deepEqual(replies.map(({ statusCode }) => statusCode), [200, 422, 404, 200, 200]); // prettier-ignore
});

test("after a request under way, garbage ends the connection and not the answer", async () => {
  const { replies, closed } = await service.raw([`${request(7)}GARBAGE\r\n\r\n`]);
  assert.equal(replies.length, 1);
  assert.equal(replies[0]!.statusCode, 200);
  assert.equal(JSON.parse(replies[0]!.text).outputs.acme__counted.turn, 7);
  assert.ok(closed);
});

test("a connection that sends more and more without waiting is cut off", async () => {
  const before = service.ledgerRows().length;
  const flood = Array.from({ length: 500 }, () => `GET /status HTTP/1.1\r\nHost: test\r\n\r\n`).join("");
  const { replies, closed } = await service.raw([request(1) + flood]);
  assert.ok(closed);
  assert.ok(replies.length < 50);
  // The run at the head of the flood had begun and is recorded; whether its answer got through is the client's own doing.
  if (replies.length === 0) service.expectRunWithoutAnswer();
  await until(() => service.ledgerRows().length === before + 1);
});

test("a connection is kept for the next request", async () => {
  const { replies } = await service.raw([request(1), 60, request(2, true)]);
  assert.deepEqual(replies.map(({ statusCode }) => statusCode), [200, 200]); // prettier-ignore
});
