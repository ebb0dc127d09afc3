import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { newDatabase } from "../../../test/postgres/shared-postgres.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { ACT, anOrganization, aToken, NOTICED_MS, within } from "../engines.kit.ts";
import { type Migration, MIGRATIONS } from "../migrations/index.ts";
import { createStore, openStore } from "../store.ts";
import { openPostgres } from "./engine.ts";

async function query(databaseUrl: string, statement: string) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

test("when many processes open a new database at once, one migrates and all are ready", async (t) => {
  const databaseUrl = await newDatabase(t);
  const stores = await Promise.all(
    Array.from({ length: 8 }, () => openStore({ dataDir: "", databaseUrl, clock: systemClock })),
  );
  t.after(() => Promise.all(stores.map((store) => store.close())));
  await Promise.all(stores.map((store) => store.ready()));

  assert.deepEqual(
    await query(databaseUrl, "select version, name from datarun_migrations order by version"),
    MIGRATIONS.map(({ name }, at) => ({ version: at + 1, name })),
  );
  await Promise.all(stores.map((store) => anOrganization(store)));
  assert.equal((await stores[0]!.admin.organizations()).length, 8);
});

test("a store that a newer version migrated is refused, and every use of it fails", async (t) => {
  const databaseUrl = await newDatabase(t);
  const newer = openPostgres(databaseUrl, systemClock, [...MIGRATIONS, { name: "9999_future", up: async () => {} }]);
  await newer.ready();
  await newer.close();

  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await assert.rejects(store.ready(), { name: "StoreRefused", message: /newer version/ });
  assert.equal(store.health().state, "refused");
  await assert.rejects(store.access.findToken("d"), { code: "request.store_unavailable" });
  await assert.rejects(store.admin.organizations(), { name: "StoreRefused" });
});

test("a store that a newer version migrated is used if that version says so", async (t) => {
  const databaseUrl = await newDatabase(t);
  const addColumn: Migration = {
    name: "9999_added",
    up: (db) => db.schema.alterTable("tokens").addColumn("added", "text").execute(),
    readableFrom: MIGRATIONS.length,
  };
  const newer = openPostgres(databaseUrl, systemClock, [...MIGRATIONS, addColumn]);
  await newer.ready();
  await newer.close();

  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await anOrganization(store);
  assert.equal((await store.admin.organizations()).length, 1);
});

test("an operator's act waits for a migration for as long as it takes", async (t) => {
  const migrating = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const slow = async () => {
    migrating.resolve();
    await released.promise;
  };
  const engine = openPostgres(await newDatabase(t), systemClock, [...MIGRATIONS, { name: "9999_slow", up: slow }]);
  t.after(() => engine.close());
  const clock = new FakeClock();
  await migrating.promise;
  const organizations = createStore(engine, clock).admin.organizations();
  await clock.advance(60_000);
  released.resolve();
  assert.deepEqual(await organizations, []);
});

test("a migration that fails leaves nothing behind and is tried again", async (t) => {
  const databaseUrl = await newDatabase(t);
  let tries = 0;
  const engine = openPostgres(databaseUrl, systemClock, [
    ...MIGRATIONS,
    {
      name: "9999_fails_once",
      up: async (db) => {
        await db.schema.createTable("half_made").addColumn("id", "text").execute();
        tries += 1;
        if (tries === 1) throw new Error("broken step");
      },
    },
  ]);
  t.after(() => engine.close());
  await engine.ready();
  assert.equal(tries, 2);
});

for (const address of ["", "mysql://u:canary@h/d", "postgres://u:canary@h:port/d", "not an address canary"]) {
  test(`an address such as ${JSON.stringify(address.replace("canary", "…"))} is refused and not repeated`, async () => {
    await assert.rejects(openStore({ dataDir: "", databaseUrl: address, clock: systemClock }), (error: Error) => {
      assert.equal(error.name, "StoreRefused");
      assert.match(error.message, /^DATABASE_URL/);
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
  });
}

test("a change is noticed within a second even if no notification arrives", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  assert.ok(await within(2_000, () => store.access.version() > 0));
  const before = store.access.version();
  await query(databaseUrl, "update datarun_changes set changes = changes + 1");
  assert.ok(await within(NOTICED_MS, () => store.access.version() === before + 1));
});

test("a notification that is not ours changes nothing", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  await store.ready();
  assert.ok(await within(2_000, () => store.access.version() === 1));
  await query(databaseUrl, "select pg_notify('datarun_changes', 'canary')");
  await aToken(store, await anOrganization(store), "d1");
  assert.ok(await within(NOTICED_MS, () => store.access.version() === 3));
});

test("who reads the ledger does not wait for a lock for as long as a query may take", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  const rival = new Client({ connectionString: databaseUrl });
  await store.ready();
  await rival.connect();
  await rival.query("begin; lock table ledger_runs in access exclusive mode");

  const read = () => store.ledgerTables.query("SELECT count(*) AS runs FROM ledger_runs", []);
  await assert.rejects(read(), { code: "unavailable", message: /55P03/ });
  assert.deepEqual(await store.admin.organizations(), []);
  await rival.query("rollback");
  await rival.end();
  assert.deepEqual(await read(), [{ runs: 0 }]);
});

test("a connection on which a statement timed out is not used again", async (t) => {
  const databaseUrl = await newDatabase(t);
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  const organizationId = await anOrganization(store);
  const tokenId = await aToken(store, organizationId, "d1");
  const rival = new Client({ connectionString: databaseUrl });
  await rival.connect();
  await rival.query("begin; select * from datarun_changes for update");

  // Every change of an administrator waits for the rival, and fails when the limits are reached.
  await assert.rejects(store.admin.revokeToken(ACT, { id: tokenId }), {
    code: "unavailable",
    message: /57014|TIMEDOUT/,
  });
  assert.equal((await store.access.findToken("d1"))?.revoked, false);
  await rival.query("commit");
  await rival.end();

  const revoked = await Promise.all(Array.from({ length: 20 }, () => store.admin.revokeToken(ACT, { id: tokenId })));
  assert.ok(revoked.every((token) => token?.id === tokenId));
});
