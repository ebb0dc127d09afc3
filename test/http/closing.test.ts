import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { until } from "../rig/until.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

let ran = 0;
let hold: Promise<void> = Promise.resolve();
const counter = source("acme__counter", async () => {
  ran += 1;
  await hold;
  return { ran };
});
const TEXT = "x".repeat(3_000_000);
const large = source("acme__large", () => Promise.resolve({ text: TEXT }));
const service = await startService({ after }, { sources: [counter, large] });
const BODY = JSON.stringify({ config: { sources: { acme__counter: true } } });
const RUN = `${service.rawHead("/data")}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** Requests whose answer closes the connection, each with its status. */
const CLOSING: Readonly<Record<string, readonly [string, number]>> = {
  "two hosts": ["GET /status HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400],
  "two hosts in different letters": ["GET /status HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n", 400],
  "no host": ["GET /status HTTP/1.1\r\n\r\n", 400],
  "a run with two hosts": [RUN.replace("Host: test", "Host: test\r\nHost: test"), 400],
  "a head of HTTP/0.9": ["GET /status HTTP/0.9\r\n\r\n", 400],
  garbage: ["GARBAGE\r\n\r\n", 400],
  "too many fields": [`GET /status HTTP/1.1\r\nHost: x\r\n${"X: y\r\n".repeat(101)}\r\n`, 431],
  "too large a head": [`GET /status HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, 431],
  "an expectation": ["GET /status HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n", 417],
  "an expectation with a body": [
    "POST /data HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\nContent-Length: 3\r\n\r\nabc",
    417,
  ],
  "an unread body at no path": ["POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 404],
  "an unread body in chunks": [
    "POST /none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    404,
  ],
  "an unread body of another method": ["PUT /data HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 405],
  "a tunnel": ["CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
  "the wish to close": ["GET /status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200],
  "an older protocol": ["GET /status HTTP/1.0\r\nHost: x\r\n\r\n", 200],
  "too large a body": [`${service.rawHead("/data")}Content-Length: 2000000\r\n\r\n`, 422],
  "a body under another type": [
    `${service.rawHead("/data")}Content-Type: text/plain\r\nContent-Length: 5000\r\n\r\n`,
    422,
  ],
  "a stranger's body": [
    "POST /data HTTP/1.1\r\nHost: x\r\nX-Service-Access-Token: nobody\r\nContent-Length: 5000\r\n\r\n",
    401,
  ],
};

test("behind an answer that closes its connection nothing is run, whatever it was that closes it", async () => {
  for (const [name, [first, status]] of Object.entries(CLOSING)) {
    for (const steps of [[first + RUN + RUN], [first, 20, RUN], [RUN.replace(BODY, ""), BODY + first + RUN]]) {
      const leading = steps[0] === RUN.replace(BODY, "") ? [200] : [];
      const before = ran;
      const { replies, closed } = await service.raw(steps, { withinMs: 2_000, replies: 3 });
      const statuses = replies.map(({ statusCode }) => statusCode);
      // A body that had come whole while it waited does not stand in the way of the next request.
      const isWhole = leading.length === 1 && statuses.length === 3;
      if (isWhole) assert.ok(name.startsWith("an unread body"), name);
      assert.equal(ran - before, leading.length + (isWhole ? 1 : 0), `${name}: something behind it was run`);
      if (isWhole) continue;
      // A client that goes on sending may lose the answer to the reset; it never gets another one.
      // What cannot be parsed behind a run under way ends the connection with the run's answer.
      if (leading.length === 1)
        assert.ok(statuses[0] === 200 && (statuses.length === 1 || statuses[1] === status), name);
      else if (steps.length === 1) assert.deepEqual(statuses, [status], name);
      else assert.ok(statuses.length <= 1 && statuses.every((code) => code === status), name);
      assert.ok(closed, name);
      if (statuses.length > 0 && name !== "a tunnel") assert.equal(replies.at(-1)!.headers.connection, "close", name);
    }
  }
});

test("an upgrade that the service does not support is an ordinary request, and hides no run", async () => {
  const upgrade = "GET /status HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const { replies } = await service.raw([upgrade], { replies: 1 });
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
  const before = ran;
  const both = await service.raw([upgrade + RUN], { withinMs: 500 });
  assert.equal(ran - before, both.replies.length - 1, "what is not answered is not run");
});

test("an answer that closes the connection waits for the run in progress before it", async () => {
  for (const [name, [closing, status]] of Object.entries(CLOSING)) {
    let release = () => {};
    hold = new Promise((resolve) => (release = resolve));
    const before = ran;
    const answered = service.raw([RUN + closing + RUN], { replies: 3 });
    await until(() => ran > before);
    release();
    const { replies } = await answered;
    const statuses = replies.map(({ statusCode }) => statusCode);
    assert.equal(statuses[0], 200, name);
    assert.ok(statuses.length === 1 || statuses[1] === status, `${name}: ${statuses.join()}`);
    const closes = replies.findIndex(({ headers }) => headers.connection === "close");
    assert.ok(closes === -1 || closes === replies.length - 1, name);
    // A body that has come while it waited does not stand in the way of the next request.
    assert.equal(ran - before, statuses.length === 3 ? 2 : 1, name);
  }
  hold = Promise.resolve();
});

test("an answer that closes reaches a client that has sent more and reads late", async () => {
  const body = JSON.stringify({ config: { sources: { acme__large: true } } });
  const head = `${service.rawHead("/data")}Content-Length: ${body.length}\r\n`;
  const runs = {
    "the client's wish": `${head}Connection: close\r\n\r\n${body}${RUN}`,
    "an older protocol": `${head}\r\n${body}${RUN}`.replace("HTTP/1.1", "HTTP/1.0"),
    "what cannot be parsed": `${head}\r\n${body}GARBAGE\r\n\r\n`,
  };
  for (const [name, run] of Object.entries(runs)) {
    const steps = [(socket: Socket) => socket.pause(), run, 100, RUN, 200, (socket: Socket) => socket.resume()];
    const { replies, closed } = await service.raw(steps);
    assert.deepEqual([replies.length, replies[0]?.statusCode, closed], [1, 200, true], name);
    assert.ok(replies[0]!.text.includes(TEXT), name);
  }
});
