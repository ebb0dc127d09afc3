import assert from "node:assert/strict";
import { test } from "node:test";
import type { FakeClock } from "../../terms/time/clock.kit.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import { budgetsInMemory, countAllowed, EURO, type MemoryBudgets, reserve, send, stand } from "./memory-budgets.kit.ts";
import type { BudgetStore } from "./ports.ts";

/** A store with a delay before each answer. It reads its clock when the ask arrives. */
function slow(store: MemoryBudgets, clock: FakeClock, takesMs: number): BudgetStore {
  return {
    budgetsFor: (id) => store.budgetsFor(id),
    version: () => store.version(),
    recover: () => Promise.resolve(),
    exchange: async (asks, rule) => {
      const answers = await store.exchange(asks, rule);
      await new Promise<void>((resolve) => void clock.after(takesMs, resolve));
      return answers;
    },
  };
}

const untilMidnight = (clock: FakeClock) => DAY_MS - (clock.wall() % DAY_MS);

test("a new day begins with nothing used, by the store's clock", async () => {
  const { clock, open } = await stand({ limit: 2n });
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 5), 2);
  await clock.advance(DAY_MS);
  assert.equal(await countAllowed(budgets, clock, 5), 2);
});

test("a budget of Berlin begins anew when the month ends there, and not when it ends in UTC", async () => {
  const { clock, open } = await stand({ limit: 2n, per: "month", timeZone: "Europe/Berlin" });
  const budgets = open();
  clock.jumpWall(Date.parse("2026-10-31T22:59:00Z") - clock.wall());
  assert.equal(await countAllowed(budgets, clock, 5), 2);
  await clock.advance(61_000);
  assert.equal(await countAllowed(budgets, clock, 5), 2, "in Berlin it is November");
  await clock.advance(60 * 60_000);
  assert.equal(await countAllowed(budgets, clock, 5), 0, "in UTC too");
});

test("a request whose answer comes after midnight waits for the new day, and is not refused for the old one", async () => {
  for (const limit of [1n, 100n]) {
    const { clock, store } = await stand({ limit });
    const budgets = budgetsInMemory(clock, slow(store, clock, 200));
    const first = reserve(budgets, clock);
    await clock.advance(untilMidnight(clock) - 100);
    send(await first, "trx_1/0/1", EURO(1n));
    const late = reserve(budgets, clock);
    await clock.advance(1_000);
    send(await late, "trx_1/0/2", EURO(1n));
    assert.equal(budgets.readings()[0]!.used, 1n);
  }
});

test("what was refused just before midnight is asked for again just after it", async () => {
  const { clock, open } = await stand({ limit: 1n });
  const budgets = open();
  await countAllowed(budgets, clock, 1);
  await clock.advance(untilMidnight(clock) - 100);
  await assert.rejects(reserve(budgets, clock), { code: "source.budget_used" });
  await clock.advance(101);
  assert.equal(await countAllowed(budgets, clock, 1), 1);
});

test("a request whose price rises after midnight is not rejected by the budget of the day before", async () => {
  const { clock, open } = await stand({ limit: 9n, currency: "EUR" });
  const reserved = await reserve(open(), clock, EURO(1n));
  await clock.advance(DAY_MS);
  assert.throws(() => reserved.commit("trx_1", "0/1", EURO(2n)), { code: "source.budget_unknown" });
});

test("a budget whose period is over is not reported until it is used again", async () => {
  const { clock, open } = await stand({ limit: 2n });
  const budgets = open();
  await countAllowed(budgets, clock, 2);
  assert.equal(budgets.readings().length, 1);
  await clock.advance(DAY_MS);
  assert.deepEqual(budgets.readings(), []);
});

test("the warn level is reported once in each period", async () => {
  const told: bigint[] = [];
  const { clock, open } = await stand({ limit: 10n, warnPercent: 75 });
  const budgets = open({ warn: ({ used }: { used: bigint }) => told.push(used) });
  await countAllowed(budgets, clock, 7);
  assert.deepEqual(told, []);
  await countAllowed(budgets, clock, 3);
  assert.deepEqual(told, [8n]);
  await clock.advance(DAY_MS);
  await countAllowed(budgets, clock, 9);
  assert.deepEqual(told, [8n, 8n]);
});
