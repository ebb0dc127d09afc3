import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import type { BackupOrder } from "../admin/ports.ts";
import { atEnd, makeIntent, makeRun, runOnce, startLedger, stateOf } from "../ledger/ledger.kit.ts";
import { SCHEMA_VERSION } from "../ledger/journal/migrate-journal.ts";
import { openJournalReader } from "../ledger/read/journal-reader.ts";
import { MIGRATIONS } from "../storage/migrations/index.ts";
import { openStore, StoreRefused } from "../storage/store.ts";
import { systemClock } from "../terms/time/clock.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { DAY_MS } from "../terms/time/durations.ts";
import { backUp } from "./back-up.ts";
import { copyDatabase } from "./copy-database.ts";
import type { BackupManifest } from "./backup-manifest.ts";
import { restoreBackup } from "./restore-backup.ts";

const AT = Date.UTC(2026, 10, 27, 3, 0, 0, 7);
const WRITES_MAX = 20;
const quiet: OnProgress = () => {};

/** A data directory with a store and the ledger of a running service, and folders for backups and for a restored copy. */
async function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "datarun-backup-"));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, dir, target] = ["data", "backups", "target"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await (await openStore({ dataDir, clock: systemClock })).close();
  writeFileSync(join(dataDir, "root-1.key"), "a root key\n", { mode: 0o600 });
  const { ledger } = await startLedger(t, { directory: join(dataDir, "ledger") });
  const order = { dir, dataDir, store: "embedded", keep: undefined, includeRootKey: false, wallAt: AT } as const;
  const make = (
    changes: Partial<BackupOrder & { readonly store: "embedded" | "postgresql" }> = {},
    onProgress = quiet,
  ) => backUp({ ...order, ...changes }, onProgress);
  const putBack = (from: string, store: "embedded" | "postgresql" = "embedded") =>
    restoreBackup({ folder: from, dataDir: target, store }, quiet);
  return { ledger, dataDir, dir, target, make, putBack };
}

function filesOf(folder: string): readonly string[] {
  return (readdirSync(folder, { recursive: true, encoding: "utf8" }) as string[])
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
}

async function refusal(doing: Promise<unknown>): Promise<string> {
  const error = await doing.then(
    () => assert.fail("it was not refused"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OperatorError, String(error));
  return error.message;
}

test("a run that ended before a backup is in it as it ended, and one that had sent something and not ended as unknown", async (t) => {
  const { ledger, target, make, putBack } = await place(t);
  const ended = makeRun();
  await runOnce(ledger, ended);
  const open = makeRun();
  ledger.open(open).intend(makeIntent()).record();
  const { folder } = await make();
  assert.deepEqual(
    filesOf(folder).map((name) => name.replace(/\d{8}/, "N")),
    ["ledger/intents-N.log", "ledger/journal.db", "manifest.json", "store.sqlite"],
  );

  await putBack(folder);
  const again = await startLedger(t, { directory: join(target, "ledger") });
  const reader = openJournalReader({ dir: join(target, "ledger") });
  atEnd(t, () => reader.close());
  const states = [ended, open].map((run) => stateOf(join(target, "ledger"), run));
  assert.deepEqual(states, ["ended", "unknown"]);
  const { ok, damaged, missing, findings, structure } = await reader.verify();
  assert.deepEqual(
    { ok, damaged, missing, findings, structure },
    { ok: 2, damaged: 0, missing: 0, findings: [], structure: [] },
  );
  assert.deepEqual(again.events, ["ledger_recovered_intents"]);
});

test("a manifest has the time, the schema versions, and the size and checksum of every file, and progress is reported", async (t) => {
  const { make } = await place(t);
  const said = new Set<string>();
  const { folder, bytes } = await make({}, (what, done, of) => said.add(`${what} ${done === of}`));
  assert.deepEqual(said, new Set(["MiB copied true", "MiB checked true"]));
  const { files, ...manifest } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as BackupManifest;
  const { journal, schemas, ...rest } = manifest;
  assert.deepEqual(rest, { form: 1, began_at: "2026-11-27T03:00:00.007Z", store: "embedded", root_key: false });
  assert.match(journal!, /^[0-9a-f]{32}$/);
  assert.deepEqual(schemas, { store: MIGRATIONS.length, journal: SCHEMA_VERSION });
  assert.deepEqual(
    files,
    files.map(({ name }) => {
      const content = readFileSync(join(folder, name));
      return { name, bytes: content.length, sha256: hash("sha256", content, "hex") };
    }),
  );
  assert.deepEqual([...files.map(({ name }) => name), "manifest.json"].toSorted(), filesOf(folder));
  assert.equal(
    bytes,
    files.reduce((sum, file) => sum + file.bytes, 0),
  );
});

test("an intent that is being written is left out: its request is not sent before its write returns", async (t) => {
  const { ledger, dataDir, target, make, putBack } = await place(t);
  ledger.open(makeRun()).intend(makeIntent()).record();
  const intents = readdirSync(join(dataDir, "ledger")).find((name) => name.startsWith("intents-"));
  appendFileSync(join(dataDir, "ledger", intents!), '{"half a');
  const { folder } = await make();
  await putBack(folder);
  const reader = openJournalReader({ dir: join(target, "ledger") });
  atEnd(t, () => reader.close());
  await startLedger(t, { directory: join(target, "ledger") });
  assert.equal(reader.completeSince(), Number.NEGATIVE_INFINITY, "no line was unreadable");
});

test("a backup can be read by its owner alone, and has the root key only if that is asked for", async (t) => {
  const { dir, target, make, putBack } = await place(t);
  const without = await make();
  const withKey = await make({ includeRootKey: true, wallAt: AT + 1 });
  assert.equal(existsSync(join(without.folder, "root-1.key")), false);
  assert.equal(readFileSync(join(withKey.folder, "root-1.key"), "utf8"), "a root key\n");
  for (const name of filesOf(dir)) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name);
  for (const name of [without.folder, withKey.folder]) assert.equal(statSync(name).mode & 0o777, 0o700, name);

  assert.equal((await putBack(withKey.folder)).rootKey, "restored");
  assert.equal(statSync(join(target, "root-1.key")).mode & 0o777, 0o600);
  rmSync(target, { recursive: true });
  assert.equal((await putBack(without.folder)).rootKey, "missing");
  rmSync(target, { recursive: true });
  mkdirSync(target);
  writeFileSync(join(target, "root-1.key"), "my own\n", { mode: 0o600 });
  assert.equal((await putBack(withKey.folder)).rootKey, "present");
  assert.equal(readFileSync(join(target, "root-1.key"), "utf8"), "my own\n");
});

