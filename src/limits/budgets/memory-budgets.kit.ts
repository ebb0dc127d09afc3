import type { Budgets, Reservation } from "../../run/middleware/ports.ts";
import { randomNumbers } from "../sources/source-leases.kit.ts";
import { type Budget, periodContaining } from "../../terms/money/budget.ts";
import type { Price } from "../../terms/money/price.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { openBudgets, type OpenBudgets } from "./budgets.ts";
import { NOBODYS } from "./keep-leases.ts";
import type {
  BudgetAnswer,
  BudgetAsk,
  BudgetStore,
  CountedUse,
  EarlierStarts,
  ExchangeRule,
  Keeping,
  StoredLease,
  LeftLog,
  LoggedRequest,
  OpenRequest,
  RecoverRule,
  UsageLog,
} from "./ports.ts";

const prices = new Map<bigint, Price>();
/** One object per price, as in sources and credentials. */
export function EURO(amount: bigint): Price {
  const known = prices.get(amount) ?? { amount, currency: "EUR" };
  prices.set(amount, known);
  return known;
}

interface KeptRow extends StoredLease {
  readonly budgetId: string;
  readonly periodFrom: number;
}

/** The tables of budgets, in memory. */
export class MemoryBudgets implements BudgetStore {
  readonly #wall: () => number;
  readonly budgets = new Map<string, Budget>();
  #rows: readonly KeptRow[] = [];
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

  async exchange(asks: readonly BudgetAsk[], rule: ExchangeRule): Promise<readonly BudgetAnswer[]> {
    const now = this.#wall();
    return asks.map((ask) => {
      const budget = this.budgets.get(ask.budgetId) ?? null;
      const period = periodContaining(budget ?? { per: "day", timeZone: "UTC" }, now);
      if (budget === null) return { now, budget, period, amount: 0n, othersUsed: 0n, counted: null };
      const { answer, ...keeping } = rule(ask, { budget, period, now }, this.#of(budget.id, period.from));
      this.#keep(budget.id, period.from, keeping);
      return answer;
    });
  }

  async recover(earlier: EarlierStarts, rule: RecoverRule): Promise<void> {
    const now = this.#wall();
    const places = new Map(
      this.#rows.map(({ budgetId, periodFrom }) => [`${budgetId} ${periodFrom}`, { budgetId, periodFrom }]),
    );
    for (const { budgetId, periodFrom } of places.values()) {
      const rows = this.#of(budgetId, periodFrom);
      this.#keep(budgetId, periodFrom, rule(earlier, { budgetId, periodFrom, now }, rows));
    }
  }

  #of(budgetId: string, periodFrom: number): KeptRow[] {
    return this.#rows.filter((row) => row.budgetId === budgetId && row.periodFrom === periodFrom);
  }

  #keep(budgetId: string, periodFrom: number, { changed, forgotten }: Keeping): void {
    const gone = new Set([...changed.map(({ lease }) => lease), ...forgotten]);
    const isGone = (row: KeptRow) => row.budgetId === budgetId && row.periodFrom === periodFrom && gone.has(row.lease);
    this.#rows = [
      ...this.#rows.filter((row) => !isGone(row)),
      ...changed.map((row) => ({ ...row, budgetId, periodFrom })),
    ];
  }

  /** An operator has settled unknown charges. */
  settle(budgetId: string, more: bigint): void {
    const here = this.rows(budgetId);
    const used = more + (here.find(({ lease }) => lease === NOBODYS)?.used ?? 0n);
    const row = { lease: NOBODYS, process: "", sequence: 0, amount: used, used, heardAt: null };
    this.#keep(budgetId, this.#periodFrom(budgetId), { changed: [row], forgotten: [] });
  }

  /** The rows of the current period. */
  rows(budgetId: string): readonly StoredLease[] {
    return this.#of(budgetId, this.#periodFrom(budgetId));
  }

  /** Leased units in the current period. */
  leased(budgetId: string): bigint {
    return this.rows(budgetId).reduce((sum, { amount }) => sum + amount, 0n);
  }

  #periodFrom(budgetId: string): number {
    return periodContaining(this.budgets.get(budgetId)!, this.#wall()).from;
  }
}

interface File {
  sequence: number;
  readonly uses: CountedUse[];
  /** Requests in progress, by their log entries. */
  readonly open: Map<LoggedRequest, OpenRequest & Omit<CountedUse, "used">>;
}

/** The usage log of a process, which outlives the process. */
export class MemoryNotes {
  readonly #files: Map<string, File>;

  constructor(files: readonly (readonly [string, File])[] = []) {
    this.#files = new Map(files);
  }

