import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { project } from "../start/project-folder.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const MIB = 1_048_576;
const RUNS = 6;
const CALLS = 24;
const ASKS = `export default { id: "dfunc_asks", title: "asks", memory_mb: 64,
  async run({ run }) {
    const seen = {};
    for (let round = 0; round < ${CALLS / 8}; round += 1)
      for (const { success, message } of await Promise.all(Array.from({ length: 8 }, () => run("acme__large", {}))))
        seen[success ? "ok" : message] = (seen[success ? "ok" : message] ?? 0) + 1;
    return { output: seen };
  } };`;

const vendor = await startVendor({ after }, { paths: { "/large": json({ text: "x".repeat(MIB) }) } });
const service = await startService(
  { after },
  {
    sources: [asksVendor("acme__large", vendor, "/large")],
    project: project({ after }, { "functions/asks.mjs": ASKS }),
    settings: { "limits.expert.held_bytes": 16 * MIB },
    vendors: [vendor],
  },
);

async function heldBytes(): Promise<number> {
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  return Number(/^datarun_held_bytes (\d+)$/m.exec(metrics)?.[1]);
}

test("functions that request more memory than there is never get more, and a delayed call reaches no vendor", async () => {
  const asking = Array.from({ length: RUNS }, () =>
    service.post("/func", { config: { data_func: "dfunc_asks", sources: {} } }),
  );
  let most = 0;
  let going = true;
  const watching = (async () => {
    while (going) most = Math.max(most, await heldBytes());
  })();
  const replies = await Promise.all(asking);
  going = false;
  await watching;

  const seen: Record<string, number> = {};
  for (const reply of replies) {
    assert.equal(reply.statusCode, 200);
    const { output } = reply.json().outputs["dfunc_asks"];
    for (const [end, count] of Object.entries(output as Record<string, number>)) seen[end] = (seen[end] ?? 0) + count;
  }
  const held =
    seen["Adapter error: there is no room in memory for the request and its answer, so the vendor was not called"] ?? 0;
  assert.equal(vendor.count(), RUNS * CALLS - held, "what was held back was not sent");
  assert.ok(seen["ok"]! > RUNS, JSON.stringify(seen));
  assert.ok(most > 0 && most <= 16 * MIB, `${most} bytes were held`);
  assert.equal(await heldBytes(), 0);
});
