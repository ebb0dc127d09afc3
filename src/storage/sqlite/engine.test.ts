import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { systemClock } from "../../terms/time/clock.ts";
import { ACT, anOrganization, aToken } from "../engines.kit.ts";
import { createLeaseStore } from "../lease-store.ts";
import { type Migration, MIGRATIONS } from "../migrations/index.ts";
import { openStore } from "../store.ts";
import { openSqlite, STORE_FILE } from "./engine.ts";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-sqlite-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function query(dataDir: string, statement: string): readonly object[] {
  const database = new DatabaseSync(join(dataDir, STORE_FILE));
  try {
    return database
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

test("processes that open a new store at the same moment all succeed, and every row is kept", async (t) => {
  const dataDir = join(temporaryFolder(t), "made", "on", "the", "way");
  const storeModule = new URL("../store.ts", import.meta.url).href;
  const clockModule = new URL("../../terms/time/clock.ts", import.meta.url).href;
  const script = `
    const { openStore } = await import(${JSON.stringify(storeModule)});
    const { systemClock } = await import(${JSON.stringify(clockModule)});
    const [dataDir, name] = process.argv.slice(1);
    const store = await openStore({ dataDir, clock: systemClock });
    for (let at = 0; at < 10; at += 1) {
      const organization = { id: "org_" + name + at, name, createdWallAt: at };
      await store.admin.createOrganization({ who: name, via: "cli", what: "org create", wallAt: at }, organization);
    }
    await store.close();`;
  const children = ["a", "b", "c", "d"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, dataDir, name], { stdio: ["ignore", 2, 2] }),
  );
  const exits = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
  assert.deepEqual(exits, [0, 0, 0, 0]);

  const store = await openStore({ dataDir, clock: systemClock });
  t.after(() => store.close());
  assert.equal((await store.admin.organizations()).length, 40);
  assert.equal((await store.admin.auditEntries({ limit: 100 })).length, 40);
});

test("only their owner can access the store and its folder", async (t) => {
  const dataDir = join(temporaryFolder(t), "data");
  const store = await openStore({ dataDir, clock: systemClock });
  await anOrganization(store);
  const modes = [dataDir, ...readdirSync(dataDir).map((file) => join(dataDir, file))].map((path) => [
    path.replace(dataDir, ""),
    (statSync(path).mode & 0o777).toString(8),
  ]);
  await store.close();

  assert.deepEqual(modes, [
    ["", "700"],
    [`/${STORE_FILE}`, "600"],
    [`/${STORE_FILE}-shm`, "600"],
    [`/${STORE_FILE}-wal`, "600"],
  ]);
});

test("a store that a newer version migrated is refused and not changed", async (t) => {
  const dataDir = temporaryFolder(t);
  const newer = [...MIGRATIONS, { name: "9999_future", up: async () => {} }];
  await (await openSqlite(dataDir, systemClock, newer)).close();

  await assert.rejects(openStore({ dataDir, clock: systemClock }), { name: "StoreRefused", message: /newer version/ });
  await (await openSqlite(dataDir, systemClock, newer)).close();
});

test("a store that a newer version migrated is used if that version says so", async (t) => {
  const dataDir = temporaryFolder(t);
  await (await openStore({ dataDir, clock: systemClock })).close();
  const addColumn = (name: string, readableFrom?: number) => ({
    name,
    up: async (db: Parameters<Migration["up"]>[0]) => {
      await db.schema.alterTable("tokens").addColumn(`of_${name}`, "text").execute();
    },
    ...(readableFrom !== undefined && { readableFrom }),
  });
  const expanded = [...MIGRATIONS, addColumn("expanded", MIGRATIONS.length)];
  await (await openSqlite(dataDir, systemClock, expanded)).close();

  const store = await openStore({ dataDir, clock: systemClock });
  await anOrganization(store);
  await store.close();
  await (await openSqlite(dataDir, systemClock, expanded)).close();
  assert.deepEqual(
    query(dataDir, `select version, readable_from from datarun_migrations where version >= ${MIGRATIONS.length}`),
    [
      { version: MIGRATIONS.length, readable_from: MIGRATIONS.at(-1)!.readableFrom ?? MIGRATIONS.length },
      { version: MIGRATIONS.length + 1, readable_from: MIGRATIONS.length },
    ],
  );

  // A later step declares that only versions with the step before it can work on the store.
  await (await openSqlite(dataDir, systemClock, [...expanded, addColumn("contracted", MIGRATIONS.length + 1)])).close();
  await assert.rejects(openStore({ dataDir, clock: systemClock }), {
    name: "StoreRefused",
    message: new RegExp(`schema ${MIGRATIONS.length + 1} or newer can work; this one has schema ${MIGRATIONS.length}`),
  });
  await (await openSqlite(dataDir, systemClock, expanded)).close();
});

