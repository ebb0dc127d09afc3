import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reservation } from "../../run/middleware/ports.ts";
import {
  aBudget,
  countAllowed,
  EURO,
  MANY,
  MemoryNotes,
  openIn,
  reserve,
  send,
  SPENDER,
  stand,
  usedOf,
} from "./memory-budgets.kit.ts";

test("what is not charged is free again, and an unknown charge is not", async () => {
  const { clock, open } = await stand({ limit: 1n });
  const budgets = open();
  for (const charged of ["no", "no"] as const) {
    const reserved = await reserve(budgets, clock);
    send(reserved, "trx_1/0/1", EURO(1n));
    reserved.settle(charged, EURO(1n));
  }
  const reserved = await reserve(budgets, clock);
  send(reserved, "trx_1/0/1", EURO(1n));
  reserved.settle("unknown", EURO(1n));
  await assert.rejects(reserve(budgets, clock), { code: "source.budget_used" });
});

test("a request that is released is free for the next, and until it is settled a killed process counts it", async () => {
  const notes = new MemoryNotes();
  const { clock, store, open } = await stand({ limit: 1n });
  const budgets = open({ log: notes.of("s1") });
  const redirected = await reserve(budgets, clock);
  send(redirected, "trx_1/0/1", EURO(1n));
  redirected.release();
  const next = await reserve(budgets, clock);
  send(next, "trx_1/0/2", EURO(1n));
  assert.deepEqual(openIn(notes), ["trx_1/0/1", "trx_1/0/2"]);
  await assert.rejects(reserve(budgets, clock), { code: "source.budget_used" });

  redirected.settle("no", EURO(1n));
  next.settle("yes", EURO(1n));
  await clock.advance(1_100);

  assert.deepEqual(openIn(notes), []);
  assert.deepEqual([usedOf(budgets), store.leased("bud_1")], [1n, 1n]);
});

test("a request that is not sent reserves nothing, and one whose price rises while it waits needs capacity for the new price", async () => {
  const { clock, open } = await stand({ limit: 3n, currency: "EUR" });
  const budgets = open();
  (await reserve(budgets, clock, EURO(3n))).cancel();
  const reserved = await reserve(budgets, clock, EURO(3n));
  assert.throws(() => reserved.commit("trx_1", "0/1", EURO(4n)), { code: "source.budget_used" });
  reserved.cancel();
  const cheaper = await reserve(budgets, clock, EURO(3n));
  send(cheaper, "trx_1/0/1", EURO(1n));
  assert.equal(budgets.readings()[0]!.used, 1n);
  // Committed again, as when it is sent on another connection.
  send(cheaper, "trx_1/0/1", EURO(1n));
  cheaper.settle("yes", EURO(1n));
  assert.equal(budgets.readings()[0]!.used, 1n);
});

test("a budget in money counts no other currency and nothing without a price, and such requests always pass", async () => {
  const { clock, open } = await stand({ limit: 1n, currency: "USD" });
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 5), 5);
  for (let count = 0; count < 5; count += 1) send(await reserve(budgets, clock, EURO(9n)), "trx_1/0/1", EURO(9n));
  assert.deepEqual(budgets.readings(), []);
});

test("a price that is known only with the reply is counted, and outlives a crash", async () => {
  const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
  const notes = new MemoryNotes();
  const budgets = open({ log: notes.of("s1") });
  send(await reserve(budgets, clock, EURO(2n)), "trx_1/0/1", EURO(2n));
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/2", null);
  reserved.settle("yes", EURO(3n));
  assert.equal(budgets.readings()[0]!.used, 5n);
  // The store answers the asks from before the kill.
  await clock.advance(10);
  const again = open({ left: notes.leftBehind(), log: notes.of("s2"), start: "s2" });
  await reserve(again, clock, EURO(1n));
  assert.equal(store.leased("bud_1"), 6n);
});

for (const then of ["goes on", "is killed", "stops at once"]) {
  test(`a price that is known only with the reply is counted although nothing is leased, and its process ${then}`, async () => {
    const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
    const notes = new MemoryNotes();
    const budgets = open({ log: notes.of("s1") });
    const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
    send(reserved, "trx_1/0/1", null);
    reserved.settle("yes", EURO(3n));
    if (then === "stops at once") await budgets.close();
    await clock.advance(then === "goes on" ? 2_000 : 50);
    if (then === "is killed") {
      const again = open({ left: notes.leftBehind(), log: notes.of("s2"), start: "s2" });
      await assert.rejects(reserve(again, clock, EURO(8n)), { code: "source.budget_used" });
    }
    assert.equal(store.leased("bud_1"), 3n);
  });
}

