/** Amounts are requests, or millionths of the budget's currency. */
import type { Budget } from "../../terms/money/budget.ts";
import type { TimeSpan } from "../../terms/time/calendar.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { AskOfLease } from "../ports.ts";

export interface BudgetAsk extends AskOfLease {
  readonly budgetId: string;
  /** Which period `keep` and `used` are about; `null`: none is known here. */
  readonly periodFrom: number | null;
  /** The process uses no more than this, with what it has used, until it is granted more. */
  readonly keep: Micros;
  /** Of that: what is spent, or reserved for requests under way. */
  readonly used: Micros;
  readonly wanted: BudgetDemand;
  /** It is the last one of this lease, which keeps only what is used. */
  readonly ends: boolean;
  /** The lease is known to have ended with less than `used`, which is counted now. */
  readonly hasEnded: boolean;
}

export interface BudgetDemand {
  /** What requests that wait now need beyond `keep`. */
  readonly need: Micros;
  /** What the smallest of them needs: with less, nothing more could be sent. 1 or more. */
  readonly least: Micros;
  /** What will probably be used soon. */
  readonly spare: Micros;
}

/** Decides how much a lease holds from now on, with what it keeps, from what all others hold. */
export type SliceRule = (limit: Micros, others: Micros, ask: Pick<BudgetAsk, "keep" | "used" | "wanted">) => Micros;

/** What the store keeps of one lease of a budget in one period. */
export interface StoredLease {
  readonly lease: string;
  readonly process: string;
  readonly sequence: number;
  readonly amount: Micros;
  /** Of a lease that has ended: what is counted elsewhere for it, and not here. */
  readonly used: Micros;
  /** When it was last asked for; `null`: not known. */
  readonly heardAt: number | null;
}

/** What is to be changed: these rows are put in place of those of the same leases, or deleted. */
export interface Keeping {
  readonly changed: readonly StoredLease[];
  /** Leases whose rows are deleted. */
  readonly forgotten: readonly string[];
}

/** Decides about one ask, from what all leases of its budget hold in the current period. */
export type ExchangeRule = (
  ask: BudgetAsk,
  about: { readonly budget: Budget; readonly period: TimeSpan; readonly now: number },
  rows: readonly StoredLease[],
) => Keeping & { readonly answer: BudgetAnswer };

/** What the ledger has as used of a budget in a period. */
export type SpentIn = (budget: Budget, period: TimeSpan) => Promise<Micros>;

/** Decides what becomes of the leases of earlier starts, of one budget in one period. */
export type RecoverRule = (
  killed: EarlierStarts,
  about: { readonly budgetId: string; readonly periodFrom: number; readonly now: number },
  rows: readonly StoredLease[],
) => Keeping;

/** The starts of a process before this one: they have ended, because only one process at a time has its name. */
export interface EarlierStarts {
  readonly process: string;
  /** This start. */
  readonly start: string;
  /** What those of them have left whose logs can be relied on. */
  readonly left: readonly LeftBehind[];
}

export interface BudgetAnswer {
  readonly now: number;
  /** As it is set now; `null`: it was removed. */
  readonly budget: Budget | null;
  readonly period: TimeSpan;
  /** What the lease holds now. */
  readonly amount: Micros;
  /** What all others have used or reserved, as far as they have said. */
  readonly othersUsed: Micros;
  /**
   * The lease has ended, and so much is counted elsewhere for it: once that is all that was used under it, its process
   * needs another one. `null`: it has not ended.
   */
  readonly counted: Micros | null;
}

/** What a process that was killed had used. */
export interface LeftBehind {
  /** The start whose log this is: the name of each of its leases begins with it. */
  readonly start: string;
  /** Of its last ask, logged before that was sent. */
  readonly sequence: number;
  readonly counts: readonly CountedUse[];
}

/** The same by its own log, which does not say what became of its last requests. */
export interface LeftLog extends LeftBehind {
  readonly counts: readonly LoggedUse[];
}

export interface LoggedUse extends CountedUse {
  /** Requests that it had begun and not settled. */
  readonly open: readonly OpenRequest[];
}

/** One request of one budget. */
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
  /** The budgets of an organization, in the order in which they were set. */
  budgetsFor(organizationId: string): Promise<readonly Budget[]>;
  /** Changes whenever any answer of `budgetsFor` may have changed. */
  version(): number;
  /**
   * Decides about all asks and keeps the result, in one transaction. One answer for each ask, in order. If it rejects,
   * each ask may have been kept or not. A period that has begun before, and of
   * which the store has nothing, begins with what `spentIn` says.
   */
  exchange(asks: readonly BudgetAsk[], rule: ExchangeRule, spentIn?: SpentIn): Promise<readonly BudgetAnswer[]>;
  /** Frees what earlier starts of a process held and did not use. Repeating it changes nothing. */
  recover(earlier: EarlierStarts, rule: RecoverRule): Promise<void>;
}

/** What this process uses, in a log that outlives it. */
export interface UsageLog {
  /** What earlier starts on the same data directory have left is in the store now. */
  recovered(): void;
  /** To be called before anything is leased. @throws if it cannot be written */
  begin(): void;
  /** Of one lease in one period. What was logged of the same lease in an earlier period is not kept any more. */
  of(lease: Omit<CountedUse, "used">): LeaseLog;
  /**
   * Everything that was logged outlives a killed process once this returns. It is written in one go, so that requests
   * that are sent together share it. @throws if it cannot be written
   */
  keep(): void;
  /** The same, and the number of an ask that is about to be sent. @throws if it cannot be written */
  keepSequence(sequence: number): void;
  /** Nothing is held any more that the store does not know. */
  end(): void;
}

export interface LeaseLog {
  /**
   * A request is about to be sent, and the lease uses so much with it.
   * @param request number of the call and number of the request, with a slash between them
   */
  begin(transactionId: string, request: string, units: Micros, used: Micros): LoggedRequest;
  /** It has been settled, or was not sent. `null`: something that was not logged before. */
  end(request: LoggedRequest | null, used: Micros): void;
}

/** A request in the log. */
export interface LoggedRequest {
  /** Among all of its lease. */
  readonly number: number;
  readonly transactionId: string;
  readonly request: string;
  readonly units: Micros;
}

/** How full a budget is, as far as is known in this process. */
export interface BudgetReading {
  readonly budget: Budget;
  readonly used: Micros;
}
