import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor, sendsCredential } from "../rig/sources.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const JOURNAL_BYTES = 16 * 1024 * 1024;
const AT_ONCE = 16;
/** Without a bound these runs write more than twice the journal. */
const ROUNDS = 260;

test("an organization whose runs cost it nothing cannot fill the journal for another that has never written to it", async (t) => {
  const vendor = await startVendor(t, { paths: { "/paid": json({ ok: true }) } });
  const names = Array.from({ length: 99 }, (_, at) => `acme__costs_nothing_${at}`);
  const service = await startService(t, {
    sources: [
      ...names.map((name) => sendsCredential(name, vendor, "/free")),
      asksVendor("acme__paid", vendor, "/paid"),
    ],
    vendors: [vendor],
    settings: { "limits.journal_bytes": JOURNAL_BYTES },
  });
  const withoutCredential = Object.fromEntries(names.map((name) => [name, true]));

  let refused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const flood = Array.from({ length: AT_ONCE }, () => service.run(withoutCredential));
    // First of B in the middle of the flood, when the journal would be full.
    const paid = round < ROUNDS / 2 ? [] : [service.run({ acme__paid: true }, {}, { as: service.b })];
    for (const reply of await Promise.all(paid)) assert.equal(reply.statusCode, 200, `round ${round}: ${reply.text}`);
    for (const reply of await Promise.all(flood)) {
      if (reply.statusCode === 200) continue;
      assert.equal(reply.json().error.code, "unavailable");
      refused += 1;
    }
  }
  assert.ok(refused > 0, "the flood was refused");
});
