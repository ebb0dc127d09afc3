import assert from "node:assert/strict";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { openLoop, percentile } from "./open-loop.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const VENDOR_MS = 100;
/** Of one organization, which is half of what the process lets in. */
const RUNS_MAX = 8;
const CAPACITY = (RUNS_MAX * 1_000) / VENDOR_MS;
const MIB = 1024 * 1024;
const [WARM_MS, STORM_MS] = [60_000, 20_000];

test("more than a minute at five times its capacity, on the real command: fast, honest, and no larger at the end", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(VENDOR_MS, json({ ok: true })) } });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { slow: "/slow" }) });
  const service = await deployment.start({ args: ["--limits-runs", String(2 * RUNS_MAX)] });
  const ask = () => service.run({ acme__slow: true });
  const residentMib = async () => {
    const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(page)![1]) / MIB;
  };
  const calm = await openLoop(CAPACITY / 4, 3_000, ask);
  const baselineMs = percentile(calm, 0.99);

  // Only then has it as much memory as it takes for that: it grows for half a minute, and then no more.
  const warm = await openLoop(5 * CAPACITY, WARM_MS, ask);
  const before = await residentMib();
  const stormed = await openLoop(5 * CAPACITY, STORM_MS, ask);
  const grownMib = (await residentMib()) - before;
  const storm = [...warm, ...stormed];
  const endedAt = performance.now();
  const recovered = await openLoop(CAPACITY / 4, 3_000, ask);

  const accepted = storm.filter(({ statusCode }) => statusCode === 200);
  const refused = storm.filter(({ statusCode }) => statusCode === 500);
  const figures = {
    baselineMs,
    offered: storm.length,
    accepted: accepted.length,
    acceptedMs: [percentile(accepted, 0.5), percentile(accepted, 0.99)],
    refusedMs: [percentile(refused, 0.5), percentile(refused, 0.99)],
    recoveredMs: percentile(recovered, 0.99),
    residentMib: Math.round(before),
    grownMib: Math.round(grownMib),
  };
  t.diagnostic(JSON.stringify(figures));
  assert.equal(accepted.length + refused.length, storm.length);
  const all = [...calm, ...accepted, ...recovered].filter(({ statusCode }) => statusCode === 200);
  assert.equal(vendor.count(), all.length, "a refusal calls no vendor");
  assert.ok(accepted.length > ((CAPACITY * (WARM_MS + STORM_MS)) / 1_000) * 0.3, JSON.stringify(figures));
  assert.ok(figures.acceptedMs[1]! < 2 * baselineMs + 300, JSON.stringify(figures));
  assert.ok(figures.refusedMs[1]! < 300, JSON.stringify(figures));
  const late = recovered.filter(({ sentAt, statusCode }) => sentAt > endedAt + 1_000 && statusCode !== 200);
  assert.equal(late.length, 0, "a second after the storm nothing is refused");
  assert.ok(grownMib < 20, JSON.stringify(figures));
});
