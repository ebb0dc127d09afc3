import type { Reservation } from "../../run/around/ports.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type Budget, type BudgetPeriod, periodAround } from "../../terms/budget.ts";
import { FakeClock } from "../../terms/clock.kit.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import {
  aBudget,
  budgetsInMemory,
  countAllowed,
  MemoryBudgets,
  MemoryNotes,
  randomNumbers,
  send,
  SPENDER,
} from "./deployment.kit.ts";
import { openBudgets, type OpenBudgets } from "./budgets.ts";
import { endLeases } from "./keep-leases.ts";
import { settleLeft } from "./settle-left.ts";
import type { BudgetStore } from "./ports.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const EURO = (amount: bigint) => ({ amount, currency: "EUR" });

// ---- a deployment in which everything fails --------------------------------------------------------------------------

interface Deployment {
  readonly seed: number;
  readonly per: BudgetPeriod;
  readonly replicas: number;
  readonly limit: bigint;
  readonly loss: number;
  readonly faults: number;
  /** Whether data directories are copied while their processes run. */
  readonly copies: boolean;
  /** Whether limits are changed, and budgets removed and made again. */
  readonly changes: boolean;
}

/** What a vendor has done with a request, which is what must never be more than the budget. */
interface Sent {
  readonly id: string;
  /** The budgets that its call has found. */
  readonly budgets: ReadonlySet<string>;
  readonly period: number;
  readonly units: bigint;
  verdict: "under way" | "yes" | "no" | "unknown";
}

class Replica {
  readonly process: string;
  readonly notes: MemoryNotes;
  readonly budgets: OpenBudgets;
  isAlive = true;
  /** Notes as they were a while ago, and when that was. */
  backup: { readonly at: number; readonly notes: MemoryNotes } | null = null;
  readonly underWay = new Map<Sent, Reservation>();

  constructor(process: string, notes: MemoryNotes, budgets: OpenBudgets) {
    this.process = process;
    this.notes = notes;
    this.budgets = budgets;
  }
}

/**
 * Runs a deployment through crashes, lost messages, midnights, new prices, changed budgets and decisions by hand. Fails
 * if a budget is exceeded.
 */
