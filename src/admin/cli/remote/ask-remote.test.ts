import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { OperatorError } from "../../../terms/operator-error.ts";
import { askRemote } from "./ask-remote.ts";
import { RemoteDefect } from "./read-answer.ts";

const EVENTS = { "Content-Type": "text/event-stream; charset=utf-8", "Datarun-Api": "1" };

async function askedOf(t: TestContext, answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response)).listen(0, "127.0.0.1");
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const told: unknown[] = [];
  const heard = Promise.withResolvers<void>();
  const hear = (one: unknown) => {
    told.push(one);
    if (told.length === 2) heard.resolve();
  };
  const result = askRemote(
    { url, token: "dop_x" },
    "keys rotate",
    {},
    { note: hear, onProgress: (...progress) => hear(progress) },
  );
  result.catch(() => {});
  return { result, told, heard: heard.promise };
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

test("progress and remarks are printed while the service works, before it has a result", async (t) => {
  let end = (): void => {};
  const { result, told, heard } = await askedOf(t, (response) => {
    response.writeHead(200, EVENTS);
    response.write(event("note", { says: "It takes a while." }) + event("progress", { what: "keys", done: 1, of: 2 }));
    end = () => response.end(event("result", { rotated: 2 }));
  });
  await heard;
  assert.deepEqual(told, ["It takes a while.", ["keys", 1, 2]]);
  end();
  assert.deepEqual(await result, { rotated: 2 });
});

test("an error at the end is the verb's own, and an end without an outcome is none of its successes", async (t) => {
  const refused = await askedOf(t, (response) =>
    response.writeHead(200, EVENTS).end(event("error", { error: { code: "refused", message: "Not now." } })),
  );
  await assert.rejects(
    refused.result,
    (error: OperatorError) => error.code === "refused" && error.message === "Not now.",
  );
  const cut = await askedOf(t, (response) => response.writeHead(200, EVENTS).end(event("note", { says: "x" })));
  await assert.rejects(
    cut.result,
    (error: OperatorError) => error.code === "unavailable" && /closed the connection/.test(error.message),
  );
});

test("a service that answers at once, as older ones do, is understood too", async (t) => {
  const { result, told } = await askedOf(t, (response) => {
    const notes = encodeURIComponent(JSON.stringify(["A remark."]));
    response.writeHead(200, { "Content-Type": "application/json", "Datarun-Api": "1", "Datarun-Notes": notes });
    response.end('{"rotated":2}');
  });
  assert.deepEqual(await result, { rotated: 2 });
  assert.deepEqual(told, ["A remark."]);
});

const HOSTILE: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "an error without words": (response) => response.writeHead(200, EVENTS).end(event("error", {})),
  "an error that moves the cursor": (response) =>
    response
      .writeHead(200, EVENTS)
      .end(event("error", { error: { code: "refused", message: "\u001b[2J\u009b1mfine" } })),
  "problems that are none": (response) =>
    response.writeHead(200, EVENTS).end(
      event("error", {
        error: { code: "invalid", message: "x", details: [null, { path: {}, message: "\u001b]0;x\u0007" }] },
      }),
    ),
  "a result that is cut": (response) => response.writeHead(200, EVENTS).end('event: result\ndata: {"a":\n\n'),
  "a result that is a list": (response) => response.writeHead(200, EVENTS).end("event: result\ndata: []\n\n"),
  "an answer at once that is cut": (response) =>
    response
      .writeHead(200, { "Content-Type": "application/json", "Datarun-Api": "1", "Datarun-Notes": "%zz" })
      .end("{"),
};

for (const [name, answer] of Object.entries(HOSTILE)) {
  test(`${name} fails the command in words that can be printed`, async (t) => {
    const { result } = await askedOf(t, answer);
    await assert.rejects(result, (error: Error) => {
      assert.ok(error instanceof OperatorError || error instanceof RemoteDefect, String(error));
      assert.doesNotMatch(error.message, /\p{Cc}/u);
      return true;
    });
  });
}

test("progress that is none of a service moves no cursor", async (t) => {
  const { result, told } = await askedOf(t, (response) =>
    response
      .writeHead(200, EVENTS)
      .end(event("progress", { what: "\u001b[2Jkeys", done: "x", of: {} }) + event("result", {})),
  );
  assert.deepEqual(await result, {});
  assert.deepEqual(told, [["keys", 0]]);
});
