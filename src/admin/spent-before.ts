import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { SpendFilter } from "../ledger/read/sum-spend.ts";
import { type Budget, budgetText, countsFrom, usedByAll } from "../terms/money/budget.ts";
import type { Micros } from "../terms/money/money.ts";
import type { BudgetUse } from "./ports.ts";

/** A filter for the requests in a budget's scope that were sent in an interval. */
export function spendFilterOf(budget: Budget, from: number, to: number): SpendFilter {
  const { organizationId, workflowId, source, credentialId } = budget;
  return {
    from,
    to,
    organizationId,
    ...(workflowId !== null && { workflowId }),
    ...(source !== null && { source }),
    ...(credentialId !== null && { credentialId }),
  };
}

/**
 * The amount charged in the budget's period before the budget was set, which it does not count, such as `12.50 EUR`;
 * `null` if the budget counts the whole period.
 */
export async function spentBefore(
  ledger: Pick<LedgerAnswers, "spend">,
  { budget, period }: Pick<BudgetUse, "budget" | "period">,
): Promise<string | null> {
  if (countsFrom(budget) <= period.from) return null;
  const lines = await ledger.spend("org", spendFilterOf(budget, period.from, countsFrom(budget)));
  const charged = lines.map((line) => ({ currency: line.currency, requests: line.charged_yes, amount: line.least }));
  const [least, most] = [usedByAll(budget, charged), usedByAll(budget, mayBeCharged(lines))];
  if (least === most) return budgetText(budget, most);
  return `${budgetText(budget, least)} to ${budgetText(budget, most)}`;
}

/** What the requests in a budget's scope that were sent in an interval use of it, by the ledger. */
export async function usedInLedger(
  ledger: Pick<LedgerAnswers, "spend">,
  budget: Budget,
  from: number,
  to: number,
): Promise<Micros> {
  if (from >= to) return 0n;
  const lines = await ledger.spend("org", spendFilterOf(budget, from, to));
  return usedByAll(budget, mayBeCharged(lines));
}

/** The requests of each line that are or may be charged, and their cost. */
function mayBeCharged(lines: Awaited<ReturnType<LedgerAnswers["spend"]>>) {
  return lines.map(({ currency, charged_yes: yes, charged_unknown: unknown, most }) => ({
    currency,
    requests: yes + unknown,
    amount: most,
  }));
}
