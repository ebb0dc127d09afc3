import assert from "node:assert/strict";
import { mock, test } from "node:test";
import * as fc from "fast-check";
import type { Reservation } from "../../run/around/ports.ts";
import { settle } from "../../terms/clock.kit.ts";
import type { Price } from "../../terms/price.ts";
import { aBudget, EURO, MemoryNotes, reserve, send, SPENDER, stand, DAY_MS } from "./deployment.kit.ts";
import { HeldBudget, NOBODY_WAITS } from "./held-budget.ts";
import type { BudgetReading } from "./ports.ts";
import { RequestsAhead } from "./requests-ahead.ts";
import { Part, takeAll } from "./reservation.ts";
import { WITHOUT_NOTES } from "./use-notes.ts";

const MANY = { limit: 1_000_000n, currency: "EUR" };
const LIMIT = 3_000n;

/** Budgets that have been used so much that room for many more requests is leased. */
async function busy(parts: Parameters<typeof stand>[0] = MANY, more: object = {}) {
  const at = await stand(parts);
  const budgets = at.open(more);
  for (let second = 0; second < 2; second += 1) {
    for (let count = 0; count < 150; count += 1) await used(budgets, at.clock);
    await at.clock.advance(400);
  }
  return { ...at, budgets };
}

type Stand = Awaited<ReturnType<typeof busy>>;

async function used(budgets: Stand["budgets"], clock: Stand["clock"], price = EURO(1n)): Promise<void> {
  const reserved = await reserve(budgets, clock, price);
  send(reserved, "trx_1/0/1", price);
  reserved.settle("yes", price);
}

const usedOf = ({ budgets }: Pick<Stand, "budgets">) => budgets.readings()[0]!.used;

/** Requests that are noted as under way. */
function openIn(notes: MemoryNotes): string[] {
  const counts = notes.leftBehind().flatMap((left) => left.counts);
  return counts.flatMap(({ open }) => open.map(({ id }) => id));
}

test("where there is room for many more, most requests look at no budget", async (t) => {
  const { budgets, clock } = await busy();
  const looks = mock.method(HeldBudget.prototype, "fits");
  t.after(() => looks.mock.restore());
  for (let count = 0; count < 1_000; count += 1) {
    await used(budgets, clock);
    if (count % 200 === 0) await clock.advance(100);
  }
  assert.ok(looks.mock.callCount() < 250, `${looks.mock.callCount()} looks for 1,000 requests`);
});

test("what requests have used is known and noted exactly, whatever becomes of them", async () => {
  const notes = new MemoryNotes();
  const at = await busy(MANY, { notes: notes.of("s1") });
  const { budgets, clock } = at;
  const before = usedOf(at);
  const all: Reservation[] = [];
  for (let count = 0; count < 7; count += 1) all.push(await reserve(budgets, clock));
  const [yes, no, unknown, cancelled, late, dearer, open] = all as [
    Reservation,
    ...[Reservation, Reservation, Reservation, Reservation, Reservation, Reservation],
  ];
  for (const [number, sent] of [yes, no, unknown, cancelled, late, open].entries())
    send(sent, `trx_2/${number}/1`, EURO(1n));
  send(dearer, "trx_2/6/1", EURO(5n));
  assert.equal(usedOf(at) - before, 11n);
  yes.settle("yes", EURO(1n));
  no.settle("no", EURO(1n));
  unknown.settle("unknown", EURO(1n));
  cancelled.cancel();
  late.settle("yes", EURO(3n));
  dearer.settle("yes", EURO(5n));
  assert.equal(usedOf(at) - before, 1n + 0n + 1n + 0n + 3n + 5n + 1n);
  // Each ends once.
  for (const one of all.slice(0, 6)) {
    one.settle("no", EURO(1n));
    one.cancel();
  }
  assert.equal(usedOf(at) - before, 11n);
  await clock.advance(1_100);
  assert.deepEqual(openIn(notes), ["trx_2/5/1"]);
  open.cancel();
  assert.equal(usedOf(at) - before, 10n);
  assert.deepEqual(openIn(notes), []);
});

test("that a request has ended is noted also if nothing had to be told to the store for long", async () => {
  const notes = new MemoryNotes();
  const { budgets, clock } = await busy(MANY, { notes: notes.of("s1") });
  for (let count = 0; count < 5; count += 1) await used(budgets, clock);
  const slow = await reserve(budgets, clock);
  send(slow, "trx_2/0/1", EURO(1n));
  await clock.advance(30_000);
  assert.deepEqual(openIn(notes), ["trx_2/0/1"]);

  assert.ok(slow.settleInFull("yes", EURO(1n)));
  await clock.advance(1_100);

  assert.deepEqual(openIn(notes), []);
});

