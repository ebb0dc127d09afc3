import { monthAround, type Span } from "./calendar.ts";
import type { Charged } from "./fault.ts";
import { amountText, percentOf, type Micros } from "./money.ts";
import type { Price } from "./price.ts";

/** Whose requests something is about. */
export interface Spender {
  readonly organizationId: string;
  /** Empty for a live test, which belongs to no workflow. */
  readonly workflowId: string;
  readonly source: string;
  readonly credentialId: string | null;
}

/** What a budget is for; `null` stands for all of them. */
export interface BudgetScope {
  readonly organizationId: string;
  readonly workflowId: string | null;
  readonly source: string | null;
  readonly credentialId: string | null;
}

export const BUDGET_PERIODS = ["day", "month"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** How much may be charged in each day or month of UTC, by the clock of the store. */
export interface Budget extends BudgetScope {
  readonly id: string;
  readonly per: BudgetPeriod;
  /** `null`: it counts requests, whatever they cost. Otherwise it counts what is priced in this currency. */
  readonly currency: string | null;
  /** Requests, or millionths of the currency's unit. */
  readonly limit: Micros;
  /** From this part of the limit on, it is logged. */
  readonly warnPercent: number;
  /** When it was set first. Changing its limit does not change it. */
  readonly setWallAt: number;
  /** When its limit was last changed; left out if it never was. */
  readonly changedWallAt?: number;
}

/** The one comparison with a limit: exactly at it is allowed, one more is not. */
export function hasRoom(used: Micros, more: Micros, limit: Micros): boolean {
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

/** The most of a budget that a request can use which may be billed. A price in another currency, or none, uses nothing. */
export function unitsOf({ currency }: Pick<Budget, "currency">, price: Price | null): Micros {
  if (currency === null) return 1n;
  return price?.currency === currency ? price.amount : 0n;
}

/** What a request has used of a budget once its charge is known; an unknown charge counts in full. */
export function usedBy(budget: Pick<Budget, "currency">, charged: Charged, price: Price | null): Micros {
  return charged === "no" ? 0n : unitsOf(budget, price);
}

const DAY_MS = 24 * 60 * 60 * 1_000;

export function periodAround(per: BudgetPeriod, wallAt: number): Span {
  if (per === "month") return monthAround(wallAt, "UTC");
  const from = wallAt - (wallAt % DAY_MS);
  return { from, to: from + DAY_MS };
}

/** From this use on, it is used beyond its warn level. */
export function warnFrom({ limit, warnPercent }: Pick<Budget, "limit" | "warnPercent">): Micros {
  return percentOf(limit, warnPercent);
}

export function isNearlyUsed(budget: Pick<Budget, "limit" | "warnPercent">, used: Micros): boolean {
  return used >= warnFrom(budget);
}

/** Such as `organization org_1, source acme__people`. */
export function scopeText({ organizationId, workflowId, source, credentialId }: BudgetScope): string {
  return [
    `organization ${organizationId}`,
    ...(workflowId === null ? [] : [`workflow ${workflowId}`]),
    ...(source === null ? [] : [`source ${source}`]),
    ...(credentialId === null ? [] : [`credential ${credentialId}`]),
  ].join(", ");
}

/** An amount of a budget for people: `12.50 EUR`, or `3 requests`. */
export function budgetText({ currency }: Pick<Budget, "currency">, units: Micros): string {
  if (currency !== null) return `${amountText(units)} ${currency}`;
  return units === 1n ? "1 request" : `${units} requests`;
}
