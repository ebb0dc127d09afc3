import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Reservation } from "../../run/middleware/ports.ts";
import { settle, type FakeClock } from "../../terms/time/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { Price } from "../../terms/money/price.ts";
import type { OpenBudgets } from "./budgets.ts";
import {
  aBudget,
  budgetsInMemory,
  countAllowed,
  EURO,
  MemoryNotes,
  reserve,
  send,
  SPENDER,
  stand,
} from "./memory-budgets.kit.ts";
import type { BudgetReading, BudgetStore } from "./ports.ts";

test("exactly at the limit is allowed and one more is not, one after the other and all at once", async () => {
  for (const limit of [1n, 2n, 7n]) {
    const { clock, open } = await stand({ limit });
    assert.equal(await countAllowed(open(), clock, 20), Number(limit));
    const again = await stand({ limit });
    const budgets = again.open();
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(budgets, again.clock)));
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, Number(limit));
  }
});

test("all budgets that apply must have capacity, and one without capacity takes nothing from the others", async () => {
  const { clock, store, open } = await stand({ limit: 10n });
  store.set(aBudget({ id: "bud_2", source: SPENDER.source, limit: 2n }));
  store.set(aBudget({ id: "bud_3", source: "other__source", limit: 1n }));
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 20), 2);
  await assert.rejects(reserve(budgets, clock), ({ detail }: Fault) => detail["budget"] === "bud_2");
  const readings = Object.fromEntries(budgets.readings().map(({ budget, used }) => [budget.id, used]));
  assert.deepEqual(readings, { bud_1: 2n, bud_2: 2n });
});

test("a refusal names the budget, what it is for, its limit and the end of its period", async () => {
  const { clock, open } = await stand({ limit: 1n, currency: "EUR", source: SPENDER.source });
  const budgets = open();
  const fault: unknown = await reserve(budgets, clock, EURO(2n)).catch((thrown: unknown) => thrown);
  assert.ok(fault instanceof Fault);
  assert.equal(fault.row.kind, "budget");
  assert.equal(
    fault.says,
    "Adapter error: budget bud_1 (organization org_1, source acme__people; 0.000001 EUR a day) has no room for this request until 2025-10-10 00:00 UTC, so it was not sent",
  );
});

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

test("what is not used is given back, when a process idles and when it stops", async () => {
  for (const stops of [true, false]) {
    const { clock, store, open } = await stand({ limit: 1_000n });
    const budgets = open();
    for (let second = 0; second < 3; second += 1) {
      await countAllowed(budgets, clock, 10);
      await clock.advance(300);
    }
    assert.ok(store.leased("bud_1") > 30n);
    if (stops) await budgets.close();
    else await clock.advance(5_000);
    assert.equal(store.leased("bud_1"), 30n);
  }
});

test("a limit that is raised lets go on, and one that is lowered stops, without forgetting what was used", async () => {
  const { clock, store, open } = await stand({ limit: 2n });
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 5), 2);
  store.set(aBudget({ limit: 5n }));
  assert.equal(await countAllowed(budgets, clock, 5), 3);
  store.set(aBudget({ limit: 1n }));
  assert.equal(await countAllowed(budgets, clock, 5), 0);
  store.budgets.delete("bud_1");
  store.set(aBudget({ id: "bud_2", organizationId: "org_2" }));
  assert.equal(await budgets.find(SPENDER), null);
  assert.deepEqual(budgets.readings(), []);
});

test("a late lookup without a budget does not discard the use of that budget", async () => {
  const { clock, store, open } = await stand({ limit: 3n });
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 2), 2);
  const budget = store.budgets.get("bud_1")!;
  store.budgets.delete("bud_1");
  store.set(aBudget({ id: "bud_2", organizationId: "org_2" }));
  assert.equal(await budgets.find(SPENDER), null);
  store.set(budget);
  assert.equal(await countAllowed(budgets, clock, 5), 1);
});