async function live({ seed, per, replicas, limit, loss, faults, copies, changes }: Deployment, steps: number) {
  const random = randomNumbers(seed);
  const clock = new FakeClock();
  const store = new MemoryBudgets(clock.wall);
  const parts = [
    { id: "bud_1", per, limit, currency: "EUR" },
    { id: "bud_2", per, limit: limit / 2n + 1n, currency: null, source: SPENDER.source },
  ];
  for (const each of parts) store.set(aBudget(each));
  const periodNow = () => periodAround(per, clock.wall());
  const sent: Sent[] = [];
  /** What the journals say. */
  const recorded = new Map<string, Charged>();
  /** The highest limit of each budget in this period: whoever has not noticed a lower one may use what is leased. */
  let highest = new Map<string, bigint>();
  let periodFrom = -1;
  let starts = 0;
  let requests = 0;
  let isQuiet = false;

  /** A network that loses and delays. A late message is carried out when nobody waits for its answer any more. */
  const across = (isAlive: () => boolean): BudgetStore => {
    const isLost = () => !isQuiet && random() < loss;
    const pass = () => new Promise<void>((resolve) => void clock.after(random() * 30, resolve));
    const carry = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (isLost()) {
        if (random() < 0.5) clock.after(random() * 3_000, () => void work());
        return new Promise<never>(() => {});
      }
      await pass();
      let result = await work();
      if (!isAlive()) return new Promise<never>(() => {});
      if (isLost()) {
        if (random() < 0.5) return new Promise<never>(() => {});
        // Somebody on the way, who got no answer, asks once more and passes on what is answered then.
        await pass();
        result = await work();
      }
      await pass();
      return result;
    };
    return {
      budgetsFor: (id) => store.budgetsFor(id),
      version: () => store.version(),
      exchange: (asks, rule) => carry(() => store.exchange(asks, rule)),
      recover: (earlier, rule) => carry(() => store.recover(earlier, rule)),
    };
  };

  async function start(process: string, notes: MemoryNotes): Promise<Replica> {
    starts += 1;
    const name = `s${String(starts).padStart(4, "0")}`;
    const speed = 1 + (random() - 0.5) / 250;
    const offset = random() * 1e6;
    const own: Clock = {
      now: () => offset + clock.now() * speed,
      wall: () => clock.wall() + offset,
      after: (delayMs, callback) => clock.after(delayMs / speed, () => replica.isAlive && callback()),
    };
    const parts = {
      clock: own,
      left: await settleLeft(notes.leftBehind(), async (id) => recorded.get(id) ?? null),
      notes: notes.of(name),
      process: () => process,
      start: name,
      warn: () => {},
    };
    const replica: Replica = new Replica(
      process,
      notes,
      openBudgets({ ...parts, store: across(() => replica.isAlive) }),
    );
    return replica;
  }

  /** Some are restored from a backup, of which the store has heard nothing since only if nothing was used. */
  function notesFor({ notes, backup }: Replica): MemoryNotes {
    const isOld = backup !== null && clock.now() - backup.at >= 5_000;
    return isOld && loss === 0 && random() < 0.3 ? backup.notes : notes;
  }

  const priceNow = () => 1n + BigInt(Math.floor(random() * 5));

  async function request(replica: Replica): Promise<void> {
    let units = priceNow();
    const id = `trx_${(requests += 1)}/0/1`;
    let reserved: Reservation | null = null;
    try {
      const before = new Set(store.budgets.keys());
      const found = (await replica.budgets.find(SPENDER))!;
      const budgets = new Set([...before].filter((one) => store.budgets.has(one)));
      const period = periodNow().from;
      reserved = await found.reserve(EURO(units), Number.POSITIVE_INFINITY);
      if (!replica.isAlive) return;
      if (random() < 0.1) return reserved.cancel();
      // The price may have changed meanwhile.
      if (random() < 0.1) units = priceNow();
      send(reserved, id, EURO(units));
      // Midnight may have passed while it waited: it belongs to the day in which it was reserved.
      const one: Sent = { id, budgets, period: Math.max(period, periodNow().from), units, verdict: "under way" };
      if (one.period === period) sent.push(one);
      replica.underWay.set(one, reserved);
    } catch (fault) {
      assert.ok(fault instanceof Fault, String(fault));
      reserved?.cancel();
    }
  }

  function settle(replica: Replica): void {
    for (const [one, reserved] of replica.underWay) {
      if (random() < 0.5) continue;
      const verdict = (["yes", "no", "unknown"] as const)[Math.floor(random() * 3)]!;
      recorded.set(one.id, verdict);
      reserved.settle(verdict, EURO(one.units));
      one.verdict = verdict;
      replica.underWay.delete(one);
    }
  }

  /** Some of what was under way is on the ledger already. The rest is unknown from now on. */
  function kill(replica: Replica): void {
    replica.isAlive = false;
    for (const one of replica.underWay.keys()) {
      one.verdict = random() < 0.3 ? "no" : "unknown";
      recorded.set(one.id, one.verdict);
    }
  }

  const unitsOfOne = ({ currency }: Budget, { units }: Sent) => (currency === null ? 1n : units);

  function usedNow(budget: Budget): bigint {
    const { from } = periodNow();
    return sent
      .filter((one) => one.period === from && one.verdict !== "no" && one.budgets.has(budget.id))
      .reduce((sum, one) => sum + unitsOfOne(budget, one), 0n);
  }

  /** A person finds out that it was not charged. The journal still says what the service had recorded. */
  function settleByHand(one: Sent): void {
    one.verdict = "no";
    for (const budget of store.budgets.values()) {
      if (one.budgets.has(budget.id)) store.settle(budget.id, -unitsOfOne(budget, one));
    }
  }

  function change(): void {
    const budget = [...store.budgets.values()].find(() => random() < 0.5);
    if (budget === undefined) return;
    if (random() < 0.5) return store.set({ ...budget, limit: BigInt(1 + Math.floor(random() * 150)) });
    store.budgets.delete(budget.id);
    store.set({ ...budget, id: `${budget.id}'` });
  }

  function check(): void {
    const { from } = periodNow();
    if (from !== periodFrom) [periodFrom, highest] = [from, new Map()];
    for (const budget of store.budgets.values()) {
      const known = highest.get(budget.id) ?? 0n;
      const max = budget.limit > known ? budget.limit : known;
      highest.set(budget.id, max);
      const used = usedNow(budget);
      if (budget.currency !== null && used > most) most = used;
      assert.ok(used <= max, `${used} of ${max} of ${budget.id}`);
      // A process whose lease another one has ended, and that says nothing for an hour, is counted twice.
      assert.ok(copies || changes || store.leased(budget.id) <= budget.limit, "more is leased than there is");
    }
  }

  const all: Replica[] = [];
  for (let at = 0; at < replicas; at += 1) all.push(await start(`p${at}`, new MemoryNotes()));
  let most = 0n;
  for (let step = 0; step < steps; step += 1) {
    isQuiet = step > steps * 0.7;
    for (const [at, replica] of all.entries()) {
      if (!isQuiet && random() < faults) {
        // Some are stopped, others killed.
        if (random() < 0.3) {
          void replica.budgets.close();
          await clock.advance(1_100);
        }
        kill(replica);
        // Some machines lose their notes, some their directory.
        if (random() < 0.2) replica.notes.lose();
        const isSame = random() < 0.8;
        all[at] = await (isSame ? start(replica.process, notesFor(replica)) : start(`n${starts}`, new MemoryNotes()));
      }
      // A data directory is copied while its process runs, and another one starts on the copy.
      if (copies && !isQuiet && random() < faults / 4) all.push(await start(replica.process, replica.notes.copy()));
      if (random() < 0.02) replica.backup = { at: clock.now(), notes: replica.notes.backup() };
      if (random() < 0.5) void request(all[at]!);
      settle(all[at]!);
    }
    const open = sent.find(({ verdict, period }) => verdict === "unknown" && period === periodNow().from);
    if (open !== undefined && random() < 0.1) settleByHand(open);
    if (changes && !isQuiet && random() < 0.03) change();
    // Nobody asks for anything for a while, or until just before midnight.
    if (random() < 0.02) await clock.advance(2_500);
    if (random() < 0.02)
      await clock.advance(per === "day" ? DAY_MS - (clock.wall() % DAY_MS) - 200 : random() * 2 * DAY_MS);
    // Between two changes, so that none is missed.
    check();
    await clock.advance(50);
    check();
  }
  return { clock, store, all, most, starts, request };
}

