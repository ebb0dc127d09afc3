import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("calls to one slow vendor fail by themselves when its room is used up, and others do not notice", async (t) => {
  const slow = await startVendor(t, { paths: { "/slow": later(1_500, json({ slow: true })) } });
  const quick = await startVendor(t);
  const service = await startService(t, {
    sources: [asksVendor("acme__slow", slow, "/slow"), asksVendor("bell__quick", quick, "/json")],
    settings: { "limits.vendor_connections": 8, "limits.vendor_queue": 12, "limits.runs_per_organization": 128 },
    vendors: [slow, quick],
  });
  const waiting = Array.from({ length: 20 }, () => service.run({ acme__slow: true, bell__quick: true }));
  await slow.received(4);
  const tookMs: number[] = [];
  for (let count = 0; count < 30; count += 1) {
    const startedAt = performance.now();
    const { status } = (await service.run({ bell__quick: true })).json();
    assert.equal(status["bell__quick"].success, true);
    tookMs.push(performance.now() - startedAt);
  }
  const outcomes = (await Promise.all(waiting)).map((reply) => reply.json().status);

  assert.ok(tookMs.sort((a, b) => a - b)[15]! < 500, `half of the others took over ${tookMs[15]} ms`);
  assert.ok(
    outcomes.every((status) => status["bell__quick"].success),
    "in the same run too",
  );
  const full = outcomes.filter((status) => /too many calls to this vendor/.test(status["acme__slow"].message));
  assert.equal(slow.count(), 4);
  assert.equal(full.length, 16, "of half the places each, 6 waited in vain, and 10 found no place to wait");
});

test("a source's own limit on concurrency keeps a slow vendor from filling its organization's share", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(2_500, json({ slow: true })) } });
  const service = await startService(t, {
    sources: [asksVendor("acme__slow", vendor, "/slow", { limits: { concurrency: 3 } })],
    settings: { "limits.runs_per_organization": 5 },
    vendors: [vendor],
  });
  const waiting = [1, 2, 3].map(() => service.run({ acme__slow: true }));
  await vendor.received(3);
  // They wait for a second, which is less than the vendor takes.
  for (const reply of await Promise.all([1, 2].map(() => service.run({ acme__slow: true })))) {
    assert.equal(reply.statusCode, 200);
    assert.match(reply.json().status["acme__slow"].message, /^Adapter error: too many calls/);
  }
  for (const reply of await Promise.all(waiting)) assert.equal(reply.json().status["acme__slow"].success, true);
  assert.equal(vendor.count(), 3);
});
