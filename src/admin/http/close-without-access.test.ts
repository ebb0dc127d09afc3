import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { closeWithoutAccess } from "./close-without-access.ts";

/** A started answer whose client waits for the rest. */
async function begun(t: TestContext): Promise<ServerResponse> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
  t.after(() => socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  response.write("a part");
  return response;
}

test("an answer is cut off within a second after its reader may not see it any more, and not before", async (t) => {
  const clock = new FakeClock();
  const response = await begun(t);
  let isIn = true;
  closeWithoutAccess(response, async () => isIn, clock);
  await clock.advance(60_000);
  assert.equal(response.destroyed, false);
  isIn = false;
  await clock.advance(1_000);
  assert.equal(response.destroyed, true);
  assert.equal(clock.timers, 0);
});

test("while access cannot be checked the answer continues, and it is not checked after the end", async (t) => {
  const clock = new FakeClock();
  const response = await begun(t);
  let asked = 0;
  closeWithoutAccess(response, () => ((asked += 1), Promise.reject(new Error("the store does not answer"))), clock);
  await clock.advance(5_000);
  assert.deepEqual([response.destroyed, asked], [false, 5]);
  response.end();
  await once(response, "close");
  await clock.advance(5_000);
  assert.deepEqual([asked, clock.timers], [5, 0]);
});
