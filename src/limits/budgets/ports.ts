/** Amounts are requests, or millionths of the budget's currency. */
import type { Budget } from "../../terms/money/budget.ts";
import type { TimeSpan } from "../../terms/time/calendar.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { AskOfLease } from "../ports.ts";

export interface BudgetAsk extends AskOfLease {
  readonly budgetId: string;
  /** The period of `keep` and `used`; `null`: no period is known here. */
  readonly periodFrom: number | null;
  /** The most that the process uses, including used units, until it is granted more. */
  readonly keep: Micros;
  /** The part of `keep` that is spent, or reserved for requests in progress. */
  readonly used: Micros;
  readonly wanted: BudgetDemand;
  /** Whether this is the last ask of the lease, which keeps only its used units. */
  readonly ends: boolean;
  /** Whether the process knows that the lease has ended with less than `used`. The difference is counted now. */
  readonly hasEnded: boolean;
}

export interface BudgetDemand {
  /** Units that waiting requests need beyond `keep`. */
  readonly need: Micros;
  /** The need of the smallest of them: with fewer units, none of them could be sent. 1 or more. */
  readonly least: Micros;
  /** Expected use in the near future. */
  readonly spare: Micros;
}

/** Decides the size of a lease, including the units that it keeps, from the sum of all other leases. */
export type SliceRule = (limit: Micros, others: Micros, ask: Pick<BudgetAsk, "keep" | "used" | "wanted">) => Micros;

/** The store's row of one lease of a budget in one period. */
export interface StoredLease {
  readonly lease: string;
  readonly process: string;
  readonly sequence: number;
  readonly amount: Micros;
  /** For an ended lease: the units that are counted elsewhere, and not in this row. */
  readonly used: Micros;
  /** Time of the last ask; `null`: unknown. */
  readonly heardAt: number | null;
}

/** Changes of rows: `changed` rows replace those of the same leases. */
export interface Keeping {
  readonly changed: readonly StoredLease[];
  /** Leases with rows to delete. */
  readonly forgotten: readonly string[];
}

/** Decides on one ask, from all leases of its budget in the current period. */
export type ExchangeRule = (
  ask: BudgetAsk,
  about: { readonly budget: Budget; readonly period: TimeSpan; readonly now: number },
  rows: readonly StoredLease[],
) => Keeping & { readonly answer: BudgetAnswer };

/** Returns the use of a budget in a period by the ledger. */
export type SpentIn = (budget: Budget, period: TimeSpan) => Promise<Micros>;

/** Decides on the leases of earlier starts, for one budget in one period. */
export type RecoverRule = (
  killed: EarlierStarts,
  about: { readonly budgetId: string; readonly periodFrom: number; readonly now: number },
  rows: readonly StoredLease[],
) => Keeping;

/** The starts of a process before this one. They have ended, because only one process at a time has its name. */
export interface EarlierStarts {
  readonly process: string;
  /** Names this start. */
  readonly start: string;
  /** The use of those starts with reliable logs. */
  readonly left: readonly LeftBehind[];
}

export interface BudgetAnswer {
  readonly now: number;
  /** The current budget; `null`: it was removed. */
  readonly budget: Budget | null;
  readonly period: TimeSpan;
  /** The current size of the lease. */
  readonly amount: Micros;
  /** The use and reservations of all other leases, as last reported. */
  readonly othersUsed: Micros;
  /**
   * Set if the lease has ended: the units that are counted elsewhere for it. Once these are all units used under it,
   * its process needs another lease. `null`: the lease has not ended.
   */
  readonly counted: Micros | null;
}

/** The use of a killed process under one lease. */
export interface LeftBehind {
  /** The start with this log. The name of each of its leases begins with the start's name. */
  readonly start: string;
  /** Sequence of its last ask, logged before the ask was sent. */
  readonly sequence: number;
  readonly counts: readonly CountedUse[];
}

/** The use by the process's own log, which lacks the results of its last requests. */
export interface LeftLog extends LeftBehind {
  readonly counts: readonly LoggedUse[];
}

export interface LoggedUse extends CountedUse {
  /** Requests that were started and not settled. */
  readonly open: readonly OpenRequest[];
}

/** One request, counted in one budget. */
export interface OpenRequest {
  /** Transaction, number of the call and number of the request, with slashes between them. */
  readonly id: string;
  readonly units: Micros;
}

export interface CountedUse {
  readonly budgetId: string;
  readonly periodFrom: number;
  readonly lease: string;
  readonly used: Micros;
}

export interface BudgetStore {
  /** The budgets of an organization, in the order of their creation. */
  budgetsFor(organizationId: string): Promise<readonly Budget[]>;
  /** Changes whenever any result of `budgetsFor` may have changed. */
  version(): number;
  /**
   * Decides on all asks and stores the result, in one transaction. Returns one answer per ask, in order. If it rejects,
   * each ask may or may not have been stored. A period that has begun before, without rows in the store, starts with
   * the result of `spentIn`.
   */
  exchange(asks: readonly BudgetAsk[], rule: ExchangeRule, spentIn?: SpentIn): Promise<readonly BudgetAnswer[]>;
  /** Frees unused units of earlier starts. It can be repeated without effect. */
  recover(earlier: EarlierStarts, rule: RecoverRule): Promise<void>;
}

/** A log of this process's use, which outlives the process. */
export interface UsageLog {
  /** The use of earlier starts on the same data directory is in the store now. */
  recovered(): void;
  /** Call it before the first lease. @throws if the log cannot be written */
  begin(): void;
  /** The log of one lease in one period. Drops entries of the same lease from an earlier period. */
  of(lease: Omit<CountedUse, "used">): LeaseLog;
  /**
   * Once this returns, all logged entries survive a kill of the process. They are written at once, so that requests
   * sent together share one write. @throws if the log cannot be written
   */
  keep(): void;
  /** Like `keep`, with the sequence of an ask that is about to be sent. @throws if the log cannot be written */
  keepSequence(sequence: number): void;
  /** The store knows of all units of this process. */
  end(): void;
}

export interface LeaseLog {
  /**
   * Logs a request that is about to be sent, with the use of the lease including it.
   * @param request number of the call and number of the request, with a slash between them
   */
  begin(transactionId: string, request: string, units: Micros, used: Micros): LoggedRequest;
  /** The request has been settled, or was not sent. `null`: it was not logged. */
  end(request: LoggedRequest | null, used: Micros): void;
}

/** A request in the log. */
export interface LoggedRequest {
  /** Number of the request within its lease. */
  readonly number: number;
  readonly transactionId: string;
  readonly request: string;
  readonly units: Micros;
}

/** The use of a budget, as far as is known in this process. */
export interface BudgetReading {
  readonly budget: Budget;
  readonly used: Micros;
}