const deployments = fc.record({
  seed: fc.integer(),
  per: fc.constantFrom("day", "month"),
  replicas: fc.integer({ min: 1, max: 12 }),
  limit: fc.bigInt({ min: 1n, max: 150n }),
  loss: fc.constantFrom(0, 0.05, 0.3),
  faults: fc.constantFrom(0, 0.01, 0.05),
  copies: fc.boolean(),
  changes: fc.boolean(),
});

test("no outcome, no crash, no lost message, no midnight and no decision by hand makes a deployment exceed a budget", async () => {
  let full = 0;
  await fc.assert(
    fc.asyncProperty(deployments, async (deployment) => {
      const { most } = await live(deployment, 200);
      if (most > deployment.limit - 5n) full += 1;
    }),
    { numRuns: 30 },
  );
  assert.ok(full > 5, `only ${full} deployments have come near their budget`);
});

test("a day after the last of many starts, a budget has one row for each process and one for what is over", async () => {
  let saved = 0;
  const often = deployments.map((deployment) => ({
    ...deployment,
    per: "month" as const,
    faults: 0.1,
    copies: false,
    changes: false,
  }));
  await fc.assert(
    fc.asyncProperty(often, async (deployment) => {
      const { clock, store, all, starts, request } = await live(deployment, 100);
      const [before, leased] = [store.rows("bud_1").length, store.leased("bud_1")];
      await clock.advance(1.5 * DAY_MS);
      for (const replica of all) void request(replica);
      await clock.advance(2_000);
      const after = store.rows("bud_1").length;
      assert.ok(after <= all.length + 1, `${after} rows of ${all.length} processes, after ${starts} starts`);
      const isSameMonth = before > 0 && store.leased("bud_1") >= leased;
      if (isSameMonth) saved += before - after;
    }),
    { numRuns: 20 },
  );
  assert.ok(saved > 100, `only ${saved} rows went`);
});

// ---- one process -----------------------------------------------------------------------------------------------------

async function stand(parts: Parameters<typeof aBudget>[0] = {}) {
  const clock = new FakeClock();
  const store = new MemoryBudgets(clock.wall);
  store.set(aBudget(parts));
  return { clock, store, open: (more = {}) => budgetsInMemory(clock, store, more) };
}

