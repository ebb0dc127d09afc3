import type { Budgets } from "../../run/around/ports.ts";
import { randomNumbers } from "../deployment.kit.ts";
import { type Budget, periodAround } from "../../terms/budget.ts";
import type { FakeClock } from "../../terms/clock.kit.ts";
import { openBudgets, type OpenBudgets } from "./budgets.ts";
import type { BudgetAnswer, BudgetAsk, BudgetStore, CountedUse, LeftBehind, SliceRule, UseNotes } from "./ports.ts";

interface KeptLease {
  readonly budgetId: string;
  readonly periodFrom: number;
  readonly lease: string;
  readonly process: string;
  readonly turn: number;
  amount: bigint;
  used: bigint;
}

/** The tables of budgets, in memory. */
export class MemoryBudgets implements BudgetStore {
  readonly #wall: () => number;
  readonly budgets = new Map<string, Budget>();
  #leases: KeptLease[] = [];
  #version = 0;

  constructor(wall: () => number) {
    this.#wall = wall;
  }

  set(budget: Budget): void {
    this.budgets.set(budget.id, budget);
    this.#version += 1;
  }

  async budgetsFor(organizationId: string): Promise<readonly Budget[]> {
    return [...this.budgets.values()].filter((budget) => budget.organizationId === organizationId);
  }

  version(): number {
    return this.#version;
  }

  async exchange(asks: readonly BudgetAsk[], rule: SliceRule): Promise<readonly BudgetAnswer[]> {
    const now = this.#wall();
    return asks.map((ask) => {
      const budget = this.budgets.get(ask.budgetId) ?? null;
      const period = periodAround(budget?.per ?? "day", now);
      if (budget === null) return { now, budget, period, amount: 0n, othersUsed: 0n };
      const here = this.#leases.filter((row) => row.budgetId === budget.id && row.periodFrom === period.from);
      const others = here.filter(({ lease }) => lease !== ask.lease);
      const known = here.find(({ lease }) => lease === ask.lease);
      const kept = { keep: known?.amount ?? 0n, used: known?.used ?? 0n };
      const own = ask.periodFrom === period.from ? ask : { ...ask, ...kept };
      const amount = rule(budget.limit, sum(others, "amount"), own);
      if (known === undefined || known.turn < ask.turn) {
        this.#leases = this.#leases.filter((row) => row !== known);
        this.#leases.push({ ...own, periodFrom: period.from, amount });
      }
      return { now, budget, period, amount, othersUsed: sum(others, "used") };
    });
  }

  async recover(process: string, left: readonly LeftBehind[]): Promise<void> {
    for (const { start, counts } of left) {
      for (const row of this.#leases) {
        if (row.process !== process || !row.lease.startsWith(start)) continue;
        const { budgetId, periodFrom, lease } = row;
        const counted = counts.find((one) => one.budgetId === budgetId && one.periodFrom === periodFrom && one.lease === lease); // prettier-ignore
        row.amount = row.used = counted?.used ?? 0n;
      }
    }
  }

  /** A person has settled what was unknown. */
  settle(budgetId: string, more: bigint): void {
    const budget = this.budgets.get(budgetId)!;
    const periodFrom = periodAround(budget.per, this.#wall()).from;
    this.#leases.push({ budgetId, periodFrom, lease: `settled ${this.#leases.length}`, process: "", turn: 0, amount: more, used: more }); // prettier-ignore
  }

  /** What is leased in the current period. */
  leased(budgetId: string): bigint {
    const periodFrom = periodAround(this.budgets.get(budgetId)!.per, this.#wall()).from;
    return sum(this.#leases.filter((row) => row.budgetId === budgetId && row.periodFrom === periodFrom), "amount"); // prettier-ignore
  }
}

function sum(rows: readonly KeptLease[], column: "amount" | "used"): bigint {
  return rows.reduce((total, row) => total + row[column], 0n);
}

/** The notes of a process, which outlive it. */
export class MemoryNotes {
  readonly #files = new Map<string, CountedUse[]>();

  leftBehind(): LeftBehind[] {
    return [...this.#files].map(([start, uses]) => ({ start, counts: lastOf(uses) }));
  }

  of(start: string): UseNotes {
    return {
      recovered: () => {
        for (const one of this.#files.keys()) if (one !== start) this.#files.delete(one);
      },
      begin: () => void this.#files.set(start, []),
      note: (use) => void this.#files.get(start)!.push(use),
      end: () => void this.#files.delete(start),
    };
  }

  /** A power failure: what was noted is not there. */
  lose(): void {
    this.#files.clear();
  }
}

function lastOf(uses: readonly CountedUse[]): CountedUse[] {
  return [...new Map(uses.map((use) => [`${use.budgetId} ${use.periodFrom} ${use.lease}`, use])).values()];
}

/** A budget of an organization, of a hundred requests a day unless said. */
export function aBudget(parts: Partial<Budget> = {}): Budget {
  return {
    id: "bud_1",
    organizationId: "org_1",
    workflowId: null,
    source: null,
    credentialId: null,
    per: "day",
    currency: null,
    limit: 100n,
    warnPercent: 80,
    setWallAt: 0,
    ...parts,
  };
}

export const SPENDER = { organizationId: "org_1", workflowId: "wfl_1", source: "acme__people", credentialId: null };

/** The budgets of a deployment of one process. */
export function budgetsInMemory(
  clock: FakeClock,
  store: BudgetStore,
  parts: Partial<Parameters<typeof openBudgets>[0]> = {},
): OpenBudgets {
  // prettier-ignore
  const notes = new MemoryNotes().of("s1");
  return openBudgets({ clock, store, notes, left: [], process: () => "p1", start: "s1", warn: () => {}, ...parts });
}

/** How many requests are allowed one after the other, up to so many. They stay reserved. */
export async function countAllowed(budgets: Budgets, clock: FakeClock, most: number): Promise<number> {
  for (let allowed = 0; allowed < most; allowed += 1) {
    try {
      const found = (await budgets.find(SPENDER))!;
      const reserved = await found.reserve(null, clock.now() + 1_000);
      reserved.commit(`trx_1/0/${allowed}`, null);
    } catch {
      return allowed;
    }
  }
  return most;
}

export { randomNumbers };
