import type { Price } from "../../terms/price.ts";
import type { Charged } from "../../terms/fault.ts";
import type { Spender } from "../../terms/budget.ts";

/** What limits the calls of all processes of a deployment together, as the steps around a call need it. */

// ---- limits of sources ---------------------------------------------------------------------------------------------

/** A limit that holds for all processes of a deployment together. */
export interface SharedLimit {
  /** The same in every process. */
  readonly name: string;
  readonly max: number;
  /** The length of its windows, in each of which `max` units may be used. `null`: `max` units may be in use at once. */
  readonly everyMs: number | null;
  /** If `everyMs` is `null`: the longest that a unit is in use. Otherwise unused. */
  readonly useMsMax: number;
}

/** What this process holds of a limit. No method waits for anything. Times are `Clock.now`. */
export interface Lease {
  /**
   * Takes a unit. For units in use at once, `until` is when it is free again at the latest.
   * @returns the window that it belongs to, or `null` if none is left here
   */
  take(now: number, until: number): number | null;
  /** Returns a unit that is no longer in use or was not used. */
  give(window: number): void;
  /** Says how many calls wait for a unit now, and how many for one now or in the next window. */
  want(now: number, inAll: number): void;
  /** The window of the units that can be taken now; `null` while that is unknown. */
  window(now: number): number | null;
  /** What the processes have not used up, as far as is known here: everything that others do not hold. */
  left(): number;
  /** Whether asking may help before the window ends. */
  mayGrow(now: number): boolean;
  /** How many units it holds that are not in use. */
  free(now: number): number;
  /** Whether it holds anything now, in use or not. */
  holds(now: number): boolean;
  /** When the next window begins; `Infinity` if there is none. */
  readonly nextAt: number;
  /** Whether the store did not answer the last time. */
  readonly away: boolean;
  /** Called when `take` may succeed, or when it is known not to. */
  onNews(listener: () => void): void;
}

/** @param owner the leases of one owner wait for the store together, and owners take turns */
export type Leases = (limit: SharedLimit, owner: string) => Lease;

// ---- budgets -------------------------------------------------------------------------------------------------------

export interface Budgets {
  /**
   * Those that apply to the requests of a call; `null` if there is none. Rejects with Fault `source.budget_unknown` if
   * the store does not answer.
   */
  find(spender: Spender): Promise<CallBudgets | null>;
}

export interface CallBudgets {
  /**
   * Reserves what a request costs at most in all of them, or in none. A promise if it has to wait for the store, which
   * it does until `until` (`Clock.now`) at most.
   * @throws Fault `source.budget_used` or `source.budget_unknown`, or rejects with it
   */
  reserve(price: Price | null, until: number): Reservation | Promise<Reservation>;
}

/** The room that one request has in its budgets. */
export interface Reservation {
  /**
   * The request is about to be sent, at this price. May be repeated. @throws Fault if there is no room for a higher price
   * @param request number of the call and number of the request, with a slash between them
   */
  commit(transactionId: string, request: string, price: Price | null): void;
  /**
   * Once this returns, the room of all requests that were committed stays in use even if the process is killed. To be
   * called before anything of them is recorded or sent. @throws Fault `source.unrecorded`
   */
  keep(): void;
  /** The request is not sent. */
  cancel(): void;
  /**
   * The request is known not to be charged, and its run is still under way. Its room is free at once for the next request;
   * until `settle`, a killed process counts it, because its charge is not recorded.
   */
  release(): void;
  /** Its charge is known and recorded: what it did not use is free again. An unknown charge keeps everything. */
  settle(charged: Charged, price: Price | null): void;
}