const reserve = async (budgets: OpenBudgets, clock: FakeClock, price = EURO(1n)) =>
  (await budgets.find(SPENDER))!.reserve(price, clock.now() + 1_000);

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

test("all budgets that apply must have room, and one without room takes nothing from the others", async () => {
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

test("a request that is not sent keeps nothing, and one whose price rises while it waits needs room for that", async () => {
  const { clock, open } = await stand({ limit: 3n, currency: "EUR" });
  const budgets = open();
  (await reserve(budgets, clock, EURO(3n))).cancel();
  const reserved = await reserve(budgets, clock, EURO(3n));
  assert.throws(() => reserved.commit("trx_1", "0/1", EURO(4n)), { code: "source.budget_used" });
  reserved.cancel();
  const cheaper = await reserve(budgets, clock, EURO(3n));
  send(cheaper, "trx_1/0/1", EURO(1n));
  assert.equal(budgets.readings()[0]!.used, 1n);
  // Committed once more, as when it is sent on another connection.
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
  const budgets = open({ notes: notes.of("s1") });
  send(await reserve(budgets, clock, EURO(2n)), "trx_1/0/1", EURO(2n));
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/2", null);
  reserved.settle("yes", EURO(3n));
  assert.equal(budgets.readings()[0]!.used, 5n);
  // What it has asked before it is killed is answered.
  await clock.advance(10);
  const again = open({ left: notes.leftBehind(), notes: notes.of("s2"), start: "s2" });
  await reserve(again, clock, EURO(1n));
  assert.equal(store.leased("bud_1"), 6n);
});

for (const then of ["goes on", "is killed", "stops at once"]) {
  test(`a price that is known only with the reply is counted although nothing is leased, and its process ${then}`, async () => {
    const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
    const notes = new MemoryNotes();
    const budgets = open({ notes: notes.of("s1") });
    const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
    send(reserved, "trx_1/0/1", null);
    reserved.settle("yes", EURO(3n));
    if (then === "stops at once") await budgets.close();
    await clock.advance(then === "goes on" ? 2_000 : 50);
    if (then === "is killed") {
      const again = open({ left: notes.leftBehind(), notes: notes.of("s2"), start: "s2" });
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
      const budgets = open({ notes: notes.of("s1") });
      send(await reserve(budgets, clock), "trx_1/0/1", EURO(1n));
      const late = await (await budgets.find(SPENDER))!.reserve(price, clock.now() + 1_000);
      send(late, "trx_1/0/2", price);
      // A start on a copy of its directory ends its lease.
      (await reserve(open({ notes: notes.copy().of("s2"), start: "s2" }), clock)).cancel();
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

test("a new day begins with nothing used, by the store's clock", async () => {
  const { clock, open } = await stand({ limit: 2n });
  const budgets = open();
  assert.equal(await countAllowed(budgets, clock, 5), 2);
  await clock.advance(DAY_MS);
  assert.equal(await countAllowed(budgets, clock, 5), 2);
});

/** A store whose answers take so long. It looks at its clock when it is asked. */
function slow(store: MemoryBudgets, clock: FakeClock, takesMs: number): BudgetStore {
  return {
    budgetsFor: (id) => store.budgetsFor(id),
    version: () => store.version(),
    recover: () => Promise.resolve(),
    exchange: async (...asked) => {
      const answers = await store.exchange(...asked);
      await new Promise<void>((resolve) => void clock.after(takesMs, resolve));
      return answers;
    },
  };
}

const untilMidnight = (clock: FakeClock) => DAY_MS - (clock.wall() % DAY_MS);

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

test("a request whose price rises after midnight is not said to have no room on the day before", async () => {
  const { clock, open } = await stand({ limit: 9n, currency: "EUR" });
  const reserved = await reserve(open(), clock, EURO(1n));
  await clock.advance(DAY_MS);
  assert.throws(() => reserved.commit("trx_1", "0/1", EURO(2n)), { code: "source.budget_unknown" });
});

test("what a killed process has used is counted once it starts again, and what it had leased is free", async () => {
  for (const isLost of [false, true]) {
    const { clock, store, open } = await stand({ limit: 1_000n });
    const notes = new MemoryNotes();
    await countAllowed(open({ notes: notes.of("s1") }), clock, 50);
    await clock.advance(1_500);
    await countAllowed(open({ notes: new MemoryNotes().of("s2"), process: () => "p2", start: "s2" }), clock, 1);
    const leased = store.leased("bud_1");
    assert.ok(leased > 51n);
    if (isLost) notes.lose();
    const again = open({ left: notes.leftBehind(), notes: notes.of("s3"), start: "s3" });
    await countAllowed(again, clock, 1);
    assert.equal(store.leased("bud_1"), isLost ? leased + 1n : 52n);
  }
});

test("a request that had its room under a lease that its process has left counts after a crash", async () => {
  const { clock, store, open } = await stand({ per: "month", limit: 1_000n });
  const notes = new MemoryNotes();
  const budgets = open({ notes: notes.of("s1") });
  const first = await reserve(budgets, clock);
  send(first, "trx_1/0/1", EURO(1n));
  await clock.advance(13 * 60 * 60 * 1_000);
  first.settle("no", EURO(1n));
  send(await reserve(budgets, clock), "trx_1/0/2", EURO(1n));
  const again = open({ left: notes.leftBehind(), notes: notes.of("s2"), start: "s2" });
  await countAllowed(again, clock, 1);
  assert.equal(store.leased("bud_1"), 2n);
});

test("two processes on one data directory and its copy do not exceed a budget together, whoever goes on", async () => {
  for (const first of ["original", "copy"] as const) {
    const { clock, open } = await stand({ limit: 100n });
    const notes = new MemoryNotes();
    const original = open({ notes: notes.of("s1") });
    await countAllowed(original, clock, 20);
    await clock.advance(100);
    const copied = notes.copy();
    const copy = open({ left: copied.leftBehind(), notes: copied.of("s2"), start: "s2" });
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
  const budgets = open({ start: "s2", notes: new MemoryNotes().of("s2") });
  assert.equal(await countAllowed(budgets, clock, 1), 1);
  const rows = store.rows("bud_1");
  await store.recover({ process: "p1", start: "s1", left: [] }, endLeases);
  assert.deepEqual(store.rows("bud_1"), rows);
});

test("a start whose clock was set back ends the lease of the one before it, whose notes it has", async () => {
  const { clock, store, open } = await stand();
  const notes = new MemoryNotes();
  assert.equal(await countAllowed(open({ start: "s2", notes: notes.of("s2") }), clock, 3), 3);
  await countAllowed(open({ start: "s1", left: notes.leftBehind(), notes: notes.of("s1") }), clock, 1);
  assert.equal(store.leased("bud_1"), 4n);
});

test("notes that were put back from a backup count less than the store has heard, and are not believed", async () => {
  const { clock, store, open } = await stand({ limit: 100n });
  const notes = new MemoryNotes();
  const budgets = open({ notes: notes.of("s1") });
  await countAllowed(budgets, clock, 10);
  const backup = notes.backup();
  await countAllowed(budgets, clock, 30);
  await clock.advance(1_000);
  await countAllowed(open({ left: backup.leftBehind(), notes: backup.of("s2"), start: "s2" }), clock, 1);
  assert.ok(store.leased("bud_1") >= 41n);
});

test("notes that were put back from a backup are not believed if as much was used since, by another request", async () => {
  const { clock, open } = await stand({ limit: 1n });
  const notes = new MemoryNotes();
  const budgets = open({ notes: notes.of("s1") });
  const first = await reserve(budgets, clock);
  send(first, "trx_1/0/1", EURO(1n));
  await clock.advance(1_100);
  const backup = notes.backup();
  first.settle("no", EURO(1n));
  send(await reserve(budgets, clock), "trx_2/0/1", EURO(1n));
  await clock.advance(60_000);
  const left = await settleLeft(backup.leftBehind(), async (id) => (id === "trx_1/0/1" ? "no" : null));
  assert.equal(await countAllowed(open({ left, notes: backup.of("s2"), start: "s2" }), clock, 1), 0);
});

test("a process whose lease another one has ended tells what it has used beyond what was counted", async () => {
  for (const stops of [true, false]) {
    const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
    const notes = new MemoryNotes();
    const budgets = open({ notes: notes.of("s1") });
    send(await reserve(budgets, clock, EURO(5n)), "trx_1/0/1", EURO(5n));
    const dearer = await reserve(budgets, clock, EURO(5n));
    send(dearer, "trx_1/0/2", EURO(5n));
    await reserve(open({ notes: notes.copy().of("s2"), start: "s2" }), clock);
    dearer.settle("yes", EURO(30n));
    if (stops) await budgets.close();
    else send(await reserve(budgets, clock, EURO(7n)), "trx_1/0/3", EURO(7n));
    await clock.advance(2_000);
    assert.equal(store.leased("bud_1"), 35n + 1n + (stops ? 0n : 7n));
  }
});

for (const fails of ["the notes cannot be written", "the store does not answer", "the budget is removed"]) {
  test(`a lease that another start has ended is not told of without a pause where ${fails}`, async () => {
    const { clock, store, open } = await stand({ limit: 100n, currency: "EUR" });
    const notes = new MemoryNotes();
    const own = notes.of("s1");
    const { keepTurn } = own;
    const exchange = store.exchange.bind(store);
    let [isBroken, tries] = [false, 0];
    const failing = (name: string): void => {
      tries += 1;
      // A loop that lets no time pass would never end.
      assert.ok(tries < 1_000, "it is tried without a pause");
      if (isBroken && fails === name) throw new Error("it fails");
    };
    own.keepTurn = (turn) => {
      failing("the notes cannot be written");
      keepTurn(turn);
    };
    store.exchange = async (asks, keep) => {
      failing("the store does not answer");
      const answers = await exchange(asks, keep);
      isBroken ||= answers.some(({ counted }) => counted !== null);
      if (isBroken && fails === "the budget is removed") store.budgets.clear();
      return answers;
    };
    const budgets = open({ notes: own });
    send(await reserve(budgets, clock, EURO(5n)), "trx_1/0/1", EURO(5n));
    const dearer = await reserve(budgets, clock, EURO(5n));
    send(dearer, "trx_1/0/2", EURO(5n));
    await reserve(open({ notes: notes.copy().of("s2"), start: "s2" }), clock);
    dearer.settle("yes", EURO(30n));
    tries = 0;
    await clock.advance(3_000);
    assert.ok(isBroken);
    assert.ok(tries < 40, String(tries));
  });
}

test("what was charged beyond what was leased counts although there is no room, and is not leased to others", async () => {
  const { clock, store, open } = await stand({ limit: 10n, currency: "EUR" });
  const budgets = open();
  send(await reserve(budgets, clock, EURO(1n)), "trx_1/0/1", EURO(1n));
  const reserved = await (await budgets.find(SPENDER))!.reserve(null, clock.now() + 1_000);
  send(reserved, "trx_1/0/2", null);
  const other = open({ notes: new MemoryNotes().of("s2"), process: () => "p2", start: "s2" });
  const big = await reserve(other, clock, EURO(7n));
  reserved.settle("yes", EURO(7n));
  await clock.advance(1_100);
  assert.equal(store.leased("bud_1"), 8n + 7n);
  big.cancel();
  await clock.advance(2_000);
  await assert.rejects(reserve(other, clock, EURO(3n)), { code: "source.budget_used" });
  send(await reserve(other, clock, EURO(2n)), "trx_2/0/1", EURO(2n));
});

test("what is used beyond what was granted is told so that it survives a power failure, and what is given back is not", async () => {
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

test("a look-up that is late and lacks a budget makes nobody forget what was used of it", async () => {
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
    exchange: (...asked) => (isAway ? Promise.reject(new Error("away")) : store.exchange(...asked)),
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
    exchange: async (...asked) => {
      const answers = await store.exchange(...asked);
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

test("a budget whose period is over is not reported until it is used again", async () => {
  const { clock, open } = await stand({ limit: 2n });
  const budgets = open();
  await countAllowed(budgets, clock, 2);
  assert.equal(budgets.readings().length, 1);
  await clock.advance(DAY_MS);
  assert.deepEqual(budgets.readings(), []);
});

test("what cannot be noted is not sent", async () => {
  const { clock, open } = await stand();
  const broken = { ...new MemoryNotes().of("s1"), keep: () => assert.fail("the disk is full") };
  const reserved = await reserve(open({ notes: broken }), clock);
  assert.throws(() => send(reserved, "trx_1/0/1", EURO(1n)), { code: "source.unrecorded" });
});

test("the warn level is told once in each period", async () => {
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

test("REPRO", async () => {
  await live(
    { seed: -230696212, per: "day", replicas: 3, limit: 66n, loss: 0, faults: 0.01, copies: false, changes: false },
    200,
  );
});
