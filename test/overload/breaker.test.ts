import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/terms/time/clock.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const DOWN = json({ error: "down" }, { status: 503 });

test("when a vendor is down it is soon left alone, one call finds out that it is back, and then all go through", async (t) => {
  let skippedMs = 0;
  const clock = { ...systemClock, now: () => performance.now() + skippedMs };
  const vendor = await startVendor(t, { paths: { "/people": DOWN, "/firms": json({ up: true }) } });
  const service = await startService(t, {
    clock,
    sources: [asksVendor("acme__people", vendor, "/people"), asksVendor("acme__firms", vendor, "/firms")],
    vendors: [vendor],
  });
  const ask = async (as = service.a) =>
    (await service.run({ acme__people: true }, {}, { as })).json().status["acme__people"] as {
      success: boolean;
      message: string;
    };
  const openNow = async () =>
    /^datarun_breakers_open (\d+)$/m.exec(await (await fetch(`${service.adminUrl}/metrics`)).text())![1];

  for (let count = 0; count < 60; count += 1) assert.equal((await ask()).success, false);
  assert.equal(vendor.count("/people"), 20, "twenty calls tell, no more are made");
  assert.match((await ask()).message, /^Adapter error: this vendor has been failing/);
  assert.equal(await openNow(), "1");
  assert.equal(
    (await service.run({ acme__firms: true })).json().status["acme__firms"].success,
    true,
    "its other source goes on",
  );
  assert.match((await ask(service.b)).message, /503/, "another organization finds out for itself");

  skippedMs += 5_000;
  assert.match((await ask()).message, /503/);
  assert.equal(vendor.count("/people"), 22, "the probe failed");
  skippedMs += 5_000;
  assert.match((await ask()).message, /has been failing/, "the pause has doubled");

  vendor.on("/people", later(200, json({ up: true })));
  skippedMs += 5_000;
  const probing = await Promise.all(Array.from({ length: 8 }, () => ask()));
  assert.equal(probing.filter(({ success }) => success).length, 1, "one probe, the others do not wait for it");
  assert.equal(vendor.count("/people"), 23);
  for (const { success } of await Promise.all(Array.from({ length: 8 }, () => ask()))) assert.equal(success, true);
  assert.equal(await openNow(), "0");
});
