import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf } from "../rig/error-of.ts";
import { HEALTHY } from "../rig/run-rules.ts";
import { startService } from "../rig/service.ts";
import { answers, asksVendor, source } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A source that ends when it is told to, and says when it has begun. */
function gated(id: string) {
  let open: () => void;
  let begin: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const declaration = source(id, async () => {
    begin();
    await opened;
    return { done: true };
  });
  return { declaration, begun, open: () => open() };
}

const RUN = { config: { sources: { acme__gate: true } } };

test("an empty or missing config.sources is 500, with any context", async (t) => {
  const service = await startService(t);
  for (const config of [{}, { sources: {} }, { context: "prod" }, { sources: {}, context: "test", more: 1 }]) {
    const reply = await service.post("/data", { config, inputs: { name: "Ada" } });
    assert.equal(reply.statusCode, 500);
    assert.deepEqual(errorOf(reply), { code: "no_sources", message: "config.sources names no source." });
  }
  assert.deepEqual(service.ledgerRows(), [], "what was refused is no run");
  const levels = (await service.logLines())
    .filter(({ event }) => event === "refused")
    .map(({ level }) => Number(level));
  assert.ok(levels.length > 0 && Math.max(...levels) <= 30, "a request of a client wakes no operator");
});

test("401 and 422 come before the 500 of empty sources", async (t) => {
  const service = await startService(t);
  assert.equal((await service.post("/data", { config: { sources: {} } }, { as: null })).statusCode, 401);
  assert.equal((await service.post("/data", { config: { sources: {}, context: "staging" } })).statusCode, 422);
  assert.equal((await service.post("/data", { config: {}, inputs: [] })).statusCode, 422);
});

test("over its limit of runs the service refuses before any vendor is called, and recovers", async (t) => {
  const vendor = await startVendor(t);
  const gate = gated("acme__gate");
  const sources = [gate.declaration, asksVendor("acme__people", vendor, "/json")];
  const service = await startService(t, { sources, vendors: [vendor], settings: { "limits.runs": 1 } });
  const first = service.post("/data", RUN);
  await gate.begun;

  const refused = await service.post("/data", { config: { sources: { acme__people: true } } }, { as: service.b });
  assert.equal(refused.statusCode, 500);
  assert.equal(refused.json().error.code, "overloaded");
  assert.equal(vendor.count(), 0);
  assert.equal((await service.send("GET", "/status")).statusCode, 200, "/status answers all the same");

  gate.open();
  assert.deepEqual((await first).json().outputs, { acme__gate: { done: true } });
  assert.equal((await service.run({ acme__people: true })).statusCode, 200);
});

test("one organization at its limit leaves the others their share", async (t) => {
  const gate = gated("acme__gate");
  const settings = { "limits.runs_per_organization": 1 };
  const service = await startService(t, { sources: [gate.declaration, answers("acme__people", {})], settings });
  const first = service.post("/data", RUN);
  await gate.begun;

  const body = { config: { sources: { acme__people: true } } };
  assert.equal((await service.post("/data", body)).json().error.code, "overloaded");
  assert.equal(
    (await service.post("/func", { config: {} })).json().error.code,
    "overloaded",
    "a function is a run too",
  );
  assert.equal((await service.post("/data", body, { as: service.b })).statusCode, 200);

  gate.open();
  assert.equal((await first).statusCode, 200);
});

test("an operator may have overload answered with 503", async (t) => {
  const gate = gated("acme__gate");
  const settings = { "limits.runs": 1, overload_status: 503 };
  const service = await startService(t, { sources: [gate.declaration], settings });
  const first = service.post("/data", RUN);
  await gate.begun;

  const body = JSON.stringify(RUN);
  const request = `${service.rawHead("/data")}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const { replies } = await service.raw([request]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [503],
  );
  assert.equal(JSON.parse(replies[0]!.text).error.code, "overloaded");

  gate.open();
  await first;
});

test("while it shuts down, runs in progress and arriving requests are answered, and nothing new is accepted", async (t) => {
  const gate = gated("acme__gate");
  const service = await startService(t, { sources: [gate.declaration] });
  const first = service.post("/data", RUN);
  await gate.begun;
  const body = JSON.stringify({ config: { sources: { [HEALTHY]: true } }, inputs: {} });
  let closing: Promise<void>;

  const { replies, closed } = await service.raw([
    service.rawHead("/data"),
    50,
    () => void (closing = service.close()),
    `Content-Length: ${body.length}\r\n\r\n${body}`,
  ]);
  gate.open();

  assert.deepEqual(
    replies.map(({ statusCode, headers }) => [statusCode, headers.connection]),
    [[200, "close"]],
  );
  assert.equal(JSON.parse(replies[0]!.text).status[HEALTHY].success, true);
  assert.ok(closed);
  assert.deepEqual((await first).json().outputs, { acme__gate: { done: true } });
  await closing!;
  await assert.rejects(service.post("/data", RUN), "nothing listens any more");
});

test("when runs cannot be recorded they are refused, and no vendor is called", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [asksVendor("acme__people", vendor, "/json")],
    vendors: [vendor],
    settings: { "limits.journal_bytes": 2_500_000 },
  });

  let called = 0;
  for (;;) {
    const reply = await service.post("/data", { config: { sources: { acme__people: true } } });
    if (reply.statusCode === 500) {
      assert.equal(reply.json().error.code, "unavailable");
      break;
    }
    called += 1;
    assert.ok(called < 10_000, "a journal of 2.5 MB is never full");
  }
  assert.equal(vendor.count(), called, "the refused run called nobody");
  assert.equal((await service.post("/func", { config: {} })).json().error.code, "unavailable");
  assert.equal((await service.send("GET", "/status")).statusCode, 200);
  const other = await service.post("/data", { config: { sources: { acme__people: true } } }, { as: service.b });
  assert.equal(other.statusCode, 200, "an organization that holds nothing of the journal has a share of its end");
});
