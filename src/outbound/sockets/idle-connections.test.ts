import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { FairShare } from "../../terms/concurrency/fair-share.ts";
import type { VendorConnection } from "./vendor-connection.ts";
import { IdleConnections } from "./idle-connections.ts";

function makeConnection(idleMs = Infinity) {
  const connection = {
    idleMs,
    isDiscarded: false,
    idleEntry: null,
    discard: () => void (connection.isDiscarded = true),
  };
  return connection as unknown as VendorConnection;
}

function open() {
  const clock = new FakeClock();
  const share = new FairShare(100);
  return { clock, share, idle: new IdleConnections(share, clock, 4_000) };
}

test("an idle connection is closed when its own time is up, and its slot is released", async () => {
  const { clock, share, idle } = open();
  const [first, hinted, later] = [makeConnection(), makeConnection(1_000), makeConnection()];
  idle.put("org_1", first);
  idle.put("org_2", hinted);
  await clock.advance(1_000);
  idle.put("org_1", later);

  assert.equal(idle.take("org_2"), undefined);
  assert.ok(hinted.isDiscarded);
  await clock.advance(2_999);
  assert.ok(!first.isDiscarded);
  await clock.advance(1);
  assert.ok(first.isDiscarded);
  assert.ok(!later.isDiscarded);
  await clock.advance(1_000);
  assert.ok(later.isDiscarded);
  assert.deepEqual([idle.size, share.inUse, clock.timers], [0, 0, 0]);
});

test("one whose time is up is not used, though no timer has run yet", async () => {
  const { clock, idle } = open();
  const [old, young] = [makeConnection(500), makeConnection(5_000)];
  idle.put("org_1", old);
  idle.put("org_1", young);
  await clock.advance(600);

  assert.equal(idle.take("org_1"), young);
  assert.ok(old.isDiscarded);
});

test("the one that has rested longest is used first", () => {
  const { idle } = open();
  const all = [makeConnection(), makeConnection(), makeConnection()];
  for (const connection of all) idle.put("org_1", connection);
  assert.deepEqual(
    [idle.take("org_1"), idle.take("org_1"), idle.take("org_1"), idle.take("org_1")],
    [...all, undefined],
  );
});

test("used again and again, a connection is not closed by what it once was idle", async () => {
  const { clock, idle } = open();
  const connection = makeConnection();
  for (let turn = 0; turn < 10; turn += 1) {
    idle.put("org_1", connection);
    await clock.advance(1_500);
    assert.equal(idle.take("org_1"), connection);
  }
  assert.ok(!connection.isDiscarded);
  assert.ok(clock.timers <= 1);
});

test("at the end all are closed and no timer is left", () => {
  const { clock, idle } = open();
  const all = ["org_1", "org_2"].map((owner) => {
    const connection = makeConnection();
    idle.put(owner, connection);
    return connection;
  });

  idle.close();

  assert.ok(all.every(({ isDiscarded: discarded }) => discarded));
  assert.equal(clock.timers, 0);
});
