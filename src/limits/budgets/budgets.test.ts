import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClock } from "../../terms/time/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { OpenBudgets } from "./budgets.ts";
import {
  aBudget,
  budgetsInMemory,
  countAllowed,
  EURO,
  MANY,
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

async function used(budgets: OpenBudgets, clock: FakeClock): Promise<void> {
  const reserved = await reserve(budgets, clock);
  send(reserved, "trx_1/0/1", EURO(1n));
  reserved.settle("yes", EURO(1n));
}

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
