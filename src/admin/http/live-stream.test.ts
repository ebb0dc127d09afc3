import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { createLiveStream } from "./live-stream.ts";

/** A client of a real server. It has sent its request and reads only when the test says so. */
async function client(t: TestContext): Promise<{ readonly response: ServerResponse; readonly socket: Socket }> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  return { response, socket };
}

const turn = () => new Promise<void>((resolve) => void setTimeout(resolve, 5));

test("the figures are made once a second for all clients, and not at all while there is none", async (t) => {
  const clock = new FakeClock();
  let made = 0;
  const live = createLiveStream({ clock, event: async () => ({ number: (made += 1) }), failed: assert.ifError });
  await clock.advance(5_000);
  assert.equal(made, 0);
  const [one, other] = [await client(t), await client(t)];
  live.add("ada", one.response, async () => true);
  live.add("ada", other.response, async () => true);
  await clock.advance(3_000);
  assert.equal(made, 4);
  one.socket.destroy();
  other.socket.destroy();
  await Promise.all([once(one.response, "close"), once(other.response, "close")]);
  await clock.advance(10_000);
  assert.equal(made, 4);
  assert.equal(clock.timers, 0);
});

test("figures that take longer than a second are followed by the next at once", async (t) => {
  const clock = new FakeClock();
  const waits: number[] = [];
  const noting = { ...clock, after: (ms: number, callback: () => void) => (waits.push(ms), clock.after(ms, callback)) };
  const event = () => new Promise<object>((resolve) => void clock.after(1_500, () => resolve({})));
  const live = createLiveStream({ clock: noting, event, failed: assert.ifError });
  live.add("ada", (await client(t)).response, async () => true);
  await clock.advance(3_000);
  assert.deepEqual(waits, [0, 0]);
});

test("a client that does not read is cut off, and nothing is kept for it meanwhile", async (t) => {
  const clock = new FakeClock();
  const filler = "x".repeat(8 * 1_048_576);
  const live = createLiveStream({ clock, event: async () => ({ filler }), failed: assert.ifError });
  const { response } = await client(t);
  let most = 0;
  live.add("ada", response, async () => true);
  for (let second = 0; second < 20 && !response.destroyed; second += 1) {
    await clock.advance(1_000);
    most = Math.max(most, response.writableLength);
    await turn();
  }
  assert.ok(response.destroyed);
  assert.ok(most < 2 * filler.length, `${most} bytes were kept`);
  await turn();
  assert.equal(live.clients(), 0);
});

test("if the figures cannot be computed, the clients get an error, and the next client is served again", async (t) => {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  let fails = true;
  const event = async () => {
    if (fails) throw new TypeError("a defect");
    return {};
  };
  const live = createLiveStream({ clock, event, failed: (error) => failures.push(error) });
  const first = await client(t);
  live.add("ada", first.response, async () => true);
  await clock.advance(1);
  assert.ok(first.response.writableEnded);
  assert.equal(failures.length, 1);
  fails = false;
  const next = await client(t);
  live.add("ada", next.response, async () => true);
  await clock.advance(1_000);
  assert.equal(live.clients(), 1);
  assert.equal(next.response.writableEnded, false);
});