test("a root key that is in no file cannot be included, and a folder without a store is not backed up", async (t) => {
  const { dataDir, dir, make } = await place(t);
  rmSync(join(dataDir, "root-1.key"));
  assert.match(await refusal(make({ includeRootKey: true })), /no root key file/);
  assert.match(
    await refusal(backUp({ dir, dataDir: dir, store: "embedded", keep: 1, includeRootKey: false, wallAt: AT }, quiet)),
    /no store/,
  );
  assert.equal(existsSync(dir), false);
});

test("--keep removes older complete backups of the same data directory, and nothing else", async (t) => {
  const { dir, make } = await place(t);
  const other = await place(t);
  const names = [];
  for (let day = 0; day < 3; day += 1) names.push((await make({ wallAt: AT + day * DAY_MS })).folder);
  await other.make({ dir, wallAt: AT + 1 });
  const unreadable = "datarun-2020-01-01T00-00-00-000Z";
  mkdirSync(join(dir, unreadable));
  mkdirSync(join(dir, "mine"));
  const { folder, removed } = await make({ keep: 2, wallAt: AT + 3 * DAY_MS });
  const named = (path: string) => path.slice(dir.length + 1);
  assert.deepEqual(removed, names.slice(0, 2).map(named));
  assert.deepEqual(
    readdirSync(dir).toSorted(),
    [unreadable, named(names[2]!), named(folder), "datarun-2026-11-27T03-00-00-008Z", "mine"].toSorted(),
  );
  const early = await make({ keep: 1, wallAt: AT - DAY_MS });
  assert.ok(existsSync(early.folder), "the newest by the clock is not the one that was made last");
});

test("a backup that failed leaves nothing, and what a killed one has left is removed when nobody can be writing to it", async (t) => {
  const { dataDir, dir, make } = await place(t);
  renameSync(join(dataDir, "store.sqlite"), join(dataDir, "elsewhere"));
  writeFileSync(join(dataDir, "store.sqlite"), "no database".repeat(100));
  await assert.rejects(make(), /not a database/);
  assert.deepEqual(readdirSync(dir), []);
  renameSync(join(dataDir, "elsewhere"), join(dataDir, "store.sqlite"));

  const [old = "", young = ""] = [AT - 5, AT - 4].map(
    (at) => `datarun-${new Date(at).toISOString().replaceAll(/[:.]/g, "-")}.incomplete`,
  );
  for (const name of [old, young]) mkdirSync(join(dir, name));
  utimesSync(join(dir, old), AT / 1_000 - 7_200, AT / 1_000 - 7_200);
  utimesSync(join(dir, young), AT / 1_000 - 60, AT / 1_000 - 60);
  const { folder } = await make();
  assert.deepEqual(new Set(readdirSync(dir)), new Set([young, folder.slice(dir.length + 1)]));
});

