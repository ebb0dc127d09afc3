import { budgetText, scopeText } from "../../terms/budget.ts";
import { Fault } from "../../terms/fault.ts";
import type { HeldBudget } from "./held-budget.ts";

/** That a budget has no room for a request, with everything that says which budget it is. */
export function budgetFault({ budget, holding }: HeldBudget): Fault {
  return new Fault("source.budget_used", {
    budget: budget.id,
    scope: scopeText(budget),
    limit: `${budgetText(budget, budget.limit)} a ${budget.per}`,
    until: holding === null ? `the end of the ${budget.per}` : untilText(holding.periodTo),
  });
}

function untilText(wallAt: number): string {
  return new Date(wallAt).toISOString().replace(":00.000Z", "Z").replace("T", " ").replace("Z", " UTC");
}
