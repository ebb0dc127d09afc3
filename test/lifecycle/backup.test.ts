import assert from "node:assert/strict";
import { copyFileSync, cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deploy } from "../rig/deployed.ts";

const SECRET = "backed-up-vendor-key-42";

function keyedProject(origin: string): Record<string, string> {
  return {
    "sources/people.mjs": `export default { id: "acme__people", title: "T", origins: ["${origin}"], inputs: { type: "object" },
      credentials: { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] },
      run: ({ http, credentials }) => http.get("${origin}/json", { headers: { "x-api-key": credentials.api_key } }) };`,
  };
}

test("a copy of the data directory of a stopped service is a service again: token, credential, ledger and all", async (t) => {
  const vendor = await startVendor(t);
  const folder = project(t, keyedProject(vendor.origin));
  const original = await deploy(t, { project: folder });
  await original.operate((operator) =>
    operator.storeCredential(original.access, { source: "acme__people", fields: { api_key: SECRET }, isDefault: true }),
  );
  const service = await original.start();
  const { transaction_id } = (await service.run({ acme__people: true })).json();
  service.signal("SIGTERM");
  await service.ended;

  const restored = await deploy(t, { project: folder });
  rmSync(restored.dataDir, { recursive: true });
  cpSync(original.dataDir, restored.dataDir, { recursive: true, preserveTimestamps: true });
  const again = await restored.start();
  const reply = await again.post("/data", { config: { sources: { acme__people: true } } }, { as: original.access });
  assert.equal(reply.json().status["acme__people"].success, true);
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], SECRET);
  assert.equal((await restored.verb("ledger", "show", transaction_id)).run.transaction_id, transaction_id);
  again.signal("SIGTERM");
  await again.ended;

  rmSync(join(restored.dataDir, "root-1.key"));
  const without = await restored.start({ listening: false });
  assert.equal((await without.ended).code, 1);
  assert.match(without.stderr(), /no root key file/);
});

test("a backup of a running service that is killed is a service again elsewhere, once its root key is put beside it", async (t) => {
  const vendor = await startVendor(t);
  const folder = project(t, keyedProject(vendor.origin));
  const original = await deploy(t, { project: folder });
  await original.operate((operator) =>
    operator.storeCredential(original.access, { source: "acme__people", fields: { api_key: SECRET }, isDefault: true }),
  );
  const service = await original.start();
  const { transaction_id } = (await service.run({ acme__people: true })).json();
  const dir = join(original.dataDir, "backups");
  const { backup, began_at } = await original.verb("store", "backup", dir, "--keep", "3");
  service.signal("SIGKILL");
  await service.ended;

  const restored = await deploy(t, { project: folder });
  rmSync(restored.dataDir, { recursive: true });
  const result = await restored.verb("store", "restore", backup);
  assert.deepEqual([result.data_dir, result.began_at, result.root_key], [restored.dataDir, began_at, "missing"]);
  assert.deepEqual(readdirSync(restored.dataDir).toSorted(), ["ledger", "store.sqlite"], "no key of its own was made");
  copyFileSync(join(original.dataDir, "root-1.key"), join(restored.dataDir, "root-1.key"));
  const again = await restored.start();
  const reply = await again.post("/data", { config: { sources: { acme__people: true } } }, { as: original.access });
  assert.equal(reply.json().status["acme__people"].success, true);
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], SECRET);
  assert.equal((await restored.verb("ledger", "show", transaction_id)).run.state, "ended");
  const [{ ok, damaged, missing }] = (await restored.verb("ledger", "verify")).ledgers;
  assert.deepEqual({ ok, damaged, missing }, { ok: 2, damaged: 0, missing: 0 });
  const { entries } = await restored.verb("audit", "list", "--limit", "1");
  assert.deepEqual([entries[0].what, entries[0].detail.backup], ["store restore", backup]);
});
