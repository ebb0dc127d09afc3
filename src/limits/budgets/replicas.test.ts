import type { Reservation } from "../../run/middleware/ports.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { type Budget, type BudgetPeriod, periodContaining } from "../../terms/money/budget.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Fault, type Charged } from "../../terms/fault.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import { aBudget, EURO, MemoryBudgets, MemoryNotes, randomNumbers, send, SPENDER } from "./memory-budgets.kit.ts";
import { openBudgets, type OpenBudgets } from "./budgets.ts";
import { settleLeft } from "./read-usage.ts";
import type { BudgetStore } from "./ports.ts";

interface Deployment {
  readonly seed: number;
  readonly per: BudgetPeriod;
  readonly replicas: number;
  readonly limit: bigint;
  readonly loss: number;
  readonly faults: number;
  /** Whether data directories are copied while their processes run. */
  readonly copies: boolean;
  /** Whether limits change, and budgets are removed and created again. */
  readonly changes: boolean;
}

/** A vendor's view of a request. The sum over these must never exceed the budget. */
interface Sent {
  readonly id: string;
  /** The budgets that applied to its call. */
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
  /** An earlier copy of the log, with its time. */
  backup: { readonly at: number; readonly notes: MemoryNotes } | null = null;
  readonly underWay = new Map<Sent, Reservation>();

  constructor(process: string, notes: MemoryNotes, budgets: OpenBudgets) {
    this.process = process;
    this.notes = notes;
    this.budgets = budgets;
  }
}

/**
 * Simulates a deployment through crashes, lost messages, midnights, new prices, changed budgets and settlements by
 * hand. Fails if a budget is exceeded.
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
  const periodNow = () => periodContaining({ per, timeZone: "UTC" }, clock.wall());
  const sent: Sent[] = [];
  /** The charges in the journals. */
  const recorded = new Map<string, Charged>();
  /**
   * The highest limit of each budget in this period: a process that has not noticed a lower one may use leased units.
   */
  let highest = new Map<string, bigint>();
  let periodFrom = -1;
  let starts = 0;
  let requests = 0;
  let isQuiet = false;

  /**
   * A network that loses and delays messages. A late message is still carried out after its sender has stopped waiting.
   */
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
        // An intermediary repeats a message without an answer and forwards the second answer.
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
      log: notes.of(name),
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

  /**
   * Some logs are restored from an older backup. The store has later reports than the backup, unless nothing was used
   * since.
   */
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
      // Midnight may have passed during the wait: the request belongs to the day of its reservation.
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

  /** Some requests in progress are already on the ledger. The others are unknown from now on. */
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

  /** An operator finds that the request was not charged. The journal still has the service's own record. */
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
      // If another process ends a lease, and the lease's own process then reports nothing for an hour, its units are
      // counted twice.
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
        // Some processes are stopped, others killed.
        if (random() < 0.3) {
          void replica.budgets.close();
          await clock.advance(1_100);
        }
        kill(replica);
        // Some machines lose their log, some their directory.
        if (random() < 0.2) replica.notes.lose();
        const isSame = random() < 0.8;
        all[at] = await (isSame ? start(replica.process, notesFor(replica)) : start(`n${starts}`, new MemoryNotes()));
      }
      // A data directory is copied while its process runs, and another process starts on the copy.
      if (copies && !isQuiet && random() < faults / 4) all.push(await start(replica.process, replica.notes.copy()));
      if (random() < 0.02) replica.backup = { at: clock.now(), notes: replica.notes.backup() };
      if (random() < 0.5) void request(all[at]!);
      settle(all[at]!);
    }
    const open = sent.find(({ verdict, period }) => verdict === "unknown" && period === periodNow().from);
    if (open !== undefined && random() < 0.1) settleByHand(open);
    if (changes && !isQuiet && random() < 0.03) change();
    // No requests for a while, or until just before midnight.
    if (random() < 0.02) await clock.advance(2_500);
    if (random() < 0.02)
      await clock.advance(per === "day" ? DAY_MS - (clock.wall() % DAY_MS) - 200 : random() * 2 * DAY_MS);
    // Between any two changes, so that none is missed.
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

test("three processes of which hardly one fails, in which a mistake was found once, do not exceed their budget", async () => {
  await live(
    { seed: -230696212, per: "day", replicas: 3, limit: 66n, loss: 0, faults: 0.01, copies: false, changes: false },
    200,
  );
});
