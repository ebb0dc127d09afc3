import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { adminPort } from "../rig/admin.ts";
import { readLedger } from "../rig/ledger-rows.ts";
import { startService } from "../rig/service.ts";

interface AuditLine {
  readonly who: string;
  readonly via: string;
  readonly subject: string;
  readonly detail: { readonly state: string; readonly dir: string };
}

const STORE = process.env["TEST_STORE"] === "postgres" ? "postgresql" : "embedded";

test("an owner backs up the running service: what was answered is in it, what belongs to its process is not, and the trail says so", async (t) => {
  const service = await startService(t);
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const owner = await service.operator.appoint("owner", "ada");
  const folder = mkdtempSync(join(tmpdir(), "datarun-backups-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(folder, "kept");
  const answered = [];
  for (let run = 0; run < 3; run += 1) answered.push((await service.run({})).json().transaction_id);

  const first = await result("store backup", { dir }, owner);
  const { backup, store, removed } = await result("store backup", { dir, keep: 1 }, owner);
  assert.equal(store, STORE);
  assert.deepEqual(removed, [first.backup.slice(dir.length + 1)]);
  assert.deepEqual(readdirSync(dir), [backup.slice(dir.length + 1)]);
  const names = (readdirSync(backup, { recursive: true, encoding: "utf8" }) as string[]).toSorted();
  assert.deepEqual(
    names.filter((name) => !name.includes("intents-")),
    ["ledger", "ledger/journal.db", "manifest.json", ...(STORE === "embedded" ? ["store.sqlite"] : [])],
  );
  const manifest = JSON.parse(readFileSync(join(backup, "manifest.json"), "utf8"));
  assert.deepEqual([manifest.root_key, manifest.store], [false, STORE]);
  service.secrets.assertAbsentFromFolder(dir);

  const dataDir = join(folder, "restored");
  await restoreBackup({ folder: backup, dataDir, store: STORE }, () => {});
  const ended = readLedger(dataDir).filter(({ run }) => run["state"] === "ended");
  assert.equal(ended.length, answered.length);
  assert.deepEqual(new Set(ended.map(({ run }) => run["transaction_id"])), new Set(answered));

  const { entries } = await result("audit list", { what: "store backup", limit: 2 }, owner);
  assert.deepEqual(
    entries.map((entry: AuditLine) => [entry.who, entry.via, entry.subject, entry.detail.state, entry.detail.dir]),
    [
      ["ada", "api", "store", "done", dir],
      ["ada", "api", "store", "about to begin", dir],
    ],
  );

  const operator = await service.operator.appoint("operator", "bob");
  assert.equal((await call("store backup", { dir }, { as: operator })).statusCode, 403);
  const refused = await call("store backup", { dir: "backups" }, { as: owner });
  assert.deepEqual([refused.statusCode, refused.json().error.code], [422, "invalid"]);
  assert.match(refused.json().error.message, /absolute path/);
  assert.equal((await call("store backup", { dir, include_root_key: true }, { as: owner })).statusCode, 422);
  assert.equal((await call("store restore", { dir: backup }, { as: owner })).statusCode, 404);
  const nowhere = await call("store backup", { dir: join(service.dataDir, "service.log", "below") }, { as: owner });
  assert.deepEqual([nowhere.statusCode, nowhere.json().error.code], [503, "unavailable"]);
});