test("a price that is known only with the reply is counted in every budget at a stop, however many there are", async () => {
  const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
  const ids = Array.from({ length: 450 }, (_, at) => `bud_${at + 1}`);
  for (const id of ids) store.set(aBudget({ id, limit: 10n, currency: "EUR" }));
  const budgets = open();
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/1", null);
  reserved.settle("yes", EURO(3n));
  await budgets.close();
  assert.deepEqual(
    ids.filter((id) => store.leased(id) !== 3n),
    [],
  );
});

test("what is charged after its process has taken the next lease is counted under that one", async () => {
  for (const [price, charged, more] of [
    [EURO(5n), EURO(30n), 25n],
    [null, EURO(25n), 25n],
    [EURO(5n), EURO(5n), 0n],
    [EURO(5n), EURO(2n), 0n],
  ] as const) {
    for (const hasNext of [true, false]) {
      const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
      const notes = new MemoryNotes();
      const budgets = open({ log: notes.of("s1") });
      send(await reserve(budgets, clock), "trx_1/0/1", EURO(1n));
      const late = await (await budgets.find(SPENDER))!.reserve(price, clock.now() + 1_000);
      send(late, "trx_1/0/2", price);
      // A start on a copy of its directory ends its lease.
      (await reserve(open({ log: notes.copy().of("s2"), start: "s2" }), clock)).cancel();
      await clock.advance(2_000);
      if (hasNext) send(await reserve(budgets, clock, EURO(11n)), "trx_1/0/3", EURO(11n));
      await clock.advance(4_000);
      const before = store.leased("bud_1");
      late.settle("yes", charged);
      await clock.advance(4_000);
      assert.equal(store.leased("bud_1") - before, more, `${charged.amount} ${hasNext}`);
    }
  }
});

test("what cannot be noted is not sent", async () => {
  const { clock, open } = await stand();
  const broken = { ...new MemoryNotes().of("s1"), keep: () => assert.fail("the disk is full") };
  const reserved = await reserve(open({ log: broken }), clock);
  assert.throws(() => send(reserved, "trx_1/0/1", EURO(1n)), { code: "source.unrecorded" });
});

test("what requests have used is known and noted exactly, whatever becomes of them", async () => {
  const notes = new MemoryNotes();
  const { clock, open: start } = await stand(MANY);
  const budgets = start({ log: notes.of("s1") });
  const all: Reservation[] = [];
  for (let count = 0; count < 7; count += 1) all.push(await reserve(budgets, clock));
  const [yes, no, unknown, cancelled, late, dearer, open] = all as [
    Reservation,
    ...[Reservation, Reservation, Reservation, Reservation, Reservation, Reservation],
  ];
  for (const [number, sent] of [yes, no, unknown, cancelled, late, open].entries())
    send(sent, `trx_2/${number}/1`, EURO(1n));
  send(dearer, "trx_2/6/1", EURO(5n));
  assert.equal(usedOf(budgets), 11n);
  yes.settle("yes", EURO(1n));
  no.settle("no", EURO(1n));
  unknown.settle("unknown", EURO(1n));
  cancelled.cancel();
  late.settle("yes", EURO(3n));
  dearer.settle("yes", EURO(5n));
  assert.equal(usedOf(budgets), 1n + 0n + 1n + 0n + 3n + 5n + 1n);
  // Each request ends once.
  for (const one of all.slice(0, 6)) {
    one.settle("no", EURO(1n));
    one.cancel();
  }
  assert.equal(usedOf(budgets), 11n);
  await clock.advance(1_100);
  assert.deepEqual(openIn(notes), ["trx_2/5/1"]);
  open.cancel();
  assert.equal(usedOf(budgets), 10n);
  assert.deepEqual(openIn(notes), []);
});

test("the end of a request is recorded also if nothing had to be reported to the store for long", async () => {
  const notes = new MemoryNotes();
  const { clock, open } = await stand(MANY);
  const budgets = open({ log: notes.of("s1") });
  const slow = await reserve(budgets, clock);
  send(slow, "trx_2/0/1", EURO(1n));
  await clock.advance(30_000);
  assert.deepEqual(openIn(notes), ["trx_2/0/1"]);

  slow.settle("yes", EURO(1n));
  await clock.advance(1_100);

  assert.deepEqual(openIn(notes), []);
});

test("a request that is committed once more, as on another connection, is noted and counted once", async () => {
  const notes = new MemoryNotes();
  const { clock, open } = await stand(MANY);
  const budgets = open({ log: notes.of("s1") });
  const reserved = await reserve(budgets, clock);
  for (const id of ["trx_2/0/1", "trx_2/0/1", "trx_2/0/2"]) send(reserved, id, EURO(1n));
  assert.equal(usedOf(budgets), 1n);
  assert.deepEqual(openIn(notes), ["trx_2/0/2"]);
});
