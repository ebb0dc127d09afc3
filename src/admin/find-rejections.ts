import type { BudgetRejections } from "../ledger/read/budget-rejections.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { BudgetUse } from "./ports.ts";

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
