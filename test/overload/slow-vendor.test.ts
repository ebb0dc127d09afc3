import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { type Behaviour, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A vendor that replies when the test lets it. Calls have time for that on any machine. */
function untilReleased() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const behaviour: Behaviour = (socket, request) => void promise.then(() => json({ slow: true })(socket, request));
  return { behaviour, release: resolve };
}

const PATIENT = { timeout_ms: 60_000 };

test("calls to one slow vendor fail by themselves when its slots are used up, and others are not affected", async (t) => {
  const { behaviour, release } = untilReleased();
  const slow = await startVendor(t, { paths: { "/slow": behaviour } });
  const quick = await startVendor(t);
  const service = await startService(t, {
    sources: [asksVendor("acme__slow", slow, "/slow", PATIENT), asksVendor("bell__quick", quick, "/json")],
    settings: { "limits.vendor_connections": 8, "limits.expert.vendor_queue": 12, "limits.runs_per_organization": 128 },
    vendors: [slow, quick],
  });
  const answered: Record<string, { success: boolean; message: string }>[] = [];
  const run = async () =>
    void answered.push((await service.run({ acme__slow: true, bell__quick: true })).json().status);
  const waiting = Array.from({ length: 20 }, run);
  await slow.received(4);
  // All of them are answered while the slow vendor holds its calls.
  for (let count = 0; count < 30; count += 1)
    assert.equal((await service.run({ bell__quick: true })).json().status["bell__quick"].success, true);
  await until(() => answered.length === 16);
  release();
  await Promise.all(waiting);

  assert.ok(
    answered.every((status) => status["bell__quick"]!.success),
    "in the same run too",
  );
  const full = answered.filter((status) => status["acme__slow"]!.message.includes("too many calls to this vendor"));
  assert.equal(slow.count(), 4);
  assert.equal(full.length, 16, "of half the places each, 6 waited in vain, and 10 found no place to wait");
});

test("a source's own limit on concurrency keeps a slow vendor from filling its organization's share", async (t) => {
  const { behaviour, release } = untilReleased();
  const vendor = await startVendor(t, { paths: { "/slow": behaviour } });
  const service = await startService(t, {
    sources: [asksVendor("acme__slow", vendor, "/slow", { ...PATIENT, limits: { concurrency: 3 } })],
    settings: { "limits.runs_per_organization": 5 },
    vendors: [vendor],
  });
  const waiting = [1, 2, 3].map(() => service.run({ acme__slow: true }));
  await vendor.received(3);
  // They wait for a second, and the vendor does not reply in that time.
  for (const reply of await Promise.all([1, 2].map(() => service.run({ acme__slow: true })))) {
    assert.equal(reply.statusCode, 200);
    assert.match(reply.json().status["acme__slow"].message, /^Adapter error: too many calls/);
  }
  release();
  for (const reply of await Promise.all(waiting)) assert.equal(reply.json().status["acme__slow"].success, true);
  assert.equal(vendor.count(), 3);
});
