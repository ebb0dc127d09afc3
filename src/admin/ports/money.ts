/** Prices and budgets. */
import type { StartSums } from "../../ledger/read/sum-starts.ts";
import type { Budget, Spender } from "../../terms/budget.ts";
import type { Span } from "../../terms/calendar.ts";
import type { Charged } from "../../terms/fault.ts";
import type { Micros } from "../../terms/money.ts";
import type { Price, PriceTerm } from "../../terms/price.ts";
import type { Act, AuditEntry, Page } from "./acts.ts";
import type { StoredCredential } from "./credentials.ts";

export type { StartSums };

/** The credential that a price belongs to. */
export type PricedCredential = Pick<StoredCredential, "id" | "organizationId" | "source">;

/** `after`: the place of the price before the first one. */
export interface PageOfPrices extends Omit<Page, "after"> {
  readonly after?: Pick<PriceTerm, "fromWallAt" | "above">;
}

export interface PriceAdmin {
  /**
   * Adds a price, or replaces the one with the same beginning and number of calls. `among` says which, when it is given
   * the credential's prices, newest first, as they are until the new one is stored. If it throws, nothing is changed.
   */
  setPrice(
    act: Act,
    credential: PricedCredential,
    among: (known: readonly PriceTerm[]) => PriceTerm,
  ): Promise<{ readonly set: PriceTerm; readonly replaced: PriceTerm | null } | null>;
  /** The newest beginning first, and its steps in order. */
  prices(credentialId: string, page?: PageOfPrices): Promise<readonly PriceTerm[]>;
  /** All prices of each of these credentials, in no order. */
  pricesOf(credentialIds: readonly string[]): Promise<readonly (PriceTerm & { readonly credentialId: string })[]>;
  /** Removes those that are meant, and returns how many; `null` if there are none. */
  removePrices(act: Act, credential: PricedCredential, isMeant: (term: PriceTerm) => boolean): Promise<number | null>;
}

/** What is used of a budget in its current period. */
export interface BudgetUse {
  readonly budget: Budget;
  readonly period: Span;
  /** Spent, or reserved for requests under way; processes say so about once a second. */
  readonly used: Micros;
  /** What processes hold beyond that, to use it or give it back. */
  readonly leased: Micros;
  /** What else is held by processes that have said nothing for a minute: they are dead, or cannot reach the store. */
  readonly silent: Micros;
}

/** What one start of a service holds of a budget in a period. */
export interface OpenBudgetLease {
  readonly budget: Budget;
  readonly period: Span;
  readonly lease: string;
  readonly amount: Micros;
  /** Nothing was heard of it for a minute. */
  readonly isSilent: boolean;
}

/** A budget that was counted again. */
export interface Recount {
  readonly before: BudgetUse;
  readonly after: BudgetUse;
  /** How many services have taken a second lease in the period: what they have used counts twice until they stop. */
  readonly twice: number;
}

/** What a decision on a charge has changed for a request. */
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
  /** What the budgets have not counted, when it is given what the trail has of such acts on the run, oldest first. */
  requests(recorded: readonly AuditEntry[]): readonly ResettledRequest[];
}

export interface NewBudget extends Omit<Budget, "timeZone"> {
  /** `null`: that of the only budget for the same things, period and currency, or else UTC. */
  readonly timeZone: string | null;
}

export interface SetBudget {
  readonly budget: Budget;
  /** As it was before. */
  readonly replaced: Budget | null;
  /** Those that differ from it in their time zone alone: they go on limiting. */
  readonly inOtherZones: readonly Budget[];
}

export interface BudgetAdmin {
  /**
   * Adds a budget. If there is one for the same things, period, time zone and currency, only its limit and warn level
   * change, and it keeps its id and what it has counted. `null` if the organization does not exist.
   */
  setBudget(act: Act, budget: NewBudget): Promise<SetBudget | null>;
  /** Oldest first. Of all organizations if none is given. */
  budgets(organizationId?: string, page?: Page): Promise<readonly BudgetUse[]>;
  budget(id: string): Promise<BudgetUse | null>;
  /** The leases of a process in periods that are not over. */
  openBudgetLeases(process: string): Promise<readonly OpenBudgetLease[]>;
  /**
   * Sets what is used of a budget to what the ledger has of its period, and ends the leases of processes that have said
   * nothing for a minute. What other processes hold stays. `null` if there is no such budget.
   * @param sums asks the ledger, and is asked again if processes have ended meanwhile
   */
  recountBudget(
    act: Act,
    id: string,
    sums: (of: Pick<BudgetUse, "budget" | "period">) => Promise<StartSums>,
  ): Promise<Recount | null>;
  removeBudget(act: Act, id: string): Promise<Budget | null>;
  /**
   * Counts decisions on charges in the budgets that counted their requests, if these were sent in the current period,
   * and records it in the audit trail, in one transaction: a decision is counted once, however often it is told.
   * Returns the ids of the budgets.
   */
  settleInBudgets(act: Act, decided: DecidedCharges): Promise<readonly string[]>;
}
