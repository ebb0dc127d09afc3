import { BUDGET_PERIODS, budgetText, countsFrom, isNearlyUsed, type Budget } from "../terms/money/budget.ts";
import type { BudgetRejections } from "../ledger/read/budget-rejections.ts";
import { idInput } from "./shared-inputs.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { Type } from "../terms/schema/type.ts";
import type { BudgetUse } from "./ports.ts";
import { count, oneOf, orNull, text, time, toWireTime, yesOrNo } from "./result-schemas.ts";
import { unknownId } from "./require.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";

/** Inputs and results of budgets. */

export const budgetInput = idInput("a budget", "bud_");

export function unknownBudget(id: string): Error {
  return unknownId("budget", id, "datarun budget list");
}

/** `null` if no service was ever started here, so that nothing has been sent; rethrows other errors. */
export function noLedgerYet(error: unknown): null {
  if (error instanceof OperatorError && error.code === "not_found") return null;
  throw error;
}

/** The fields of every result about a budget. */
const told = {
  budget: text,
  organization_tuid: text,
  workflow: orNull(text),
  source: orNull(text),
  cred_id: orNull(text),
  per: oneOf(...BUDGET_PERIODS),
  time_zone: { ...text, description: "Where its days and months begin" },
  limit: text,
};
const use = {
  used: text,
  leased: text,
  silent: {
    ...text,
    description: "Leased by processes that have not reported for a minute: they are dead, or cannot reach the store",
  },
  left: text,
  nearly_used: yesOrNo,
  period_from: time,
  period_to: time,
  rejected_calls: {
    ...orNull(count),
    description: "How many calls it has rejected since `rejects_since`, counted up to 1,000; `null`: not known",
  },
  rejects_since: {
    ...orNull(time),
    description: "The first call that it rejected in this period, and since its limit was last set; `null`: none",
  },
};
const spentBeforeText = {
  ...orNull(text),
  description:
    "The amount charged in its current period before the budget was set, which it does not count; `null`: it counts the whole period",
};
export const removedBudget = Type.Object({ removed: yesOrNo, ...told, warn_percent: count });
export const wireBudget = Type.Object({ ...told, warn_percent: count, counts_from: time });
/** The result of setting a budget; `spent_before` is `null` also if the ledger could not be read. */
export const setBudget = Type.Object({ ...wireBudget.properties, spent_before: spentBeforeText });
export const listedBudget = Type.Object({ ...wireBudget.properties, ...use });
export const recountedBudget = Type.Object({
  ...listedBudget.properties,
  used_before: { ...text, description: "The use that was counted before" },
});
export const namedBudget = Type.Object({
  ...listedBudget.properties,
  /** The current names. */
  organization: orNull(text),
  workflow_name: orNull(text),
  cred_name: orNull(text),
});
export const wireBudgetUse = Type.Object({
  ...wireBudget.properties,
  ...use,
  /** Missing if there is no ledger yet. */
  spent_before: Type.Optional(spentBeforeText),
  requests: Type.Optional(count),
  unknown: Type.Optional(count),
  unpriced: Type.Optional(count),
  other_currencies: Type.Optional(orNull(text)),
});

export function toWireBudget(budget: Budget) {
  return {
    budget: budget.id,
    organization_tuid: budget.organizationId,
    workflow: budget.workflowId,
    source: budget.source,
    cred_id: budget.credentialId,
    per: budget.per,
    time_zone: budget.timeZone,
    limit: budgetText(budget, budget.limit),
    warn_percent: budget.warnPercent,
    counts_from: toWireTime(countsFrom(budget)),
  };
}

/**
 * A budget as lists show it.
 * @param rejections `null` if the ledger could not be read
 */
export function toListedBudget(use: BudgetUse, rejections: readonly BudgetRejections[] | null) {
  return { ...toWireBudget(use.budget), ...toWireUse(use, rejections) };
}

export function toWireUse(use: BudgetUse, rejections: readonly BudgetRejections[] | null) {
  const { budget, period, used, leased, silent } = use;
  const rejected = rejections?.find(({ budgetId }) => budgetId === budget.id);
  return {
    used: budgetText(budget, used),
    leased: budgetText(budget, leased),
    silent: budgetText(budget, silent),
    left: budgetText(budget, budget.limit - used - leased - silent),
    nearly_used: isNearlyUsed(budget, used),
    period_from: toWireTime(period.from),
    period_to: toWireTime(period.to),
    rejected_calls: rejections === null ? null : (rejected?.calls ?? 0),
    rejects_since: rejected === undefined ? null : toWireTime(rejected.sinceWallAt),
  };
}

/**
 * The rejections of budgets since the start of their period, or since their limit was last set if that was later: after
 * a raise a budget may accept calls again.
 */
export function findRejections(
  ledger: Pick<LedgerAnswers, "budgetRejections">,
  budgets: readonly BudgetUse[],
): Promise<readonly BudgetRejections[]> {
  const queries = budgets.map(({ budget, period }) => ({
    budgetId: budget.id,
    from: Math.max(period.from, budget.changedWallAt ?? budget.setWallAt),
  }));
  return ledger.budgetRejections(queries);
}
