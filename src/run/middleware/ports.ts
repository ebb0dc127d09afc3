import type { Price } from "../../terms/money/price.ts";
import type { Charged } from "../../terms/fault.ts";
import type { Spender } from "../../terms/money/budget.ts";

/** Limits and budgets that hold for all processes of a deployment together, as the middleware of calls needs them. */

// ---- limits of sources ---------------------------------------------------------------------------------------------

/** A limit that holds for all processes of a deployment together. */
export interface SharedLimit {
  /** A name that is the same in every process. */
  readonly name: string;
  readonly max: number;
  /** The length of a window, in which `max` units may be used; `null` if `max` units may be in use at once. */
  readonly everyMs: number | null;
  /** The longest time for which a unit is in use, if `everyMs` is `null`. Otherwise unused. */
  readonly useMsMax: number;
}

/** The part of a limit that this process may use. No method waits for anything. Times are `Clock.now`. */
export interface Lease {
  /**
   * Takes a unit.
   * @param until when the unit is free again at the latest, for a limit of units in use at once
   * @returns the window of the unit, or `null` if this process has none left
   */
  take(now: number, until: number): number | null;
  /** Returns a unit that is no longer in use or was not used. */
  give(window: number): void;
  /** Reports how many calls wait for a unit now, and how many for a unit now or in the next window. */
  reportDemand(now: number, inAll: number): void;
  /** The window of the units that can be taken now; `null` while that is unknown. */
  window(now: number): number | null;
  /** The number of units that no other process holds, as far as this process knows. */
  unclaimed(): number;
  /** Whether the store may grant more units before the window ends. */
  mayGrow(now: number): boolean;
  /** The number of leased units that are not in use. */
  free(now: number): number;
  /** Whether any unit is leased now, in use or not. */
  hasUnits(now: number): boolean;
  /** When the next window begins; `Infinity` if there is none. */
  readonly nextAt: number;
  /** Whether the store did not answer the last request. */
  readonly isUnreachable: boolean;
  /** Sets a listener, which is called when `take` may succeed, or when it is known not to. */
  onChange(listener: () => void): void;
}

/**
 * Returns the lease of a limit.
 * @param owner the leases of one owner wait for the store together, and owners take turns
 */
export type Leases = (limit: SharedLimit, owner: string) => Lease;

// ---- budgets -------------------------------------------------------------------------------------------------------

export interface Budgets {
  /**
   * Finds the budgets that apply to the requests of a call; `null` if there is none. A plain value if it is in memory.
   * Rejects with Fault `source.budget_unknown` if the store does not answer.
   */
  find(spender: Spender): Promise<CallBudgets | null>;
}

export interface CallBudgets {
  /**
   * Reserves the highest cost of a request in all budgets, or in none. Returns a promise if it has to wait for the store,
   * until `until` (`Clock.now`) at most.
   * @throws Fault `source.budget_used` or `source.budget_unknown`, or rejects with it
   */
  reserve(price: Price | null, until: number): Reservation | Promise<Reservation>;
}

/** The amount that one request has reserved in its budgets. */
export interface Reservation {
  /**
   * Called when the request is about to be sent, at this price. May be repeated. @throws Fault if the budgets do not cover a
   * price that has risen
   * @param request number of the call and number of the request, with a slash between them
   */
  commit(transactionId: string, request: string, price: Price | null): void;
  /**
   * Makes the reservations of all committed requests durable: they stay in use even if the process is killed. Call it
   * before anything of the requests is recorded or sent. @throws Fault `source.unrecorded`
   */
  persist(): void;
  /** Called if the request is not sent. */
  cancel(): void;
  /**
   * Called when the request is known not to be charged, while its run is still in progress. The amount is free at once for
   * the next request. If the process is killed before `settle`, the amount counts as used, because its charge is not recorded.
   */
  release(): void;
  /** Called when the charge is known and recorded. Frees the unused amount; an unknown charge frees nothing. */
  settle(charged: Charged, price: Price | null): void;
}
