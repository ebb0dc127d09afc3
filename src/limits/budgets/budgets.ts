import type { Budgets, CallBudgets, Reservation } from "../../run/middleware/ports.ts";
import { appliesTo, type Budget, type Spender } from "../../terms/money/budget.ts";
import { BoundedMap } from "../../terms/collections/bounded-map.ts";
import { CachedLookup, LIST_LOOKUP } from "../../terms/collections/cached-lookup.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Price } from "../../terms/money/price.ts";
import { LeaseExchange } from "../lease-exchange.ts";
import { BudgetLimit } from "./budget-limit.ts";
import { endLeases, keepLeases } from "./keep-leases.ts";
import { budgetFault, LeasedReservation, Part, takeAll, type ReservationNeeds } from "./reservation.ts";
import type { BudgetAnswer, BudgetAsk, BudgetReading, BudgetStore, LeftBehind, SpentIn, UsageLog } from "./ports.ts";
import { WaitingRequests } from "./waiting-requests.ts";

/** Maximum number of budgets whose last warning is remembered. Removed budgets are evicted with time. */
const WARNED_MAX = 20_000;

export interface BudgetsParts {
  readonly store: BudgetStore;
  readonly log: UsageLog;
  readonly clock: Clock;
  /** Names this process, also after a restart on the same data directory. Called when the name is needed. */
  readonly process: () => string;
  /** Names this start of the process. Later starts have greater names. */
  readonly start: string;
  /** The use under leases of earlier starts of this process. */
  readonly left: readonly LeftBehind[];
  readonly spentIn?: SpentIn;
  /** Called once per period in which a budget is used beyond its warning level. */
  readonly warn: (reading: BudgetReading) => void;
}

export interface OpenBudgets extends Budgets {
  /** The budgets that this process has used in the current period. */
  readings(): readonly BudgetReading[];
  /** Returns unused units to the store. Waits for the store, but not for long. */
  close(): Promise<void>;
}

/** The budgets of this process. For an organization without budgets, a call costs one look-up in memory. */
export function openBudgets(parts: BudgetsParts): OpenBudgets {
  const { store, log, clock, process, start, left, spentIn } = parts;
  const limits = new Map<string, BudgetLimit>();
  let made = 0;
  const warned = new BoundedMap<string, number>(WARNED_MAX);
  const exchange = new LeaseExchange<BudgetAsk, BudgetAnswer, BudgetLimit>({
    clock,
    process,
    async recover(name) {
      log.begin();
      await store.recover({ process: name, start, left }, endLeases);
      log.recovered();
    },
    async send(asks, sequence) {
      log.keepSequence(sequence);
      return store.exchange(asks, keepLeases, spentIn);
    },
    onAnswered,
    onTime: keepLog,
  });
  const look = (limit: BudgetLimit): void => exchange.look(limit);
  const waiting = new WaitingRequests(clock, look);
  const needs: ReservationNeeds = { log, now: clock.now, onChange };
  const lists = new CachedLookup<readonly Budget[]>(
    {
      find: async (id) => onlyThese(id, await store.budgetsFor(id)),
      isAbsent: () => false,
      version: () => store.version(),
    },
    clock,
    LIST_LOOKUP,
  );

  /** Drops removed budgets. Requests in progress still refer to them. */
  function onlyThese(organizationId: string, list: readonly Budget[]): readonly Budget[] {
    for (const one of limits.values()) {
      const { budget } = one;
      if (budget.organizationId === organizationId && !list.some(({ id }) => id === budget.id)) forget(one);
    }
    return list;
  }

  function forget(one: BudgetLimit): void {
    // Another limit may have replaced it meanwhile.
    if (limits.get(one.budget.id) === one) limits.delete(one.budget.id);
  }

  function limitOf(budget: Budget): BudgetLimit {
    let known = limits.get(budget.id);
    if (known === undefined) {
      // Each object has its own lease, because it does not know the units used under an earlier one.
      known = new BudgetLimit(budget, `${start}.${(made += 1)}`, log);
      limits.set(budget.id, known);
    } else if (known.budget !== budget) known.renew(budget);
    return known;
  }

  function onChange(one: BudgetLimit): void {
    warnOf(one);
    if (one.owes) exchange.look(one);
    else exchange.wake(one);
  }

  function onAnswered(asked: readonly BudgetLimit[], isAnswered: boolean): void {
    for (const one of asked) {
      if (one.isRemoved) forget(one);
      else warnOf(one);
      // After a failure the next ask follows later.
      if (one.isEnding && isAnswered) exchange.look(one);
    }
    waiting.serve(exchange.count, new Set(asked), isAnswered);
    // Logs charged units that are now in a lease.
    keepLog();
  }

  /** Writes the log, including the ends of requests. */
  function keepLog(): void {
    try {
      log.keep();
    } catch {
      // The next request needs the log, and is refused if it cannot be written.
    }
  }

  function warnOf(one: BudgetLimit): void {
    if (!one.isNearlyUsed) return;
    const { budget } = one;
    const { window } = one.granted!;
    if (warned.get(budget.id) === window) return;
    warned.set(budget.id, window);
    parts.warn({ budget, used: one.used });
  }

  async function close(): Promise<void> {
    await exchange.close();
    const all = [...limits.values()];
    // Charged units outside a lease need a lease first.
    await exchange.send(all.filter(({ owes }) => owes));
    // More units may have been used under a lease than the start that ended it knew. They are reported once the end is
    // known.
    const isTold = (await exchange.end(all)) && (await exchange.end(all.filter(({ isEnding }) => isEnding)));
    if (isTold) log.end();
  }

  function ofCall(list: readonly Budget[], spender: Spender): CallBudgets | null {
    const own = list.filter((budget) => appliesTo(budget, spender));
    if (own.length === 0) return null;
    const ofCall = own.map(limitOf);
    return { reserve: (price, until) => reserve(ofCall, price, until) };
  }

  function reserve(
    own: readonly BudgetLimit[],
    price: Price | null,
    until: number,
  ): Reservation | Promise<Reservation> {
    const now = clock.now();
    const wanted = own.map((one) => new Part(one, price));
    const lacking = takeAll(wanted, now);
    if (lacking === null) {
      for (const one of own) if (one.isLow(now)) exchange.look(one);
      return new LeasedReservation(wanted, needs);
    }
    if (lacking.isUnknown(now) || exchange.isClosed) throw new Fault("source.budget_unknown");
    const units = wanted.find(({ limit }) => limit === lacking)!.units;
    if (lacking.isKnownShort(now, units)) throw budgetFault(lacking);
    return waiting.add(wanted, exchange.count + 1, until).then(() => new LeasedReservation(wanted, needs));
  }

  return {
    async find(spender) {
      const list = await lists.get(spender.organizationId).catch((cause: unknown) => {
        throw new Fault("source.budget_unknown", {}, { cause });
      });
      return ofCall(list, spender);
    },
    readings: () =>
      [...limits.values()].flatMap(({ budget, granted, used }) => {
        const isOver = granted === null || granted.windowEnd <= clock.wall();
        return isOver ? [] : [{ budget, used }];
      }),
    close,
  };
}
