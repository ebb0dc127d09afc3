/**
 * What processes of one deployment agree on through their store: how much of a budget each of them may use.
 * `now` and the ends of a period are milliseconds since 1970 by the clock of the store, which is the only clock that all
 * processes share. Amounts are requests, or millionths of the budget's currency.
 */
import type { Budget } from "../../terms/budget.ts";
import type { Span } from "../../terms/calendar.ts";
import type { Micros } from "../../terms/money.ts";

export interface BudgetAsk {
  readonly budgetId: string;
  /** Names what a start of a process holds. A start has one at a time for each budget and period. */
  readonly lease: string;
  /** Names the process, also after it has been restarted on the same data directory. */
  readonly process: string;
  /** Counts the asks, so that a delayed one changes nothing after a later one. */
  readonly turn: number;
  /** Which period `keep` and `used` are about; `null`: none is known here. */
  readonly periodFrom: number | null;
  /** The process uses no more than this, with what it has used, until it is granted more. */
  readonly keep: Micros;
  /** Of that: what is spent, or reserved for requests under way. */
  readonly used: Micros;
  readonly wanted: Wanted;
}

export interface Wanted {
  /** What requests that wait now need beyond `keep`. */
  readonly need: Micros;
  /** What the smallest of them needs: with less, nothing more could be sent. 1 or more. */
  readonly least: Micros;
  /** What will probably be used soon. */
  readonly spare: Micros;
}

/** Decides how much a lease holds from now on, with what it keeps, from what all others hold. */
export type SliceRule = (limit: Micros, others: Micros, ask: Pick<BudgetAsk, "keep" | "used" | "wanted">) => Micros;

export interface BudgetAnswer {
  readonly now: number;
  /** As it is set now; `null`: it was removed. */
  readonly budget: Budget | null;
  readonly period: Span;
  /** What the lease holds now. */
  readonly amount: Micros;
  /** What all others have used or reserved, as far as they have said. */
  readonly othersUsed: Micros;
}

/** What a process that was killed had used. */
export interface LeftBehind {
  /** The start whose notes these are: the name of each of its leases begins with it. */
  readonly start: string;
  readonly counts: readonly CountedUse[];
}

/** The same by its own notes, which do not say what became of its last requests. */
export interface LeftNotes extends LeftBehind {
  readonly counts: readonly NotedUse[];
}

export interface NotedUse extends CountedUse {
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
   * each ask may have been kept or not.
   */
  exchange(asks: readonly BudgetAsk[], rule: SliceRule): Promise<readonly BudgetAnswer[]>;
  /** Frees what earlier starts of this process held and did not use. Repeating it changes nothing. */
  recover(process: string, left: readonly LeftBehind[]): Promise<void>;
}

/** Notes of what this process uses, which outlive it. */
export interface UseNotes {
  /** What earlier starts on the same data directory have left is in the store now. */
  recovered(): void;
  /** To be called before anything is leased. @throws if it cannot be written */
  begin(): void;
  /**
   * Outlives a killed process once this returns. `units`: what the request uses from now on while it is under way;
   * `null`: it has been settled. @throws if it cannot be written
   */
  note(use: CountedUse, id: string, units: Micros | null): void;
  /** Nothing is held any more that the store does not know. */
  end(): void;
}

/** How full a budget is, as far as is known in this process. */
export interface BudgetReading {
  readonly budget: Budget;
  readonly used: Micros;
}
