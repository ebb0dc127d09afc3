import assert from "node:assert/strict";
import { test } from "node:test";
import { countAllowed, EURO, MemoryNotes, reserve, send, SPENDER, stand } from "./memory-budgets.kit.ts";
import { endLeases } from "./keep-leases.ts";
import { settleLeft } from "./read-usage.ts";

test("what a killed process has used is counted once it starts again, and what it had leased is free", async () => {
  for (const isLost of [false, true]) {
    const { clock, store, open } = await stand({ limit: 1_000n });
    const notes = new MemoryNotes();
    await countAllowed(open({ log: notes.of("s1") }), clock, 50);
    await clock.advance(1_500);
    await countAllowed(open({ log: new MemoryNotes().of("s2"), process: () => "p2", start: "s2" }), clock, 1);
    const leased = store.leased("bud_1");
    assert.ok(leased > 51n);
    if (isLost) notes.lose();
    const again = open({ left: notes.leftBehind(), log: notes.of("s3"), start: "s3" });
    await countAllowed(again, clock, 1);
    assert.equal(store.leased("bud_1"), isLost ? leased + 1n : 52n);
  }
});

test("a request that was reserved under a lease that its process has left counts after a crash", async () => {
  const { clock, store, open } = await stand({ per: "month", limit: 1_000n });
  const notes = new MemoryNotes();
  const budgets = open({ log: notes.of("s1") });
  const first = await reserve(budgets, clock);
  send(first, "trx_1/0/1", EURO(1n));
  await clock.advance(13 * 60 * 60 * 1_000);
  first.settle("no", EURO(1n));
  send(await reserve(budgets, clock), "trx_1/0/2", EURO(1n));
  const again = open({ left: notes.leftBehind(), log: notes.of("s2"), start: "s2" });
  await countAllowed(again, clock, 1);
  assert.equal(store.leased("bud_1"), 2n);
});

test("two processes on one data directory and its copy do not exceed a budget together, whichever of them continues", async () => {
  for (const first of ["original", "copy"] as const) {
    const { clock, open } = await stand({ limit: 100n });
    const notes = new MemoryNotes();
    const original = open({ log: notes.of("s1") });
    await countAllowed(original, clock, 20);
    await clock.advance(100);
    const copied = notes.copy();
    const copy = open({ left: copied.leftBehind(), log: copied.of("s2"), start: "s2" });
    let allowed = 20 + (await countAllowed(copy, clock, 1));
    for (const budgets of first === "original" ? [original, copy] : [copy, original])
      allowed += await countAllowed(budgets, clock, 100);
    assert.ok(allowed <= 100, `${allowed} of 100`);
    await clock.advance(2_000);
    allowed += await countAllowed(original, clock, 100);
    assert.ok(allowed > 40 && allowed <= 100, `${allowed} of 100`);
  }
});

test("the recovery by a start that was killed, carried out late, ends no lease of a later start", async () => {
  const { clock, store, open } = await stand();
  const budgets = open({ start: "s2", log: new MemoryNotes().of("s2") });
  assert.equal(await countAllowed(budgets, clock, 1), 1);
  const rows = store.rows("bud_1");
  await store.recover({ process: "p1", start: "s1", left: [] }, endLeases);
  assert.deepEqual(store.rows("bud_1"), rows);
});

test("a start whose clock was set back ends the lease of the one before it, whose notes it has", async () => {
  const { clock, store, open } = await stand();
  const notes = new MemoryNotes();
  assert.equal(await countAllowed(open({ start: "s2", log: notes.of("s2") }), clock, 3), 3);
  await countAllowed(open({ start: "s1", left: notes.leftBehind(), log: notes.of("s1") }), clock, 1);
  assert.equal(store.leased("bud_1"), 4n);
});

test("a usage log that was restored from a backup has less than the store, and is not used", async () => {
  const { clock, store, open } = await stand({ limit: 100n });
  const notes = new MemoryNotes();
  const budgets = open({ log: notes.of("s1") });
  await countAllowed(budgets, clock, 10);
  const backup = notes.backup();
  await countAllowed(budgets, clock, 30);
  await clock.advance(1_000);
  await countAllowed(open({ left: backup.leftBehind(), log: backup.of("s2"), start: "s2" }), clock, 1);
  assert.ok(store.leased("bud_1") >= 41n);
});

test("notes that were put back from a backup are not believed if as much was used since, by another request", async () => {
  const { clock, open } = await stand({ limit: 1n });
  const notes = new MemoryNotes();
  const budgets = open({ log: notes.of("s1") });
  const first = await reserve(budgets, clock);
  send(first, "trx_1/0/1", EURO(1n));
  await clock.advance(1_100);
  const backup = notes.backup();
  first.settle("no", EURO(1n));
  send(await reserve(budgets, clock), "trx_2/0/1", EURO(1n));
  await clock.advance(60_000);
  const left = await settleLeft(backup.leftBehind(), async (id) => (id === "trx_1/0/1" ? "no" : null));
  assert.equal(await countAllowed(open({ left, log: backup.of("s2"), start: "s2" }), clock, 1), 0);
});

