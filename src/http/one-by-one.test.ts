import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { takeOneByOne } from "./one-by-one.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function serve(t: TestContext, answer: Answer): Promise<Server & { readonly port: number }> {
  const server = createServer((request, response) => void answer(request, response));
  takeOneByOne(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** Answers with what it was sent, after a few turns of the event loop. */
const repeat: Answer = async (request, response) => {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece as string;
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  response.end(`<${request.url}:${text}>`);
};

async function bodiesOf(port: number, pieces: Iterable<string | Buffer>, until: string): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  let got = "";
  const done = Promise.withResolvers<void>();
  socket.on("data", (bytes) => {
    got += bytes.toString("latin1");
    if (got.includes(until)) done.resolve();
  });
  for (const piece of pieces) {
    socket.write(piece);
    await nextTurn();
  }
  await done.promise;
  socket.destroy();
  return [...got.matchAll(/<([^>]*)>/g)].map(([, body]) => body!);
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

for (const [what, first, said] of [
  ["ahead", "", []],
  [
    "behind a chunked body",
    "POST /post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ["/post:a"],
  ],
] as const)
  test(`of requests that a client sends ${what}, one is answered at a time, in order`, async (t) => {
    let [inProgress, most] = [0, 0];
    const { port } = await serve(t, async (request, response) => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      await repeat(request, response);
      inProgress -= 1;
    });
    const paths = Array.from({ length: 1_000 }, (_, at) => `/${at}`);
    const bodies = await bodiesOf(port, [first + paths.map(get).join("")], "</999:>");
    assert.deepEqual(bodies, [...said, ...paths.map((path) => `${path}:`)]);
    assert.equal(most, 1);
  });

test("others have turns between requests that are answered at once", async (t) => {
  const turns: number[] = [];
  let turn = 0;
  const count = () => void (turn += 1);
  const { port } = await serve(t, async (request, response) => {
    turns.push(turn);
    setImmediate(count);
    response.end(`<${request.url}>`);
  });
  await bodiesOf(port, [Array.from({ length: 50 }, (_, at) => get(`/${at}`)).join("")], "</49>");
  assert.equal(new Set(turns).size, 50);
});

const POSTS = [
  "POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\na\r\n\r\nbc",
  `POST /long HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${"y".repeat(9_000)}`,
  "POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
  "POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
  get("/last"),
].join("");
const SAID = ["/length:a\r\n\r\nbc", `/long:${"y".repeat(9_000)}`, "/chunked:abcde", "/none:", "/last:"];

test("bodies are read whole, at once and byte by byte", async (t) => {
  const { port } = await serve(t, repeat);
  assert.deepEqual(await bodiesOf(port, [POSTS], "</last:>"), SAID);
  const bytes = POSTS.replace("y".repeat(9_000), "y".repeat(90)).replace("9000", "90");
  assert.deepEqual(
    await bodiesOf(port, bytes, "</last:>"),
    SAID.map((said) => said.replace("y".repeat(9_000), "y".repeat(90))),
  );
});

test("a request that is answered before its body has come does not hold up the next one", async (t) => {
  const { port } = await serve(t, async (request, response) => {
    response.end(`<${request.url}>`);
  });
  const pieces = [
    "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n",
    "y".repeat(20_000) + get("/next"),
  ];
  assert.deepEqual(await bodiesOf(port, pieces, "</next>"), ["/early", "/next"]);
});

test("a client that goes away while it waits is noticed", async (t) => {
  const gone = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { port } = await serve(t, async (_, response) => {
    response.once("close", () => gone.resolve());
    asked.resolve();
    await delay(10_000, undefined, { ref: false });
  });
  const socket = connect(port, "127.0.0.1");
  socket.write(get("/"));
  await asked.promise;
  socket.destroy();
  await gone.promise;
});
