import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Reply } from "../rig/client.ts";
import { startService, type ServiceOptions, type TestService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { type Behaviour, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A service with a vendor that answers nobody until it is told to. */
async function busy(t: TestContext, settings: ServiceOptions["settings"]) {
  const held: (() => void)[] = [];
  const hold: Behaviour = (socket, request) => void held.push(() => json({ ok: true })(socket, request));
  const vendor = await startVendor(t, { paths: { "/held": hold } });
  const sources = [asksVendor("acme__held", vendor, "/held")];
  const service = await startService(t, { sources, vendors: [vendor], settings: settings! });
  const ask = (as: TestService["a"]) => service.run({ acme__held: true }, {}, { as });
  return { service, vendor, ask, letGo: () => held.splice(0).forEach((answer) => answer()) };
}

function countsOf(replies: readonly Reply[]) {
  const overloaded = replies.filter(({ statusCode }) => statusCode !== 200);
  for (const reply of overloaded) assert.equal(reply.json().error.code, "overloaded");
  return { answered: replies.length - overloaded.length, refused: overloaded.length };
}

/** Starts that many, waits until those that will be refused have been, then lets the others end. */
async function flood(asked: readonly Promise<Reply>[], admitted: number, letGo: () => void): Promise<readonly Reply[]> {
  let ended = 0;
  for (const reply of asked) void reply.then(() => (ended += 1));
  while (ended < asked.length - admitted) await new Promise((resolve) => setTimeout(resolve, 10));
  letGo();
  return Promise.all(asked);
}

test("an organization that floods the service uses only its own share", async (t) => {
  const { service, vendor, ask, letGo } = await busy(t, { "limits.runs": 12, "limits.runs_per_organization": 4 });
  const flooding = Array.from({ length: 40 }, () => ask(service.a));
  await vendor.received(4);
  const others = [ask(service.b), ask(service.b)];
  await vendor.received(6);

  const replies = await flood(flooding, 4, letGo);
  assert.deepEqual(countsOf(replies), { answered: 4, refused: 36 });
  assert.deepEqual(countsOf(await Promise.all(others)), { answered: 2, refused: 0 });
  assert.equal(vendor.count(), 6, "a refusal calls no vendor");
});

test("organizations that take all they can leave slots for the next, and the process has a limit", async (t) => {
  const { service, vendor, ask, letGo } = await busy(t, { "limits.runs": 5, "limits.runs_per_organization": 4 });
  const asked = Array.from({ length: 12 }, (_, number) => ask(number % 2 === 0 ? service.a : service.b));
  assert.deepEqual(countsOf(await flood(asked, 3, letGo)), { answered: 3, refused: 9 });
  assert.equal(vendor.count(), 3);
  const afterwards = ask(service.a);
  await vendor.received(4);
  letGo();
  assert.equal((await afterwards).statusCode, 200, "room that was used is room again");
});

test("a refusal for overload is 500, or 503 where the operator wants it, and /status is never refused", async (t) => {
  for (const [settings, status] of [
    [{}, 500],
    [{ overload_status: 503 }, 503],
  ] as const) {
    const { service, vendor, ask, letGo } = await busy(t, { "limits.runs": 1, ...settings });
    const first = ask(service.a);
    await vendor.received(1);
    const text = JSON.stringify({ config: { sources: { acme__held: true } } });
    const request = `${service.rawHead("/data")}Content-Length: ${text.length}\r\n\r\n${text}`;
    const [refused] = (await service.raw([request], { replies: 1 })).replies;
    assert.equal(refused!.statusCode, status);
    assert.equal(JSON.parse(refused!.text).error.code, "overloaded");
    assert.equal(refused!.headers["retry-after"], undefined);
    assert.equal((await service.send("GET", "/status")).statusCode, 200);
    assert.equal(
      (await service.post("/data", { config: { sources: {} } })).statusCode,
      500,
      "and the wrong stays wrong",
    );
    letGo();
    assert.equal((await first).statusCode, 200);
  }
});

test("one connection has one run at a time, however many requests it sends ahead", async (t) => {
  const { service, vendor, letGo } = await busy(t, {});
  const text = JSON.stringify({ config: { sources: { acme__held: true } } });
  const request = `${service.rawHead("/data")}Content-Length: ${text.length}\r\n\r\n${text}`;
  const exchanged = service.raw([request.repeat(5)], { replies: 5 });
  for (let count = 1; count <= 5; count += 1) {
    await vendor.received(count);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(vendor.count(), count);
    letGo();
  }
  const { replies } = await exchanged;
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200, 200],
  );
});
