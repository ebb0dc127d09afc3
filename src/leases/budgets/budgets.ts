import type { Budgets, CallBudgets, Reservation } from "../../run/around/ports.ts";
import { appliesTo, type Budget, type Spender } from "../../terms/budget.ts";
import { BoundedMap } from "../../terms/bounded-map.ts";
import { CachedLookup, LIST_LOOKUP } from "../../terms/cached-lookup.ts";
import type { Clock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Price } from "../../terms/price.ts";
import { BudgetExchange } from "./budget-exchange.ts";
import { HeldBudget } from "./held-budget.ts";
import { AheadReservation, RequestsAhead } from "./requests-ahead.ts";
import { budgetFault, HeldReservation, Part, takeAll, type ReservationNeeds } from "./reservation.ts";
import type { BudgetReading, BudgetStore, LeftBehind, UseNotes } from "./ports.ts";

/** Of these budgets it is known whether their warn level was told. Those that were removed are forgotten with time. */
const WARNED_MAX = 20_000;
/** So many kinds of calls of one organization are known. */
const CALLS_MAX = 1_000;

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
  /** Called once in each period in which a budget is used beyond its warn level. */
  readonly warn: (reading: BudgetReading) => void;
}

export interface OpenBudgets extends Budgets {
  /** The budgets that this process has used in their current period. */
  readings(): readonly BudgetReading[];
  /** Gives back what is not in use. Waits for the store, but not for long. */
  close(): Promise<void>;
}

type Reserve = (call: OfCall, ...what: Parameters<CallBudgets["reserve"]>) => ReturnType<CallBudgets["reserve"]>;

/** The budgets of all calls that are alike. */
class OfCall implements CallBudgets {
  readonly own: readonly HeldBudget[];
  ahead: RequestsAhead | null = null;
  readonly #reserve: Reserve;

  constructor(own: readonly HeldBudget[], reserve: Reserve) {
    this.own = own;
    this.#reserve = reserve;
  }

  reserve(price: Price | null, until: number): Reservation | Promise<Reservation> {
    return this.#reserve(this, price, until);
  }
}

/** The budgets of an organization, as they were at one moment. */
class OfOrganization {
  readonly #list: readonly Budget[];
  /** Whether all are for any workflow and any credential, so that calls of one source have the same. */
  readonly #isBroad: boolean;
  readonly #calls = new BoundedMap<string, OfCall>(CALLS_MAX);

  constructor(list: readonly Budget[]) {
    this.#list = list;
    this.#isBroad = list.every(({ workflowId, credentialId }) => workflowId === null && credentialId === null);
  }

  /** `null` if none applies. */
  of(spender: Spender, make: (own: readonly Budget[]) => OfCall): OfCall | null {
    if (this.#list.length === 0) return null;
    const { workflowId, source, credentialId } = spender;
    const key = this.#isBroad ? source : `${workflowId} ${source} ${credentialId}`;
    const known = this.#calls.get(key);
    if (known !== undefined && !known.own.some(({ isForgotten }) => isForgotten)) return known;
    const own = this.#list.filter((budget) => appliesTo(budget, spender));
    if (own.length === 0) return null;
    const made = make(own);
    this.#calls.set(key, made);
    return made;
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
  const lists = new CachedLookup<OfOrganization>(
    {
      find: async (id) => new OfOrganization(onlyThese(id, await store.budgetsFor(id))),
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
    one.isForgotten = true;
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
    one.restAhead();
    parts.warn({ budget, used: one.used });
  }

  const ofCall = (own: readonly Budget[]): OfCall => new OfCall(own.map(heldOf), reserve);

  function reserve(call: OfCall, price: Price | null, until: number): Reservation | Promise<Reservation> {
    const now = clock.now();
    if (call.ahead?.take(price, now) === true) return new AheadReservation(call.ahead, needs);
    const { own } = call;
    const wanted = own.map((one) => new Part(one, price));
    const lacking = takeAll(wanted, now);
    if (lacking === null) {
      if (call.ahead?.isUsedUp !== false) call.ahead = RequestsAhead.take(wanted, price, now);
      for (const one of own) if (one.isLow(now)) exchange.look(one);
      return new HeldReservation(wanted, needs);
    }
    if (lacking.isAway(now)) throw new Fault("source.budget_unknown");
    const units = wanted.find((part) => part.held === lacking)!.units;
    if (lacking.isKnownShort(now, units)) throw budgetFault(lacking);
    return exchange.wait(wanted, until).then(() => new HeldReservation(wanted, needs));
  }

  return {
    find(spender) {
      const known = lists.get(spender.organizationId);
      if (!(known instanceof Promise)) return known.of(spender, ofCall);
      return known.then(
        (later) => later.of(spender, ofCall),
        (cause: unknown) => {
          throw new Fault("source.budget_unknown", {}, { cause });
        },
      );
    },
    readings: () =>
      [...held.values()].flatMap((one) => {
        one.restAhead();
        const { budget, holding, used } = one;
        const isOver = holding === null || holding.periodTo <= clock.wall();
        return isOver ? [] : [{ budget, used }];
      }),
    close: () => exchange.close([...held.values()]),
  };
}
