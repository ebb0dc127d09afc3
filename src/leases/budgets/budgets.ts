import type { Budgets, CallBudgets, Reservation } from "../../run/around/ports.ts";
import { appliesTo, type Budget, type Spender } from "../../terms/budget.ts";
import { BoundedMap } from "../../terms/bounded-map.ts";
import { CachedLookup, LIST_LOOKUP } from "../../terms/cached-lookup.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Price } from "../../terms/price.ts";
import { BudgetExchange } from "./budget-exchange.ts";
import { HeldBudget } from "./held-budget.ts";
import { budgetFault, HeldReservation, Part, takeAll, type ReservationNeeds } from "./reservation.ts";
import type { BudgetReading, BudgetStore, LeftBehind, SpentIn, UseNotes } from "./ports.ts";

/** Of these budgets it is known whether their warn level was told. Those that were removed are forgotten with time. */
const WARNED_MAX = 20_000;

export interface BudgetsParts {
  readonly store: BudgetStore;
  readonly notes: UseNotes;
  readonly clock: Clock;
  /** Names this process, also after it has been restarted on the same data directory. Asked when it is needed. */
  readonly process: () => string;
  /** Names this start of it: later starts have greater names. */
  readonly start: string;
  /** What earlier starts of this process have left. */
  readonly left: readonly LeftBehind[];
  readonly spentIn?: SpentIn;
  /** Called once in each period in which a budget is used beyond its warn level. */
  readonly warn: (reading: BudgetReading) => void;
}

export interface OpenBudgets extends Budgets {
  /** The budgets that this process has used in their current period. */
  readings(): readonly BudgetReading[];
  /** Gives back what is not in use. Waits for the store, but not for long. */
  close(): Promise<void>;
}

type Reserve = (
  own: readonly HeldBudget[],
  ...what: Parameters<CallBudgets["reserve"]>
) => ReturnType<CallBudgets["reserve"]>;

/** The budgets that apply to one call. */
class OfCall implements CallBudgets {
  readonly #own: readonly HeldBudget[];
  readonly #reserve: Reserve;

  constructor(own: readonly HeldBudget[], reserve: Reserve) {
    this.#own = own;
    this.#reserve = reserve;
  }

  reserve(price: Price | null, until: number): Reservation | Promise<Reservation> {
    return this.#reserve(this.#own, price, until);
  }
}

/** The budgets of this process. As long as an organization has none, a call costs one look into memory. */
export function openBudgets(parts: BudgetsParts): OpenBudgets {
  const { store, notes, clock, start } = parts;
  const held = new Map<string, HeldBudget>();
  let made = 0;
  const warned = new BoundedMap<string, number>(WARNED_MAX);
  const exchange = new BudgetExchange({ ...parts, heard });
  const needs: ReservationNeeds = { notes, now: clock.now, changed };
  const lists = new CachedLookup<readonly Budget[]>(
    {
      find: async (id) => onlyThese(id, await store.budgetsFor(id)),
      isAbsent: () => false,
      version: () => store.version(),
    },
    clock,
    LIST_LOOKUP,
  );

  /** Those that were removed are forgotten. Requests under way still have them. */
  function onlyThese(organizationId: string, list: readonly Budget[]): readonly Budget[] {
    for (const one of held.values()) {
      const { budget } = one;
      if (budget.organizationId === organizationId && !list.some(({ id }) => id === budget.id)) forget(one);
    }
    return list;
  }

  function forget(one: HeldBudget): void {
    // Another may have taken its place meanwhile.
    if (held.get(one.budget.id) === one) held.delete(one.budget.id);
  }

  function heldOf(budget: Budget): HeldBudget {
    let known = held.get(budget.id);
    if (known === undefined) {
      // Each has leases of its own: it knows nothing of what one before it has used.
      known = new HeldBudget(budget, `${start}.${(made += 1)}`, notes);
      held.set(budget.id, known);
    } else if (known.budget !== budget) known.renew(budget);
    return known;
  }

  function changed(one: HeldBudget): void {
    warnOf(one);
    if (one.owes) exchange.look(one);
    else exchange.wake(one);
  }

  function heard(one: HeldBudget): void {
    if (one.isRemoved) forget(one);
    else warnOf(one);
  }

  function warnOf(one: HeldBudget): void {
    if (!one.isNearlyUsed) return;
    const { budget } = one;
    const { periodFrom } = one.holding!;
    if (warned.get(budget.id) === periodFrom) return;
    warned.set(budget.id, periodFrom);
    parts.warn({ budget, used: one.used });
  }

  function ofCall(list: readonly Budget[], spender: Spender): CallBudgets | null {
    const own = list.filter((budget) => appliesTo(budget, spender));
    return own.length === 0 ? null : new OfCall(own.map(heldOf), reserve);
  }

  function reserve(own: readonly HeldBudget[], price: Price | null, until: number): Reservation | Promise<Reservation> {
    const now = clock.now();
    const wanted = own.map((one) => new Part(one, price));
    const lacking = takeAll(wanted, now);
    if (lacking === null) {
      for (const one of own) if (one.isLow(now)) exchange.look(one);
      return new HeldReservation(wanted, needs);
    }
    if (lacking.isAway(now)) throw new Fault("source.budget_unknown");
    const units = wanted.find((part) => part.held === lacking)!.units;
    if (lacking.isKnownShort(now, units)) throw budgetFault(lacking);
    return exchange.wait(wanted, until).then(() => new HeldReservation(wanted, needs));
  }

  return {
    async find(spender) {
      const list = await lists.get(spender.organizationId).catch((cause: unknown) => {
        throw new Fault("source.budget_unknown", {}, { cause });
      });
      return ofCall(list, spender);
    },
    readings: () =>
      [...held.values()].flatMap(({ budget, holding, used }) => {
        const isOver = holding === null || holding.periodTo <= clock.wall();
        return isOver ? [] : [{ budget, used }];
      }),
    close: () => exchange.close([...held.values()]),
  };
}
