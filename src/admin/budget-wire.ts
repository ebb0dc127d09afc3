import { budgetText, isNearlyUsed, type Budget } from "../terms/budget.ts";
import { Type } from "../terms/type.ts";
import type { BudgetUse } from "./ports.ts";
import { unknownId } from "./unknown.ts";
import { toWireTime } from "./wire-time.ts";

/** Inputs and results that have to do with budgets. */

export const budgetInput = Type.String({
  pattern: "^bud_",
  maxLength: 128,
  description: "Id of the budget (bud_…)",
  "x-says": "must be the id of a budget (bud_…)",
});

export function unknownBudget(id: string): Error {
  return unknownId("budget", id, "datarun budget list");
}

export function toWireBudget(budget: Budget) {
  return {
    budget: budget.id,
    organization_tuid: budget.organizationId,
    workflow: budget.workflowId,
    source: budget.source,
    cred_id: budget.credentialId,
    per: budget.per,
    limit: budgetText(budget, budget.limit),
    warn_percent: budget.warnPercent,
    counts_from: toWireTime(budget.setWallAt),
  };
}

export function toWireUse({ budget, period, used, leased }: BudgetUse) {
  return {
    used: budgetText(budget, used),
    leased: budgetText(budget, leased),
    left: budgetText(budget, budget.limit - used - leased),
    nearly_used: isNearlyUsed(budget, used),
    period_from: toWireTime(period.from),
    period_to: toWireTime(period.to),
  };
}
