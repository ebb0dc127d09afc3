import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/terms/time/clock.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const DAY_MS = 86_400_000;
/** Time enough to send a request, on any machine. */
const TIMEOUT_MS = 1_000;
/** Longer than anything takes here, and much shorter than the jumps. */
const LONG_MS = 60_000;

test("a wall clock that jumps changes no duration, no timeout and no order within a run", async (t) => {
  let jump = 0;
  const clock = { ...systemClock, wall: () => Date.now() + jump };
  const vendor = await startVendor(t, { paths: { "/slow": later(150, json({ slow: true })), "/hung": hang } });
  const service = await startService(t, {
    clock,
    sources: [
      asksVendor("acme__slow", vendor, "/slow"),
      asksVendor("acme__hung", vendor, "/hung", { timeout_ms: TIMEOUT_MS }),
    ],
    vendors: [vendor],
  });
  for (const by of [DAY_MS, -DAY_MS, -2 * DAY_MS, 0]) {
    const before = vendor.count();
    const startedAt = performance.now();
    const running = service.run({ acme__slow: true, acme__hung: true });
    await Promise.race([vendor.received(before + 2), running]);
    jump = by;
    const reply = (await running).json();
    const tookMs = performance.now() - startedAt;

    assert.equal(reply.status["acme__slow"].success, true);
    assert.match(reply.status["acme__hung"].message, /^Adapter error: timed out after/);
    assert.ok(tookMs > TIMEOUT_MS - 20 && tookMs < LONG_MS, `the timeout came after ${Math.round(tookMs)} ms`);
    assert.ok(reply.response_time_ms >= TIMEOUT_MS - 10 && reply.response_time_ms <= tookMs);
    const { run, calls, attempts } = service.ledgerRows(reply.transaction_id);
    for (const times of [
      [run["took_ms"]],
      calls.map((call) => call["took_ms"]),
      calls.map((call) => call["started_after_ms"]),
      attempts.map((attempt) => attempt["took_ms"]),
    ])
      for (const time of times) assert.ok(Number(time) >= 0 && Number(time) < LONG_MS, `${time}`);
    assert.deepEqual(
      calls.map((call) => call["ordinal"]),
      [0, 1, 2],
    );
  }
  assert.equal((await service.run({})).statusCode, 200, "a token that has no end does not end by a jump");
});