test("while the store is away, what is leased is used up, then requests are refused at once", async () => {
  const { clock, store } = await stand({ limit: 1_000n });
  let isAway = false;
  const kept: BudgetStore = {
    budgetsFor: (id) => store.budgetsFor(id),
    version: () => store.version(),
    exchange: (asks, rule) => (isAway ? Promise.reject(new Error("away")) : store.exchange(asks, rule)),
    recover: () => Promise.resolve(),
  };
  const budgets = budgetsInMemory(clock, kept);
  await countAllowed(budgets, clock, 40);
  await clock.advance(100);
  const leased = Number(store.leased("bud_1"));
  isAway = true;
  assert.equal(await countAllowed(budgets, clock, 1_000), leased - 40);
  await assert.rejects(reserve(budgets, clock), { code: "source.budget_unknown" });
  isAway = false;
  await clock.advance(1_000);
  assert.equal(await countAllowed(budgets, clock, 1_000), 1_000 - leased);
  await budgets.close();
});

test("what an answer that got lost has granted is given back, or used", async () => {
  const { clock, store } = await stand({ limit: 100n });
  let isLost = false;
  const budgets = budgetsInMemory(clock, {
    budgetsFor: (id) => store.budgetsFor(id),
    version: () => store.version(),
    recover: () => Promise.resolve(),
    exchange: async (asks, rule) => {
      const answers = await store.exchange(asks, rule);
      return isLost ? Promise.reject(new Error("lost")) : answers;
    },
  });
  await countAllowed(budgets, clock, 1);
  isLost = true;
  assert.equal(await countAllowed(budgets, clock, 1), 0);
  assert.ok(store.leased("bud_1") > 1n);
  isLost = false;
  await clock.advance(2_000);
  assert.equal(store.leased("bud_1"), 1n);
});

test("what cannot be noted is not sent", async () => {
  const { clock, open } = await stand();
  const broken = { ...new MemoryNotes().of("s1"), keep: () => assert.fail("the disk is full") };
  const reserved = await reserve(open({ log: broken }), clock);
  assert.throws(() => send(reserved, "trx_1/0/1", EURO(1n)), { code: "source.unrecorded" });
});

const MANY = { limit: 1_000_000n, currency: "EUR" };

/** Requests that are logged as in progress. */
function openIn(notes: MemoryNotes): string[] {
  const counts = notes.leftBehind().flatMap((left) => left.counts);
  return counts.flatMap(({ open }) => open.map(({ id }) => id));
}

const usedOf = (budgets: OpenBudgets) => budgets.readings()[0]?.used ?? 0n;

async function used(budgets: OpenBudgets, clock: FakeClock): Promise<void> {
  const reserved = await reserve(budgets, clock);
  send(reserved, "trx_1/0/1", EURO(1n));
  reserved.settle("yes", EURO(1n));
}

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

test("the warn level is reported when it is reached, and not before", async () => {
  const warned: BudgetReading[] = [];
  const { clock, open } = await stand({ limit: 100n });
  const budgets = open({ warn: (reading: BudgetReading) => warned.push(reading) });
  assert.equal(await countAllowed(budgets, clock, 79), 79);
  assert.equal(warned.length, 0);
  await countAllowed(budgets, clock, 1);
  assert.deepEqual(
    warned.map((reading) => reading.used),
    [80n],
  );
});

test("budgets for different sources and workflows are distinguished", async () => {
  const { clock, store, open } = await stand(MANY);
  const budgets = open();
  store.set(aBudget({ id: "bud_2", workflowId: "wfl_2", limit: 1n }));
  store.set(aBudget({ id: "bud_3", source: "other__source", limit: 2n }));
  const allowed = async (workflowId: string, source: string) => {
    for (let count = 0; ; count += 1) {
      const found = (await budgets.find({ ...SPENDER, workflowId, source }))!;
      const reserved = await Promise.resolve()
        .then(() => found.reserve(EURO(1n), clock.now() + 1_000))
        .catch(() => null);
      if (reserved === null || count === 50) return count;
    }
  };
  assert.equal(await allowed("wfl_1", SPENDER.source), 50);
  assert.equal(await allowed("wfl_2", "third__source"), 1);
  assert.equal(await allowed("wfl_2", SPENDER.source), 0);
  assert.equal(await allowed("wfl_1", "other__source"), 2);
  assert.equal(await allowed("wfl_1", "third__source"), 50);
});