test("what cost just what was reserved is settled before its record; anything that frees room, or needs more, is not", async () => {
  const notes = new MemoryNotes();
  const at = await busy(MANY, { notes: notes.of("s1") });
  const { budgets, clock } = at;
  const before = usedOf(at);
  // Until room is taken for further ones.
  for (let count = 0; count < 5; count += 1) await used(budgets, clock);
  const [yes, unknown, no, dearer, unsent] = [
    await reserve(budgets, clock),
    await reserve(budgets, clock),
    await reserve(budgets, clock),
    await reserve(budgets, clock),
    await reserve(budgets, clock),
  ];
  for (const [number, sent] of [yes, unknown, no, dearer].entries()) send(sent, `trx_2/${number}/1`, EURO(1n));

  assert.ok(yes.settleInFull("yes", EURO(1n)));
  assert.ok(unknown.settleInFull("unknown", EURO(1n)));
  assert.ok(!no.settleInFull("no", EURO(1n)));
  assert.ok(!dearer.settleInFull("yes", EURO(3n)));
  assert.ok(!unsent.settleInFull("yes", EURO(1n)));

  await clock.advance(1_100);
  assert.deepEqual(openIn(notes), ["trx_2/2/1", "trx_2/3/1"]);
  assert.equal(usedOf(at) - before, 5n + 5n);
  for (const one of [yes, unknown]) {
    assert.ok(!one.settleInFull("yes", EURO(1n)), "it is settled once");
    one.settle("no", EURO(1n));
    one.cancel();
  }
  no.settle("no", EURO(1n));
  dearer.settle("yes", EURO(3n));
  unsent.cancel();
  assert.equal(usedOf(at) - before, 5n + 1n + 1n + 0n + 3n);
});

test("a request that is committed once more, as on another connection, is noted and counted once", async () => {
  const notes = new MemoryNotes();
  const at = await busy(MANY, { notes: notes.of("s1") });
  const before = usedOf(at);
  const reserved = await reserve(at.budgets, at.clock);
  for (const id of ["trx_2/0/1", "trx_2/0/1", "trx_2/0/2"]) send(reserved, id, EURO(1n));
  assert.equal(usedOf(at) - before, 1n);
  assert.deepEqual(openIn(notes), ["trx_2/0/2"]);
});

test("what was taken ahead and not used is free after a crash, and what was used is not", async () => {
  const notes = new MemoryNotes();
  const { budgets, clock, store, open } = await busy(MANY, { notes: notes.of("s1") });
  for (let count = 0; count < 5; count += 1) await used(budgets, clock);
  send(await reserve(budgets, clock), "trx_2/0/1", EURO(1n));
  await reserve(budgets, clock);

  const again = open({ left: notes.leftBehind(), notes: notes.of("s2"), start: "s2" });
  await reserve(again, clock);

  assert.equal(store.leased("bud_1"), 300n + 5n + 1n + 1n);
});

test("the store hears what is used, and not what was taken ahead", async () => {
  const { budgets, clock, store } = await busy();
  for (let count = 0; count < 5; count += 1) await used(budgets, clock);
  await clock.advance(5_000);
  assert.equal(store.leased("bud_1"), 305n);
});

test("a process that stops gives back what it has taken ahead", async () => {
  const { budgets, clock, store } = await busy();
  await used(budgets, clock);
  await budgets.close();
  assert.equal(store.leased("bud_1"), 301n);
});

test("the warn level is told when it is reached, and not before", async () => {
  const warned: BudgetReading[] = [];
  const at = await busy({ limit: LIMIT, currency: "EUR" }, { warn: (reading: BudgetReading) => warned.push(reading) });
  for (let count = 300; count < 2_399; count += 1) {
    await used(at.budgets, at.clock);
    if (count % 100 === 0) await at.clock.advance(100);
  }
  assert.equal(warned.length, 0);
  await used(at.budgets, at.clock);
  assert.deepEqual(
    warned.map((reading) => reading.used),
    [2_400n],
  );
});

test("room that was taken ahead in one period is not used in the next", async () => {
  const at = await busy();
  await used(at.budgets, at.clock);
  await at.clock.advance(DAY_MS - (at.clock.wall() % DAY_MS) + 3_000);
  await used(at.budgets, at.clock);
  await at.clock.advance(3_000);
  assert.equal(usedOf(at), 1n);
  assert.equal(at.store.leased("bud_1"), 1n);
});