test("what differs from its checksum is not restored, and nothing is left of it", async (t) => {
  const { target, make, putBack } = await place(t);
  const { folder } = await make();
  const file = join(folder, "ledger", "journal.db");
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
  assert.match(await refusal(putBack(folder)), /journal\.db differs from its checksum/);
  assert.deepEqual(readdirSync(target), []);
  rmSync(file);
  assert.match(await refusal(putBack(folder)), /journal\.db differs from its checksum/);
});

test("only a complete backup is restored, and only into a directory that is empty and not in use", async (t) => {
  const { dataDir, dir, target, make, putBack } = await place(t);
  const { folder } = await make();
  assert.match(await refusal(restoreBackup({ folder, dataDir, store: "embedded" }, quiet)), /A service runs on/);
  assert.match(await refusal(putBack(dir)), /holds backups\. Name one of them, such as the newest: .*-007Z$/);
  assert.match(await refusal(putBack(dataDir)), /no backup in/);
  assert.match(await refusal(putBack(folder, "postgresql")), /DATABASE_URL is set/);
  renameSync(folder, `${folder}.incomplete`);
  assert.match(await refusal(putBack(`${folder}.incomplete`)), /is an incomplete backup/);
  renameSync(`${folder}.incomplete`, folder);
  mkdirSync(join(target, "lost+found"), { recursive: true });
  writeFileSync(join(target, "notes.txt"), "");
  assert.match(await refusal(putBack(folder)), /not empty: it contains notes\.txt/);
  rmSync(join(target, "notes.txt"));
  await putBack(folder);
  assert.match(await refusal(putBack(folder)), /not empty/);
});

test("a manifest cannot make a restore write elsewhere", async (t) => {
  const { make, putBack } = await place(t);
  const { folder } = await make();
  const manifest = readFileSync(join(folder, "manifest.json"), "utf8");
  writeFileSync(join(folder, "manifest.json"), manifest.replace("ledger/journal.db", "../../elsewhere"));
  assert.match(await refusal(putBack(folder)), /no backup in/);
});

test("no service makes a new store where a backup is being restored, or where that was interrupted", async (t) => {
  const { target, make } = await place(t);
  const { folder } = await make();
  let opened: unknown;
  const progress = async () =>
    (opened ??= await openStore({ dataDir: target, clock: systemClock }).catch((error: unknown) => error));
  let first: Promise<unknown> | undefined;
  await restoreBackup({ folder, dataDir: target, store: "embedded" }, () => void (first ??= progress()));
  await first;
  assert.ok(opened instanceof StoreRefused, String(opened));
  await (await openStore({ dataDir: target, clock: systemClock, opening: "look" })).close();
});

test("with PostgreSQL a backup has the journal of the data directory, and the store is not looked for", async (t) => {
  const { ledger, target, make, putBack } = await place(t);
  const run = makeRun();
  await runOnce(ledger, run);
  const { folder, store } = await make({ store: "postgresql" });
  assert.equal(store, "postgresql");
  assert.deepEqual(
    filesOf(folder).filter((name) => !name.includes("intents")),
    ["ledger/journal.db", "manifest.json"],
  );
  assert.match(await refusal(putBack(folder)), /set DATABASE_URL/);
  await putBack(folder, "postgresql");
  assert.equal(stateOf(join(target, "ledger"), run), "ended");
});

test("a copy of a database is that of one moment: writers do not wait for it, and do not make it begin again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-copy-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const writer = new DatabaseSync(join(folder, "from"), { timeout: 0 });
  t.after(() => writer.close());
  const write = () => writer.exec("INSERT INTO texts VALUES (randomblob(1000000))");
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE texts (text)");
  for (let at = 0; at < 12; at += 1) write();
  const told: number[] = [];
  const onBytes = (copied: number) => {
    told.push(copied);
    // Bounded, so that a copy that restarts after each write terminates too.
    if (told.length <= WRITES_MAX) write();
  };
  const count = (database: DatabaseSync) => database.prepare("SELECT count(*) AS texts FROM texts").get()!["texts"];
  assert.equal(await copyDatabase(join(folder, "from"), join(folder, "to"), onBytes, count), 12);
  assert.ok(told.length > 2);
  assert.deepEqual(
    told,
    told.toSorted((one, other) => one - other),
  );
  assert.ok(told.length <= WRITES_MAX, "it began again");
  const copy = new DatabaseSync(join(folder, "to"), { readOnly: true });
  assert.equal(count(copy), 12);
  copy.close();
});