test("a migration that fails leaves nothing behind, and the next start continues from there", async (t) => {
  const dataDir = temporaryFolder(t);
  await (await openStore({ dataDir, clock: systemClock })).close();
  const broken = {
    name: "9999_broken",
    up: async (db: Parameters<(typeof MIGRATIONS)[0]["up"]>[0]) => {
      await sql`create table half_made (id text)`.execute(db);
      throw new Error("broken step");
    },
  };
  await assert.rejects(openSqlite(dataDir, systemClock, [...MIGRATIONS, broken]), /broken step/);

  const mended = {
    ...broken,
    up: (db: Parameters<typeof broken.up>[0]) => sql`create table half_made (id text)`.execute(db).then(() => {}),
  };
  await (await openSqlite(dataDir, systemClock, [...MIGRATIONS, mended])).close();
});

test("a file that is not a store, and a folder that is a file, are refused with a sentence that names the folder", async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, STORE_FILE), "this is not a database, and it is long enough to look like one".repeat(20));
  await assert.rejects(openStore({ dataDir: folder, clock: systemClock }), {
    name: "StoreRefused",
    message: `The store in ${folder} cannot be opened: file is not a database`,
  });
  const file = join(folder, "a-file");
  writeFileSync(file, "");
  for (const dataDir of [file, join(file, "below")]) {
    await assert.rejects(openStore({ dataDir, clock: systemClock }), {
      name: "StoreRefused",
      message: `The store in ${dataDir} cannot be opened: a file stands where its folder should be`,
    });
  }
});

test("while another process holds the write lock, reading continues and writing waits without blocking the event loop", async (t) => {
  const dataDir = temporaryFolder(t);
  const store = await openStore({ dataDir, clock: systemClock });
  t.after(() => store.close());
  const organizationId = await anOrganization(store);
  const tokenId = await aToken(store, organizationId, "d1");
  const rival = new DatabaseSync(join(dataDir, STORE_FILE));
  rival.exec("begin immediate");

  const revoked = store.admin.revokeToken(ACT, { id: tokenId });
  const noted = store.access.markUsed([{ tokenId, wallAt: 9 }]);
  let settled = 0;
  for (const write of [revoked, noted])
    write.then(
      () => (settled += 1),
      () => (settled += 1),
    );
  // A waiting write in this thread would block everything else until it gives up.
  for (let turns = 0; turns < 50; turns += 1) {
    assert.equal((await store.access.findToken("d1"))?.revoked, false);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(settled, 0);
  rival.exec("commit");
  rival.close();
  await Promise.all([revoked, noted]);

  assert.equal((await store.access.findToken("d1"))?.revoked, true);
  assert.equal((await store.admin.tokens(organizationId))[0]?.lastUsedWallAt, 9);
});

test("every change is synced before it is acknowledged; a note of use need not be", async (t) => {
  const engine = await openSqlite(temporaryFolder(t), systemClock);
  t.after(() => engine.close());
  const settingOf = async (db: typeof engine.writer) =>
    (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]?.synchronous;

  assert.equal(await settingOf(engine.writer), 2);
  assert.equal(await settingOf(engine.unsyncedWriter), 1);
});

test("a lease that has to survive a power failure is granted only once it is on the disk", async (t) => {
  const engine = await openSqlite(temporaryFolder(t), systemClock);
  t.after(() => engine.close());
  const events: string[] = [];
  let isBroken = false;
  const leases = createLeaseStore({
    ...engine,
    async sync() {
      events.push("synced");
      if (isBroken) throw new Error("the disk is full");
      await engine.sync();
    },
  });
  const limit = { name: "minute", max: 5, everyMs: 60_000, useMsMax: 0 };
  const ask = async (sequence: number, isDurable: boolean) => {
    const none = { held: [], need: 1, spare: 0, ahead: 0 };
    await leases.exchange(
      [{ limit, lease: "s1/1", process: "p1", sequence, ...none, isDurable }],
      (_ask, _rows, now) => {
        events.push("decided");
        const row = { lease: "s1/1", window: 0, amount: 1, wants: 1, grewAt: now, endsAt: now + 60_000, sequence };
        return [{ ...row, others: 0, part: 5, hasRivals: false }];
      },
    );
    events.push("granted");
  };
  await ask(1, false);
  await ask(2, true);
  isBroken = true;
  await assert.rejects(ask(3, true));
  assert.deepEqual(events, ["decided", "granted", "decided", "synced", "granted", "decided", "synced"]);
});

test("a folder that is already there keeps its mode", async (t) => {
  const dataDir = join(temporaryFolder(t), "shared");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o750);
  await (await openStore({ dataDir, clock: systemClock })).close();
  assert.equal(statSync(dataDir).mode & 0o777, 0o750);
});