test("a budget that was removed and set again counts, also if its process has not read the change yet", async () => {
  const { clock, store, open } = await stand(MANY);
  const budgets = open();
  await used(budgets, clock);
  const budget = store.budgets.get("bud_1")!;
  store.budgets.delete("bud_1");
  for (let count = 0; count < 3; count += 1) {
    await used(budgets, clock);
    await clock.advance(1_000);
  }
  store.budgets.set("bud_1", budget);
  await used(budgets, clock);
  assert.deepEqual(
    budgets.readings().map(({ budget: { id } }) => id),
    ["bud_1"],
  );
});

test("a look-up that is late and lacks a budget leaves nothing behind that is held and not known", async () => {
  const { clock, store, open } = await stand(MANY);
  const late = Promise.withResolvers<readonly []>();
  const find = store.budgetsFor.bind(store);
  store.budgetsFor = () => late.promise;
  const budgets = open();
  const first = Promise.resolve(budgets.find(SPENDER));
  store.budgetsFor = find;
  store.set(store.budgets.get("bud_1")!);
  await used(budgets, clock);
  late.resolve([]);
  await first;
  await used(budgets, clock);
  assert.equal(budgets.readings()[0]?.used, 1n);
  await budgets.close();
});

interface Sent {
  readonly reserved: Reservation;
  readonly price: Price;
  isSent: boolean;
}

test("a limit is never exceeded and can be used up, for any prices and any order of what becomes of requests", async () => {
  const limit = 150n;
  const step = fc.record({
    kind: fc.constantFrom("reserve", "reserve", "reserve", "send", "yes", "no", "cancel", "pass"),
    source: fc.nat(2),
    count: fc.integer({ min: 1, max: 20 }),
    price: fc.constantFrom(1n, 1n, 1n, 2n),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const { clock, open } = await stand({ limit, currency: "EUR" });
      const budgets = open();
      const under: Sent[] = [];
      let spent = 0n;
      const taken = () => under.reduce((sum, { price }) => sum + price.amount, spent);
      let number = 0;
      const sendOne = (one: Sent) => {
        one.isSent = true;
        send(one.reserved, `trx_2/${(number += 1)}/1`, one.price);
      };
      const tryOne = async (source: number, price: Price) => {
        const found = (await budgets.find({ ...SPENDER, source: `source_${source}` }))!;
        try {
          under.push({ reserved: await found.reserve(price, clock.now() + 1_000), price, isSent: false });
          return true;
        } catch {
          return false;
        }
      };
      for (const { kind, source, count, price } of steps) {
        if (kind === "pass") await clock.advance(count * 10);
        else if (kind === "reserve")
          for (let made = 0; made < count; made += 1) await Promise.race([tryOne(source, EURO(price)), settle()]);
        else if (kind === "send")
          under
            .filter(({ isSent }) => !isSent)
            .slice(0, count)
            .forEach(sendOne);
        else {
          const some = under.filter(({ isSent }) => isSent || kind === "cancel").slice(0, count);
          for (const one of some) {
            under.splice(under.indexOf(one), 1);
            if (kind === "cancel") one.reserved.cancel();
            else one.reserved.settle(kind as "yes" | "no", one.price);
            if (kind === "yes") spent += one.price.amount;
          }
        }
        assert.ok(taken() <= limit, `${taken()} of ${limit}`);
        assert.equal(usedOf(budgets), taken());
      }
      await clock.advance(1_100);
      let more = limit - taken();
      while (more > 0n && (await tryOne(Number(more % 3n), EURO(1n)))) {
        more -= 1n;
        if (more % 50n === 0n) await clock.advance(20);
      }
      assert.equal(more, 0n);
      assert.equal(await tryOne(0, EURO(1n)), false);
      assert.equal(usedOf(budgets), limit);
    }),
    { numRuns: 30 },
  );
});
