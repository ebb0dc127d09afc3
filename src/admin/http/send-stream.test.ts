import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "../../terms/json/json.ts";
import { sendStream } from "./send-stream.ts";

const LINE = `${"x".repeat(1_023)}\n`;

/** Requests a text over a real connection; `sent` is how its sending ended. */
async function ask(
  t: TestContext,
  pieces: AsyncGenerator<string, JsonObject, void>,
  notes: string[] = [],
  stalledMs?: number,
) {
  const sent = Promise.withResolvers<unknown>();
  const server = createServer((_, response) => {
    const stream = { mediaType: "text/csv", fileName: "a.csv", pieces };
    sendStream(response, stream, notes, stalledMs).then(
      () => sent.resolve("done"),
      (error: unknown) => sent.resolve(error),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const asked = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  const [incoming] = (await once(asked, "response")) as [IncomingMessage];
  return { incoming, sent: sent.promise };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk as string;
  return text;
}

test("a text comes whole, with its result and the remarks of its end after it", async (t) => {
  const notes = ["before"];
  const { incoming } = await ask(
    t,
    (async function* () {
      yield "a,b\n";
      notes.push("later: ü");
      yield "1,ü\n";
      return { damaged: 1 };
    })(),
    notes,
  );
  assert.equal(incoming.headers["content-disposition"], 'attachment; filename="a.csv"');
  assert.deepEqual(JSON.parse(decodeURIComponent(incoming.headers["datarun-notes"] as string)), ["before"]);
  assert.equal(await textOf(incoming), "a,b\n1,ü\n");
  assert.deepEqual(JSON.parse(decodeURIComponent(incoming.trailers["datarun-notes"]!)), ["later: ü"]);
  assert.deepEqual(JSON.parse(decodeURIComponent(incoming.trailers["datarun-result"]!)), { damaged: 1 });
});

test("a text that cannot be completed breaks off, so that no client takes it for whole", async (t) => {
  const begun = Promise.withResolvers<void>();
  const { incoming, sent } = await ask(
    t,
    (async function* () {
      yield LINE;
      await begun.promise;
      throw new Error("the disk is gone");
    })(),
  );
  begun.resolve();
  await assert.rejects(textOf(incoming), { code: "ECONNRESET" });
  assert.match(String(await sent), /the disk is gone/);
});

test("a text is made no faster than it is read, and no further when its reader has gone", async (t) => {
  let [made, ended] = [0, false];
  const { incoming, sent } = await ask(
    t,
    (async function* () {
      try {
        for (;;) {
          made += 1;
          yield LINE.repeat(64);
        }
      } finally {
        ended = true;
      }
    })(),
  );
  let before = -1;
  // Without a reader the socket's buffers fill up, and then no more text is made.
  while (made !== before) {
    before = made;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(made < 2_000, String(made));
  incoming.destroy();
  assert.equal(await sent, "done");
  assert.equal(ended, true);
});

test("a text that is slow to be made is not a client that has stalled", async (t) => {
  const { incoming } = await ask(
    t,
    (async function* () {
      yield "1\n";
      await new Promise((resolve) => setTimeout(resolve, 200));
      yield "2\n";
      return {};
    })(),
    [],
    20,
  );
  assert.equal(await textOf(incoming), "1\n2\n");
});

test("a client that reads nothing any more is given up, while the text is made and when it has been", async (t) => {
  for (const [what, pieces] of [
    ["made", endless()],
    [
      "whole",
      (async function* () {
        yield LINE.repeat(64 * 1_024);
        return {};
      })(),
    ],
  ] as const) {
    const { incoming, sent } = await ask(t, pieces, [], 50);
    assert.equal(await sent, "done", what);
    await assert.rejects(textOf(incoming), { code: "ECONNRESET" }, what);
  }

  async function* endless(): AsyncGenerator<string, never, void> {
    for (;;) yield LINE.repeat(64);
  }
});

test("where a half-closed client waits for its answer, one that has gone ends a text that has nothing for it", async (t) => {
  const ended = Promise.withResolvers<void>();
  const pieces = (async function* () {
    try {
      yield "first\n";
      for (;;) {
        await nextTurn();
        yield "";
      }
    } finally {
      ended.resolve();
    }
  })();
  const server = createServer((_, response) => {
    void sendStream(response, { mediaType: "text/csv", fileName: "a.csv", pieces }, []);
  });
  Object.assign(server, { httpAllowHalfOpen: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.closeAllConnections(), server.close()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "data");
  socket.destroy();
  await ended.promise;
});