  leftBehind(): LeftLog[] {
    return [...this.#files].map(([start, { sequence, uses, open }]) => ({
      start,
      sequence,
      counts: lastOf(uses).map((use) => ({
        ...use,
        open: [...open.values()].filter(
          ({ budgetId, periodFrom, lease }) =>
            budgetId === use.budgetId && periodFrom === use.periodFrom && lease === use.lease,
        ),
      })),
    }));
  }

  /** A copy of the current files, for a later restore. */
  backup(): MemoryNotes {
    const copyOf = ({ sequence, uses, open }: File): File => ({ sequence, uses: [...uses], open: new Map(open) });
    return new MemoryNotes([...this.#files].map(([start, file]) => [start, copyOf(file)]));
  }

  /** The log in a copy of the directory: other files than the original ones. */
  copy(): MemoryNotes {
    return new MemoryNotes();
  }

  of(start: string): UsageLog {
    const waiting: ((file: File) => void)[] = [];
    const write = (file: File | undefined): void => {
      if (file !== undefined) for (const change of waiting.splice(0)) change(file);
    };
    return {
      recovered: () => {
        for (const one of this.#files.keys()) if (one !== start) this.#files.delete(one);
      },
      begin: () => {
        if (!this.#files.has(start)) this.#files.set(start, { sequence: 0, uses: [], open: new Map() });
      },
      of: (lease) => ({
        begin: (transactionId, request, units, used) => {
          const noted = { number: 0, transactionId, request, units };
          waiting.push(({ uses, open }) => {
            uses.push({ ...lease, used });
            open.set(noted, { ...lease, id: `${transactionId}/${request}`, units });
          });
          return noted;
        },
        end: (noted, used) =>
          void waiting.push(({ uses, open }) => {
            uses.push({ ...lease, used });
            if (noted !== null) open.delete(noted);
          }),
      }),
      keep: () => write(this.#files.get(start)),
      keepSequence: (sequence) => {
        const file = this.#files.get(start)!;
        file.sequence = sequence;
        write(file);
      },
      end: () => void this.#files.delete(start),
    };
  }

  /** A power failure: the log is lost. */
  lose(): void {
    this.#files.clear();
  }
}

/** The last entry of each lease. Entries of its earlier periods are dropped. */
function lastOf(uses: readonly CountedUse[]): CountedUse[] {
  return [...new Map(uses.map((use) => [`${use.budgetId} ${use.lease}`, use])).values()];
}

/** Sends a request with reserved units, as the outbound client does. */
export function send(reserved: Reservation, id: string, price: Price | null): void {
  const slash = id.indexOf("/");
  reserved.commit(id.slice(0, slash), id.slice(slash + 1), price);
  reserved.persist();
}

/** A budget of an organization; by default of a hundred requests a day. */
export function aBudget(parts: Partial<Budget> = {}): Budget {
  return {
    id: "bud_1",
    organizationId: "org_1",
    workflowId: null,
    source: null,
    credentialId: null,
    per: "day",
    timeZone: "UTC",
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
  const log = new MemoryNotes().of("s1");
  return openBudgets({ clock, store, log, left: [], process: () => "p1", start: "s1", warn: () => {}, ...parts });
}

/** A deployment of one process, with one budget. */
export async function stand(parts: Partial<Budget> = {}) {
  const clock = new FakeClock();
  const store = new MemoryBudgets(clock.wall);
  store.set(aBudget(parts));
  return { clock, store, open: (more = {}) => budgetsInMemory(clock, store, more) };
}

export const reserve = async (budgets: OpenBudgets, clock: FakeClock, price = EURO(1n)) =>
  (await budgets.find(SPENDER))!.reserve(price, clock.now() + 1_000);

/** The number of requests that are allowed in sequence, up to a maximum. They stay reserved. */
export async function countAllowed(budgets: Budgets, clock: FakeClock, most: number): Promise<number> {
  for (let allowed = 0; allowed < most; allowed += 1) {
    try {
      const found = (await budgets.find(SPENDER))!;
      const reserved = await found.reserve(null, clock.now() + 1_000);
      send(reserved, `trx_1/0/${allowed}`, null);
    } catch {
      return allowed;
    }
  }
  return most;
}

export { randomNumbers };

/** A limit that no test reaches. */
export const MANY = { limit: 1_000_000n, currency: "EUR" };

/** Requests that are logged as in progress. */
export function openIn(notes: MemoryNotes): string[] {
  const counts = notes.leftBehind().flatMap((left) => left.counts);
  return counts.flatMap(({ open }) => open.map(({ id }) => id));
}

export const usedOf = (budgets: OpenBudgets) => budgets.readings()[0]?.used ?? 0n;
