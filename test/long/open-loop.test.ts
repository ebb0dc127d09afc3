import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { openLoop, percentile } from "./open-loop.ts";

const VENDOR_MS = 100;
const RUNS_MAX = 4;

test("at five times its capacity the service keeps what it accepts fast, refuses the rest at once, and recovers", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(VENDOR_MS, json({ ok: true })) } });
  const service = await startService(t, {
    sources: [asksVendor("acme__slow", vendor, "/slow")],
    settings: { "limits.runs": RUNS_MAX },
    vendors: [vendor],
  });
  const ask = () => service.run({ acme__slow: true });
  const capacity = (RUNS_MAX * 1_000) / VENDOR_MS;
  const samples = await openLoop(5 * capacity, 3_000, ask);

  const accepted = samples.filter(({ statusCode }) => statusCode === 200);
  const refused = samples.filter(({ statusCode }) => statusCode === 500);
  assert.equal(accepted.length + refused.length, samples.length);
  assert.equal(vendor.count(), accepted.length, "a refusal calls no vendor");
  assert.ok(accepted.length > capacity * 3 * 0.3, `only ${accepted.length} of ${samples.length} were accepted`);
  assert.ok(refused.length > samples.length / 2, `only ${refused.length} of ${samples.length} were refused`);
  const [acceptedMs, refusedMs] = [percentile(accepted, 0.5), percentile(refused, 0.5)];
  assert.ok(acceptedMs < VENDOR_MS + 300, `half of the accepted took over ${acceptedMs} ms`);
  assert.ok(refusedMs < 200, `half of the refused took over ${refusedMs} ms`);
  for (let count = 0; count < 5; count += 1) assert.equal((await ask()).statusCode, 200);
  t.diagnostic(
    JSON.stringify({
      offered: samples.length,
      accepted: accepted.length,
      acceptedMs: [acceptedMs, percentile(accepted, 0.99)],
      refusedMs: [refusedMs, percentile(refused, 0.99)],
    }),
  );
});
