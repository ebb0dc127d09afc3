import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { startLedger } from "../../src/ledger/ledger.kit.ts";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import { adminPort } from "../rig/admin.ts";
import { deploy, type Process } from "../rig/deployed.ts";
import { readLedger } from "../rig/ledger-rows.ts";
import { until } from "../rig/until.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { vendorProject } from "./vendor-project.ts";

const ROUNDS = 3;
const CLIENTS = 8;
/** Backups of each round that are complete before the kill. */
const BACKUPS_OF_ROUND = 2;

interface Made {
  readonly folder: string;
  /** What had been answered, and what the vendor had received, when it was ordered. */
  readonly answered: readonly string[];
  readonly requests: number;
}

test("kill -9 under load, with backups one after another: each complete one opens, verifies, and has every run that was answered before it began", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(20, json({ slow: true })) } });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { slow: "/slow" }) });
  const owner = await deployment.operate((operator) => operator.appoint("owner"));
  const folder = mkdtempSync(join(tmpdir(), "datarun-backups-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(folder, "kept");
  const answered: string[] = [];
  const made: Made[] = [];

  async function ask(service: Process): Promise<void> {
    for (;;) {
      const reply = await service.run({ acme__slow: true }).catch(() => null);
      if (reply === null) return;
      assert.equal(reply.statusCode, 200);
      answered.push(reply.json().transaction_id);
    }
  }

  /** Until the kill. Every other one is made by a command, which outlives the service. */
  async function backUpOnAndOn(service: Process): Promise<void> {
    let isOver = false;
    void service.ended.then(() => (isOver = true));
    const { call } = adminPort(t, service.adminUrl, deployment.secrets);
    for (let at = 0; ; at += 1) {
      const before = { answered: [...answered], requests: vendor.count() };
      const result =
        at % 2 === 0
          ? await call("store backup", { dir }, { as: owner }).then(
              (reply) => reply.json(),
              () => null,
            )
          : await deployment.verb("store", "backup", dir);
      if (result === null) return;
      made.push({ folder: result.backup, ...before });
      if (isOver) return;
    }
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await deployment.start();
    const clients = Array.from({ length: CLIENTS }, () => ask(service));
    const backups = backUpOnAndOn(service);
    const enough = made.length + BACKUPS_OF_ROUND;
    await until(() => made.length >= enough);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    service.signal("SIGKILL");
    await Promise.all([...clients, backups]);
    assert.equal((await service.ended).signal, "SIGKILL", "it was alive until it was killed");
  }
  // One more of the directory of a killed service.
  const before = { answered: [...answered], requests: vendor.count() };
  made.push({ folder: (await deployment.verb("store", "backup", dir)).backup, ...before });
  assert.ok(answered.length > 40, `too little was running to prove anything: ${answered.length} answers`);

  const named = new Set(made.map((backup) => backup.folder));
  for (const name of readdirSync(dir)) {
    // The service may have died between the last step of a backup and its answer.
    if (!name.endsWith(".incomplete") && !named.has(join(dir, name)))
      made.push({ folder: join(dir, name), answered: [], requests: 0 });
  }
  for (const [at, backup] of made.entries()) {
    const dataDir = join(folder, `restored-${at}`);
    await restoreBackup({ folder: backup.folder, dataDir, store: "embedded" }, () => {});
    for (const name of ["service.json", "budgets", "ledger/service.lock"])
      assert.ok(!existsSync(join(dataDir, name)), name);
    const store = new DatabaseSync(join(dataDir, "store.sqlite"));
    assert.deepEqual({ ...store.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    store.close();
    const recovered: object[] = [];
    const note = (fields: object) => void recovered.push(fields);
    const { ledger } = await startLedger(t, {
      directory: join(dataDir, "ledger"),
      log: { info: note, warn: note, error: note },
    });
    await ledger.close();
    for (const fields of recovered) {
      const { event, unreadable, lost } = fields as Record<string, unknown>;
      assert.deepEqual([event, unreadable, lost], ["ledger_recovered_intents", 0, 0]);
    }
    const reader = openJournalReader({ dir: join(dataDir, "ledger") });
    const { damaged, missing, structure } = await reader.verify();
    reader.close();
    assert.deepEqual({ damaged, missing, structure }, { damaged: 0, missing: 0, structure: [] });
    const rows = readLedger(dataDir);
    const ended = new Set(rows.filter(({ run }) => run["state"] === "ended").map(({ run }) => run["transaction_id"]));
    const lacking = backup.answered.filter((id) => !ended.has(id));
    assert.deepEqual(lacking, [], `of ${backup.answered.length} runs that were answered before it`);
    const attempts = rows.reduce((sum, { attempts: of }) => sum + of.length, 0);
    assert.ok(attempts >= backup.requests, `${backup.requests} requests before it, ${attempts} in it`);
  }
  t.diagnostic(JSON.stringify({ answered: answered.length, backups: made.length }));
});
