import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AdminHandler, type AdminServerParts, createAdminServer } from "./admin-server.ts";
import { readBody } from "./read-body.ts";

const NOTHING: AdminServerParts = {
  metrics: {
    page: () => {
      throw new Error("nobody asks");
    },
  },
  notReady: () => [],
  warnings: () => [],
  api: null,
  console: null,
  isStopping: () => false,
};

/** Requests an admin server with this API. @returns the connection */
async function ask(t: TestContext, handle: AdminHandler["handle"], unreadMs?: number) {
  const server = createAdminServer({ ...NOTHING, api: { handle } }, unreadMs).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  return socket;
}

test("a client that does not read its answer is cut off", { timeout: 20_000 }, async (t) => {
  const answered = Promise.withResolvers<ServerResponse>();
  const socket = await ask(
    t,
    async (_, response) => {
      response.end("x".repeat(32 * 1_048_576));
      answered.resolve(response);
    },
    50,
  );
  socket.pause();
  socket.write("GET /api/x HTTP/1.1\r\nHost: x\r\n\r\n");
  const response = await answered.promise;
  if (!response.closed) await once(response, "close");
  assert.equal(response.writableFinished, false);
});

for (const [chunks, said] of [
  [5_000, "5000"],
  [50_000, "null"],
] as const)
  test(`of a body in ${chunks} chunks of one byte ${said} bytes are read`, { timeout: 20_000 }, async (t) => {
    const socket = await ask(t, async (request, response) => {
      const bytes = await readBody(request, 1_048_576);
      response.end(`<${bytes === null ? "null" : bytes.length}>`);
    });
    socket.write("POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    socket.write(`${"1\r\nx\r\n".repeat(chunks)}0\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.ok(answer.toString().includes(`<${said}>`), answer.toString());
  });

test("what comes of a body after it was refused is not kept", { timeout: 20_000 }, async (t) => {
  const chunks = "1\r\nx\r\n".repeat(50_000);
  const socket = await ask(t, async (request, response) => {
    assert.equal(await readBody(request, 1_000), null);
    while (request.socket.bytesRead < chunks.length) await nextTurn();
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    response.end(`<${request.readableLength}>`);
  });
  socket.write(`POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.ok(answer.toString().includes("<0>"), answer.toString());
});
