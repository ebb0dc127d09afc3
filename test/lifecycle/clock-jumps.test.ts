import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/terms/clock.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const DAY_MS = 86_400_000;

test("a wall clock that jumps changes no duration, no timeout and no order within a run", async (t) => {
  let jump = 0;
  const clock = { ...systemClock, wall: () => Date.now() + jump };
  const vendor = await startVendor(t, { paths: { "/slow": later(150, json({ slow: true })), "/hung": hang } });
  const service = await startService(t, {
    clock,
    sources: [
      asksVendor("acme__slow", vendor, "/slow"),
      asksVendor("acme__hung", vendor, "/hung", { timeout_ms: 400 }),
    ],
    vendors: [vendor],
  });
  for (const by of [DAY_MS, -DAY_MS, -2 * DAY_MS, 0]) {
    const before = vendor.count();
    const startedAt = performance.now();
    const running = service.run({ acme__slow: true, acme__hung: true });
    await vendor.received(before + 2);
    jump = by;
    const reply = (await running).json();
    const tookMs = performance.now() - startedAt;

    assert.equal(reply.status["acme__slow"].success, true);
    assert.match(reply.status["acme__hung"].message, /^Adapter error: timed out after/);
    assert.ok(tookMs > 380 && tookMs < 5_000, `the timeout of 400 ms came after ${Math.round(tookMs)} ms`);
    assert.ok(reply.response_time_ms >= 390 && reply.response_time_ms <= tookMs);
    const { run, calls, attempts } = service.ledgerRows(reply.transaction_id);
    for (const times of [
      [run["took_ms"]],
      calls.map((call) => call["took_ms"]),
      calls.map((call) => call["started_after_ms"]),
      attempts.map((attempt) => attempt["took_ms"]),
    ])
      for (const time of times) assert.ok(Number(time) >= 0 && Number(time) < 5_000, `${time}`);
    assert.deepEqual(calls.map((call) => call["ordinal"]), [0, 1, 2]); // prettier-ignore
  }
  assert.equal((await service.run({})).statusCode, 200, "a token that has no end does not end by a jump");
});