test("a process whose lease another one has ended reports its use beyond what was counted", async () => {
  for (const stops of [true, false]) {
    const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
    const notes = new MemoryNotes();
    const budgets = open({ log: notes.of("s1") });
    send(await reserve(budgets, clock, EURO(5n)), "trx_1/0/1", EURO(5n));
    const dearer = await reserve(budgets, clock, EURO(5n));
    send(dearer, "trx_1/0/2", EURO(5n));
    await reserve(open({ log: notes.copy().of("s2"), start: "s2" }), clock);
    dearer.settle("yes", EURO(30n));
    if (stops) await budgets.close();
    else send(await reserve(budgets, clock, EURO(7n)), "trx_1/0/3", EURO(7n));
    await clock.advance(2_000);
    assert.equal(store.leased("bud_1"), 35n + 1n + (stops ? 0n : 7n));
  }
});

for (const fails of ["the notes cannot be written", "the store does not answer", "the budget is removed"]) {
  test(`a lease that another start has ended is not reported without a pause where ${fails}`, async () => {
    const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
    const notes = new MemoryNotes();
    const own = notes.of("s1");
    const { keepSequence } = own;
    const exchange = store.exchange.bind(store);
    let [isBroken, tries] = [false, 0];
    const failing = (name: string): void => {
      tries += 1;
      // Without this, a loop in which no time passes would never end.
      assert.ok(tries < 1_000, "it is tried without a pause");
      if (isBroken && fails === name) throw new Error("it fails");
    };
    own.keepSequence = (sequence) => {
      failing("the notes cannot be written");
      keepSequence(sequence);
    };
    store.exchange = async (asks, keep) => {
      failing("the store does not answer");
      const answers = await exchange(asks, keep);
      isBroken ||= answers.some(({ counted }) => counted !== null);
      if (isBroken && fails === "the budget is removed") store.budgets.clear();
      return answers;
    };
    const budgets = open({ log: own });
    send(await reserve(budgets, clock, EURO(5n)), "trx_1/0/1", EURO(5n));
    const dearer = await reserve(budgets, clock, EURO(5n));
    send(dearer, "trx_1/0/2", EURO(5n));
    await reserve(open({ log: notes.copy().of("s2"), start: "s2" }), clock);
    dearer.settle("yes", EURO(30n));
    tries = 0;
    await clock.advance(3_000);
    assert.ok(isBroken);
    assert.ok(tries < 40, String(tries));
  });
}

test("a charge beyond the lease counts although the budget has no capacity, and is not leased to others", async () => {
  const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
  const budgets = open();
  send(await reserve(budgets, clock, EURO(1n)), "trx_1/0/1", EURO(1n));
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/2", null);
  const other = open({ log: new MemoryNotes().of("s2"), process: () => "p2", start: "s2" });
  const big = await reserve(other, clock, EURO(7n));
  reserved.settle("yes", EURO(7n));
  await clock.advance(1_100);
  assert.equal(store.leased("bud_1"), 8n + 7n);
  big.cancel();
  await clock.advance(2_000);
  await assert.rejects(reserve(other, clock, EURO(3n)), { code: "source.budget_used" });
  send(await reserve(other, clock, EURO(2n)), "trx_2/0/1", EURO(2n));
});

test("use beyond the grant is reported so that it survives a power failure, and returned units are not", async () => {
  const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
  const asks: { readonly isAway: boolean; readonly isDurable: boolean }[] = [];
  let isAway = false;
  const exchange = store.exchange.bind(store);
  store.exchange = (asked, rule) => {
    for (const { isDurable } of asked) asks.push({ isAway, isDurable });
    return isAway ? Promise.reject(new Error("away")) : exchange(asked, rule);
  };
  const budgets = open();
  send(await reserve(budgets, clock, EURO(1n)), "trx_1/0/1", EURO(1n));
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/2", null);
  await clock.advance(4_000);
  asks.length = 0;

  isAway = true;
  reserved.settle("yes", EURO(7n));
  await clock.advance(3_000);
  isAway = false;
  await clock.advance(1_000);
  await budgets.close();

  assert.equal(store.leased("bud_1"), 8n);
  assert.ok(asks.findIndex((ask) => !ask.isAway) > 1, "it was asked in vain");
  const first = asks.findIndex((ask) => !ask.isAway);
  assert.deepEqual(new Set(asks.slice(0, first + 1).map(({ isDurable }) => isDurable)), new Set([true]));
  assert.equal(asks.at(-1)!.isDurable, false);
});
