import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { OperatorError } from "../../terms/operator-error.ts";
import { askRemote } from "./ask-remote.ts";

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
  const result = askRemote({ url, token: "dop_x" }, "keys rotate", {}, { note: hear, onProgress: (...progress) => hear(progress) }); // prettier-ignore
  result.catch(() => {});
  return { result, told, heard: heard.promise };
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

test("progress and remarks are told while the service works, before it has a result", async (t) => {
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
  await assert.rejects(refused.result, (error: OperatorError) => error.code === "refused" && error.message === "Not now."); // prettier-ignore
  const cut = await askedOf(t, (response) => response.writeHead(200, EVENTS).end(event("note", { says: "x" })));
  await assert.rejects(cut.result, (error: OperatorError) => error.code === "unavailable" && /hung up/.test(error.message)); // prettier-ignore
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
