import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { givePlaces } from "./give-places.ts";

const PLACES = 3;
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** @returns how to connect to a server with three places, and what it says of the connections that it has closed */
async function serve(t: TestContext, answer: RequestListener) {
  const dropped: string[] = [];
  const server = createServer(answer);
  givePlaces(server, PLACES, (reason) => dropped.push(reason));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  const client = async (text: string, from = "127.0.0.1"): Promise<Socket & { text: string }> => {
    const accepted = once(server, "connection");
    const socket = Object.assign(connect({ port, host: "127.0.0.1", localAddress: from }), { text: "" });
    t.after(() => socket.destroy());
    socket.on("error", () => {}).on("data", (bytes: Buffer) => (socket.text += bytes.toString()));
    await accepted;
    if (text !== "") socket.write(text);
    return socket;
  };
  return { client, dropped };
}

/** The end of a client's wait: an answer, or a connection that was closed without one. */
async function outcome(socket: Socket & { text: string }): Promise<string> {
  if (socket.text === "" && !socket.closed) await Promise.race([once(socket, "data"), once(socket, "close")]);
  return socket.text.slice(9, 12);
}

for (const [what, text] of [
  ["nothing", ""],
  ["half a head", "GET / HT"],
  ["a body that does not end", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"],
] as const)
  test(`clients who send ${what} make way for one who asks`, { timeout: 10_000 }, async (t) => {
    const { client, dropped } = await serve(t, (request, response) => {
      request.resume().once("end", () => response.end("ok"));
    });
    for (let count = 0; count < PLACES + 2; count += 1) await client(text);
    assert.equal(await outcome(await client(GET)), "200");
    assert.deepEqual(dropped, ["made_way", "made_way", "made_way"]);
  });

test("so do those who do not read their answer", { timeout: 10_000 }, async (t) => {
  const { client, dropped } = await serve(t, ({ url }, response) => {
    response.end(url === "/" ? "ok" : "x".repeat(16 * 1_048_576));
  });
  for (let count = 0; count < PLACES; count += 1) {
    const unread = await client("GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(unread, "data");
    unread.pause();
  }
  assert.equal(await outcome(await client(GET)), "200");
  assert.deepEqual(dropped, ["made_way"]);
});

test("who waits for an answer keeps its place, and nobody has more than there are", { timeout: 10_000 }, async (t) => {
  const asked: (() => void)[] = [];
  const { client, dropped } = await serve(t, ({ url }, response) => {
    if (url === "/") asked.push(() => response.end("ok"));
    else response.end("ok");
  });
  const waiting = [];
  for (let count = 0; count < PLACES; count += 1) {
    waiting.push(await client(GET));
    while (asked.length === count) await new Promise(setImmediate);
  }
  assert.equal(await outcome(await client(GET)), "");
  assert.deepEqual(dropped, ["no_place"]);
  for (const answer of asked) answer();
  for (const socket of waiting) assert.equal(await outcome(socket), "200");
  assert.equal(await outcome(await client(GET.replace("/", "/soon"))), "200", "an idle one with its answer makes way");
});

test("an address with one connection loses it after one with many", { timeout: 10_000 }, async (t) => {
  const { client } = await serve(t, (_, response) => void response.end("ok"));
  const probe = await client("", "127.0.0.2");
  for (let count = 0; count < 10; count += 1) await client("");
  probe.write(GET);
  assert.equal(await outcome(probe), "200");
});
