import { BoundedMap } from "../collections/bounded-map.ts";
import { dayContaining, monthContaining, type TimeSpan } from "../time/calendar.ts";
import type { Charged } from "../fault.ts";
import { amountText, percentOf, readCount, type Micros } from "./money.ts";
import type { Price } from "./price.ts";

/** The owner of a request, for budgets. */
export interface Spender {
  readonly organizationId: string;
  /** Empty for a live test, which belongs to no workflow. */
  readonly workflowId: string;
  readonly source: string;
  readonly credentialId: string | null;
}

/** The requests that a budget applies to; `null` matches every value. */
export interface BudgetScope {
  readonly organizationId: string;
  readonly workflowId: string | null;
  readonly source: string | null;
  readonly credentialId: string | null;
}

export const BUDGET_PERIODS = ["day", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** A limit on charges in each day or month of a time zone, by the clock of the store. */
export interface Budget extends BudgetScope {
  readonly id: string;
  readonly per: BudgetPeriod;
  /**
   * The time zone of its days and months, such as `Europe/Berlin`. It never changes: another zone is another budget.
   */
  readonly timeZone: string;
  /** `null`: the budget counts requests, whatever they cost. Otherwise it counts prices in this currency. */
  readonly currency: string | null;
  /** A number of requests, or of millionths of the currency's unit. */
  readonly limit: Micros;
  /** The percentage of the limit from which on the use is logged. */
  readonly warnPercent: number;
  /** When the budget was created. Changing its limit does not change this time. */
  readonly setWallAt: number;
  /** The time from which it counts; absent: when it was created. Before that time, only the ledger counts for it. */
  readonly countsFromWallAt?: number;
  /** When its limit was last changed; absent if it never was. */
  readonly changedWallAt?: number;
}

export function countsFrom({ countsFromWallAt, setWallAt }: Pick<Budget, "countsFromWallAt" | "setWallAt">): number {
  return countsFromWallAt ?? setWallAt;
}

/** The only comparison with a limit: exactly at the limit is allowed. */
export function hasCapacity(used: Micros, more: Micros, limit: Micros): boolean {
  return used + more <= limit;
}

export function appliesTo(budget: BudgetScope, spender: Spender): boolean {
  return (
    budget.organizationId === spender.organizationId &&
    (budget.workflowId === null || budget.workflowId === spender.workflowId) &&
    (budget.source === null || budget.source === spender.source) &&
    (budget.credentialId === null || budget.credentialId === spender.credentialId)
  );
}

/** The most of a budget that a billable request can use. A price in another currency, or none, uses nothing. */
export function unitsOf({ currency }: Pick<Budget, "currency">, price: Price | null): Micros {
  if (currency === null) return 1n;
  return price?.currency === currency ? price.amount : 0n;
}

/** What a request has used of a budget, by its known charge. An unknown charge counts in full. */
export function usedBy(budget: Pick<Budget, "currency">, charged: Charged, price: Price | null): Micros {
  return charged === "no" ? 0n : unitsOf(budget, price);
}

/** Requests in one currency that were charged or may have been. */
export interface ChargedRequests {
  /** `null`: these requests have no price. */
  readonly currency: string | null;
  readonly requests: number;
  readonly amount: Micros;
}

/** What the requests in a budget's scope have used of it. */
export function usedByAll({ currency }: Pick<Budget, "currency">, sums: readonly ChargedRequests[]): Micros {
  if (currency === null) return readCount(sums.reduce((sum, { requests }) => sum + requests, 0));
  return sums.reduce((sum, one) => (one.currency === currency ? sum + one.amount : sum), 0n);
}

type PeriodOfBudget = Pick<Budget, "per" | "timeZone">;

/** The period of a budget that contains a moment. */
export function periodContaining({ per, timeZone }: PeriodOfBudget, wallAt: number): TimeSpan {
  return per === "month" ? monthContaining(wallAt, timeZone) : dayContaining(wallAt, timeZone);
}

const PERIODS_MAX = 1_000;

/** `periodContaining` with a cache: many budgets have the same period, and the calendar of a time zone takes 0.2 ms. */
export function cachedPeriods(): typeof periodContaining {
  const known = new BoundedMap<string, TimeSpan>(PERIODS_MAX);
  return (budget, wallAt) => {
    const key = `${budget.per} ${budget.timeZone}`;
    const last = known.get(key);
    if (last !== undefined && last.from <= wallAt && wallAt < last.to) return last;
    const period = periodContaining(budget, wallAt);
    known.set(key, period);
    return period;
  };
}

/** The use from which on a budget is beyond its warning level. */
export function warnFrom({ limit, warnPercent }: Pick<Budget, "limit" | "warnPercent">): Micros {
  return percentOf(limit, warnPercent);
}

export function isNearlyUsed(budget: Pick<Budget, "limit" | "warnPercent">, used: Micros): boolean {
  return used >= warnFrom(budget);
}

/** A text such as `organization org_1, source acme__people`. */
export function scopeText({ organizationId, workflowId, source, credentialId }: BudgetScope): string {
  return [
    `organization ${organizationId}`,
    ...(workflowId === null ? [] : [`workflow ${workflowId}`]),
    ...(source === null ? [] : [`source ${source}`]),
    ...(credentialId === null ? [] : [`credential ${credentialId}`]),
  ].join(", ");
}

/** An amount of a budget as text: `12.50 EUR`, or `3 requests`. */
export function budgetText({ currency }: Pick<Budget, "currency">, units: Micros): string {
  if (currency !== null) return `${amountText(units)} ${currency}`;
  return units === 1n ? "1 request" : `${units} requests`;
}

/** A text such as `12.50 EUR a month`, with the time zone unless it is UTC. */
export function limitText(budget: Pick<Budget, "currency" | "limit" | "per" | "timeZone">): string {
  const zone = budget.timeZone === "UTC" ? "" : ` (${budget.timeZone})`;
  return `${budgetText(budget, budget.limit)} a ${budget.per}${zone}`;
}