test("budgets for different sources and workflows are told apart, also where calls were alike before", async () => {
  const { budgets, clock, store } = await busy();
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

test("a budget that was removed and set again counts, also if its process has not heard of that yet", async () => {
  const { budgets, clock, store } = await busy();
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

test("what one source has ahead is there for another, to the last unit, without asking the store", async () => {
  const { budgets, clock, store } = await busy();
  await clock.advance(100);
  const leased = store.leased("bud_1");
  const [one, other] = await Promise.all(
    ["one__source", "other__source"].map(async (source) => budgets.find({ ...SPENDER, source })),
  );
  const isHere = (call: typeof one) => !(call!.reserve(EURO(1n), clock.now() + 1_000) instanceof Promise);
  let count = 300n;
  for (let isFirst = true; count <= leased; count += 1n, isFirst = false) if (!isHere(isFirst ? one! : other!)) break;
  assert.equal(count, leased);
});

test("nothing that was taken ahead is used once another start has ended the lease", async () => {
  const notes = new MemoryNotes();
  const { budgets, clock, store, open } = await busy({ limit: LIMIT, currency: "EUR" }, { notes: notes.of("s1") });
  const exchange = store.exchange.bind(store);
  store.exchange = async (...asked) => {
    await new Promise<void>((resolve) => void clock.after(200, resolve));
    return exchange(...asked);
  };
  const copied = notes.copy();
  const copy = open({ left: copied.leftBehind(), notes: copied.of("s2"), start: "s2" });
  let allowed = 300n;
  const count = () => void (allowed += 1n);
  for (let step = 0; step < 600; step += 1) {
    for (const one of step % 10 < 8 ? [budgets, budgets, budgets, budgets] : [copy, copy, copy, copy])
      reserve(one, clock).then(count, () => {});
    await clock.advance(5);
  }
  await clock.advance(5_000);
  assert.ok(allowed > 1_000n && allowed <= LIMIT, `${allowed} of ${LIMIT}`);
});

test("nothing that was taken ahead is used once its lease is given up, because the store's clock was set back", () => {
  const budget = aBudget(MANY);
  const held = new HeldBudget(budget, "s1.1", WITHOUT_NOTES);
  const hear = (from: number) =>
    held.answered(
      { now: from + 1, budget, period: { from, to: from + DAY_MS }, amount: 10_000n, othersUsed: 0n, counted: null },
      0,
      1,
      NOBODY_WAITS,
    );
  hear(DAY_MS);
  const parts = [new Part(held, EURO(1n))];
  assert.equal(takeAll(parts, 1), null);
  const ahead = RequestsAhead.take(parts, EURO(1n), 1)!;
  assert.equal(ahead.take(EURO(1n), 1), true);
  hear(0);
  hear(0);
  assert.equal(ahead.take(EURO(1n), 1), false);
  assert.equal(held.used, 0n);
});

test("nothing that was taken ahead is used after the end of its period, nor under another lease", async () => {
  const at = await busy();
  const { budgets, clock, store } = at;
  const midnight = clock.wall() - (clock.wall() % DAY_MS) + DAY_MS;
  await clock.advance(midnight - clock.wall() - 1_500);
  for (let count = 0; count < 200; count += 1) await used(budgets, clock);
  await clock.advance(500);
  // From now on an answer takes so long that requests come in between.
  const exchange = store.exchange.bind(store);
  store.exchange = async (...asked) => {
    await new Promise<void>((resolve) => void clock.after(400, resolve));
    return exchange(...asked);
  };
  let after = 0n;
  const waiting: Promise<void>[] = [];
  for (let step = 0; step < 100; step += 1) {
    const found = (await budgets.find(SPENDER))!;
    const reserved = found.reserve(EURO(1n), clock.now() + 5_000);
    const send1 = (one: Reservation) => {
      send(one, `trx_2/${step}/1`, EURO(1n));
      one.settle("yes", EURO(1n));
      if (clock.wall() >= midnight) after += 1n;
    };
    if (reserved instanceof Promise) waiting.push(reserved.then(send1));
    else send1(reserved);
    await clock.advance(30);
  }
  await clock.advance(3_000);
  await Promise.all(waiting);
  assert.ok(after > 20n);
  assert.equal(usedOf(at), after);
});

interface Sent {
  readonly reserved: Reservation;
  readonly price: Price;
  isSent: boolean;
}

test("a limit is never exceeded and can be used up, for any prices and any order of what becomes of requests", async () => {
  const step = fc.record({
    kind: fc.constantFrom("reserve", "reserve", "reserve", "send", "yes", "no", "cancel", "pass"),
    source: fc.nat(2),
    count: fc.integer({ min: 1, max: 120 }),
    price: fc.constantFrom(1n, 1n, 1n, 2n),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const at = await busy({ limit: LIMIT, currency: "EUR" });
      const { budgets, clock } = at;
      const under: Sent[] = [];
      let spent = 300n;
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
        assert.ok(taken() <= LIMIT, `${taken()} of ${LIMIT}`);
        assert.equal(usedOf(at), taken());
      }
      await clock.advance(1_100);
      let more = LIMIT - taken();
      while (more > 0n && (await tryOne(Number(more % 3n), EURO(1n)))) {
        more -= 1n;
        if (more % 50n === 0n) await clock.advance(20);
      }
      assert.equal(more, 0n);
      assert.equal(await tryOne(0, EURO(1n)), false);
      assert.equal(usedOf(at), LIMIT);
    }),
    { numRuns: 30 },
  );
});
