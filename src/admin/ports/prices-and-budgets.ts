/** Prices and budgets. */
import type { StartSums } from "../../ledger/read/sum-starts.ts";
import type { Budget, Spender } from "../../terms/money/budget.ts";
import type { TimeSpan } from "../../terms/time/calendar.ts";
import type { Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { Price, PriceTerm } from "../../terms/money/price.ts";
import type { Act, AuditEntry, Page } from "./acts.ts";
import type { StoredCredential } from "./credentials.ts";

export type { StartSums };

/** The credential that a price belongs to. */
export type PricedCredential = Pick<StoredCredential, "id" | "organizationId" | "source">;

/** `after`: the cursor of the price before the first one. */
export interface PageOfPrices extends Omit<Page, "after"> {
  readonly after?: Pick<PriceTerm, "fromWallAt" | "above">;
}

export interface PriceAdmin {
  /**
   * Adds a price, or replaces the one with the same start and number of calls. `among` chooses the price from the
   * credential's prices, newest first, within the transaction. If it throws, nothing is changed.
   */
  setPrice(
    act: Act,
    credential: PricedCredential,
    among: (known: readonly PriceTerm[]) => PriceTerm,
  ): Promise<{ readonly set: PriceTerm; readonly replaced: PriceTerm | null } | null>;
  /** Newest start first, with its steps in order. */
  prices(credentialId: string, page?: PageOfPrices): Promise<readonly PriceTerm[]>;
  /** All prices of these credentials, unordered. */
  pricesOf(credentialIds: readonly string[]): Promise<readonly (PriceTerm & { readonly credentialId: string })[]>;
  /** Removes the prices for which `isMeant` is true, and returns their number; `null` if there are none. */
  removePrices(act: Act, credential: PricedCredential, isMeant: (term: PriceTerm) => boolean): Promise<number | null>;
}

/** The use of a budget in its current period. */
export interface BudgetUse {
  readonly budget: Budget;
  readonly period: TimeSpan;
  /** Spent, or reserved for requests in progress; processes report it about once a second. */
  readonly used: Micros;
  /** Leased by processes beyond their use; they spend or return it. */
  readonly leased: Micros;
  /** Leased by processes that have not reported for a minute: they have died, or cannot reach the store. */
  readonly silent: Micros;
}

/** A lease of one start of a service in a period of a budget. */
export interface OpenBudgetLease {
  readonly budget: Budget;
  readonly period: TimeSpan;
  readonly lease: string;
  readonly amount: Micros;
  /** Whether the process has not reported for a minute. */
  readonly isSilent: boolean;
}

/** The result of recounting a budget. */
export interface Recount {
  readonly before: BudgetUse;
  readonly after: BudgetUse;
  /** The number of services that took a second lease in the period: their earlier use counts twice until they stop. */
  readonly twice: number;
}

/** The effect of a decision on a request's charge. */
export interface ResettledRequest {
  readonly spender: Spender;
  readonly sentWallAt: number;
  readonly before: RequestCost;
  readonly after: RequestCost;
}

export interface RequestCost {
  readonly charged: Charged;
  readonly price: Price | null;
}

/** Decisions on charges of one run. */
export interface DecidedCharges extends Pick<AuditEntry, "organizationId" | "subjectId" | "detail"> {
  /** The requests that the budgets have not counted, given the audit trail's entries for the run, oldest first. */
  requests(recorded: readonly AuditEntry[]): readonly ResettledRequest[];
}

export interface NewBudget extends Omit<Budget, "timeZone" | "countsFromWallAt"> {
  /** `null`: the time zone of the only budget with the same scope, period and currency, or else UTC. */
  readonly timeZone: string | null;
  /** What a new budget counts of the period in which it is set: since when, and how much of it that is. */
  readonly soFar?: { readonly fromWallAt: number; readonly used: Micros };
}

export interface SetBudget {
  readonly budget: Budget;
  /** The budget before the change. */
  readonly replaced: Budget | null;
  /** Budgets that differ in their time zone only; they stay in force. */
  readonly inOtherZones: readonly Budget[];
}

export interface BudgetAdmin {
  /**
   * Adds a budget. If a budget with the same scope, period, time zone and currency exists, only its limit and warning
   * level change, and its id and count stay. `null` if the organization does not exist.
   */
  setBudget(act: Act, budget: NewBudget): Promise<SetBudget | null>;
  /** Oldest first; of all organizations if none is given. */
  budgets(organizationId?: string, page?: Page): Promise<readonly BudgetUse[]>;
  budget(id: string): Promise<BudgetUse | null>;
  /** The leases of a process in periods that have not ended. */
  openBudgetLeases(process: string): Promise<readonly OpenBudgetLease[]>;
  /**
   * Sets a budget's use to the ledger's sum of its period, and ends the leases of processes that have not reported for
   * a minute. Leases of other processes stay. `null` if the budget does not exist.
   * @param sums queries the ledger; called again if processes have ended meanwhile. `recorded` has only requests that
   * were sent since the budget was set, because leases count no earlier ones
   */
  recountBudget(
    act: Act,
    id: string,
    sums: (of: Pick<BudgetUse, "budget" | "period">) => Promise<StartSums>,
  ): Promise<Recount | null>;
  removeBudget(act: Act, id: string): Promise<Budget | null>;
  /**
   * Counts decisions on charges in the budgets that counted their requests, if these were sent in the current period,
   * and records that in the audit trail, in one transaction. A decision is counted once, however often this is called.
   * Returns the ids of the budgets.
   */
  settleInBudgets(act: Act, decided: DecidedCharges): Promise<readonly string[]>;
}
