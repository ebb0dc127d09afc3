import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type FaultyProxy, startFaultyProxy, type Weather } from "../../../test/postgres/faulty-proxy.ts";
import { type PostgresServer, startPostgres } from "../../../test/postgres/start-postgres.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { ACT, anOrganization, aToken, NOTICED_MS, within } from "../engines.kit.ts";
import { openStore, type Store } from "../store.ts";

/** A busy machine may be late with one try or another, but what waits for the end of an outage takes longer than this each time. */
const LATE_MS = 1_800;
const TRIES = 5;
const RECOVERED_MS = 60_000;

async function serverOfItsOwn(t: TestContext): Promise<PostgresServer> {
  const server = await startPostgres();
  t.after(() => server.stop());
  return server;
}

async function storeAt(t: TestContext, databaseUrl: string): Promise<Store> {
  const store = await openStore({ dataDir: "", databaseUrl, clock: systemClock });
  t.after(() => store.close());
  return store;
}

/** The outcomes of lookups at the same time, which end in time. A busy machine may be late with some of five rounds. */
async function lookUpInTime(store: Store, count: number): Promise<readonly PromiseSettledResult<unknown>[]> {
  const tookMs: number[] = [];
  for (;;) {
    const startedAt = performance.now();
    const lookups = Array.from({ length: count }, (_, at) => store.access.findToken(`unseen ${at}`));
    const outcomes = await Promise.allSettled(lookups);
    tookMs.push(performance.now() - startedAt);
    if (tookMs.at(-1)! < LATE_MS) return outcomes;
    assert.ok(tookMs.length < TRIES, `${tookMs.join(", ")} ms`);
  }
}

async function assertUnavailable(store: Store): Promise<void> {
  for (const outcome of await lookUpInTime(store, 30)) {
    assert.equal(outcome.status, "rejected");
    assert.equal((outcome.reason as { code?: string }).code, "request.store_unavailable");
  }
}

async function assertRecovers(store: Store, digest: string): Promise<void> {
  assert.ok(await within(RECOVERED_MS, () => answers(store, digest)));
  assert.ok(await within(RECOVERED_MS, () => (store.access.version(), store.health().watching)));
}

async function answers(store: Store, digest: string): Promise<boolean> {
  try {
    return (await store.access.findToken(digest)) !== null;
  } catch {
    return false;
  }
}

/** Another process revokes a token. This one must notice, also after a disturbance of its connection. */
async function assertNoticesChanges(store: Store, other: Store, tokenId: string): Promise<void> {
  const before = store.access.version();
  await other.admin.revokeToken(ACT, { id: tokenId });
  assert.ok(await within(NOTICED_MS, () => store.access.version() !== before));
}

test("a store whose database is not there yet opens, answers with the fault, and is ready once the database is there", async (t) => {
  const server = await serverOfItsOwn(t);
  await server.kill();
  const store = await storeAt(t, server.url("postgres"));

  await assertUnavailable(store);
  assert.equal(store.health().state, "connecting");
  assert.match(store.health().problem ?? "", /^(ECONNREFUSED|ENOENT)$/);
  assert.equal(store.access.version(), 0);

  await server.start();
  await store.ready();
  assert.deepEqual([store.health().state, store.health().problem], ["ready", null]);
  await aToken(store, await anOrganization(store), "d1");
  assert.equal((await store.access.findToken("d1"))?.digest, "d1");
});

test("a server that is killed or frozen delays no lookup beyond its time, and the store recovers from both", async (t) => {
  const server = await serverOfItsOwn(t);
  const [store, other] = [await storeAt(t, server.url("postgres")), await storeAt(t, server.url("postgres"))];
  const tokenId = await aToken(store, await anOrganization(store), "d1");
  await assertRecovers(store, "d1");

  await server.kill();
  await assertUnavailable(store);
  assert.match(store.health().problem ?? "", /^(ECONN|ENOENT|EPIPE|Error|57P)/);
  await assert.rejects(store.admin.organizations(), { name: "OperatorError", code: "unavailable" });
  assert.ok(await within(RECOVERED_MS, () => !store.health().watching));
  await server.start();
  await assertRecovers(store, "d1");

  server.signal("SIGSTOP");
  await assertUnavailable(store);
  assert.ok(await within(RECOVERED_MS, () => !store.health().watching));
  await assertUnavailable(store);
  server.signal("SIGCONT");
  await assertRecovers(store, "d1");
  await assertRecovers(other, "d1");
  await assertNoticesChanges(store, other, tokenId);
});

for (const weather of ["black hole", "resets", "1 KB/s"] as const satisfies readonly Weather[]) {
  test(`a network of ${weather} delays no lookup beyond its time, and changes that were missed are noticed afterwards`, async (t) => {
    const server = await serverOfItsOwn(t);
    const proxy: FaultyProxy = await startFaultyProxy(server.socket);
    t.after(() => proxy.close());
    const store = await storeAt(t, `postgres://datarun@127.0.0.1:${proxy.port}/postgres`);
    const other = await storeAt(t, server.url("postgres"));
    const organizationId = await anOrganization(store);
    const [first, second] = [await aToken(store, organizationId, "d1"), await aToken(store, organizationId, "d2")];
    await assertRecovers(store, "d1");
    const before = store.access.version();

    proxy.turn(weather);
    // Some of these may succeed.
    if (weather === "1 KB/s") await lookUpInTime(store, 60);
    else {
      await assertUnavailable(store);
      assert.ok(await within(RECOVERED_MS, () => !store.health().watching));
    }
    await other.admin.revokeToken(ACT, { id: first });

    proxy.turn("fair");
    await assertRecovers(store, "d1");
    assert.ok(await within(RECOVERED_MS, () => store.access.version() !== before));
    assert.equal((await store.access.findToken("d1"))?.revoked, true);
    await assertNoticesChanges(store, other, second);
  });
}

test("a store can be closed while its database is unavailable", async (t) => {
  const server = await serverOfItsOwn(t);
  const store = await storeAt(t, server.url("postgres"));
  await aToken(store, await anOrganization(store), "d1");
  await assertRecovers(store, "d1");
  server.signal("SIGSTOP");
  const hanging = assert.rejects(store.access.findToken("d1"), { code: "request.store_unavailable" });

  const startedAt = performance.now();
  await store.close();
  assert.ok(performance.now() - startedAt < 10_000);
  await hanging;
  server.signal("SIGCONT");

  await server.kill();
  const never = await openStore({ dataDir: "", databaseUrl: server.url("postgres"), clock: systemClock });
  await never.close();
  await assert.rejects(never.ready(), { name: "StoreRefused" });
});
