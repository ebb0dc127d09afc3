import { Type } from "../../../terms/type.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { amountText } from "../../../terms/money.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { budgetInput, toWireBudget, toWireUse, unknownBudget, wireBudgetUse } from "../../budget-wire.ts";
import type { BudgetUse } from "../../ports.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show a budget, what is used of it, and what it does not count",
  description:
    "USED is spent, or reserved for requests under way; a running service says so about once a second. LEASED is what processes hold beyond that, and will either use or give back. The other figures are from the ledger: the requests in the scope of the budget since its period began, or since it was set. UNKNOWN of them count in full until they are settled, and a budget in money counts neither those that are UNPRICED nor those in OTHER CURRENCIES.",
  example: "bud_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ budget: budgetInput }, { additionalProperties: false }),
  positional: ["budget"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger"],

  result: wireBudgetUse,

  async run({ budget: id }, { clock, store, ledger }) {
    const use = await (await store()).budget(id);
    if (use === null) throw unknownBudget(id);
    const reader = await ledger().catch(noneYet);
    const sent = reader === null ? null : await inLedger(reader, use, clock.wall());
    return { ...toWireBudget(use.budget), ...toWireUse(use), ...sent };
  },
});

/** No service has been started yet, so nothing has been sent. */
function noneYet(error: unknown): null {
  if (error instanceof OperatorError && error.code === "not_found") return null;
  throw error;
}

async function inLedger(ledger: LedgerAnswers, { budget, period }: BudgetUse, now: number) {
  const { organizationId, workflowId, source, credentialId } = budget;
  const lines = await ledger.spend("org", {
    from: Math.max(period.from, budget.setWallAt),
    to: Math.max(now, budget.setWallAt) + 1,
    organizationId,
    ...(workflowId !== null && { workflowId }),
    ...(source !== null && { source }),
    ...(credentialId !== null && { credentialId }),
  });
  const others = lines.filter(({ currency, most }) => currency !== budget.currency && currency !== null && most > 0n);
  return {
    requests: total(lines.map(({ requests }) => requests)),
    unknown: total(lines.map(({ charged_unknown: unknown }) => unknown)),
    unpriced: total(lines.map(({ unpriced }) => unpriced)),
    other_currencies:
      budget.currency === null
        ? null
        : others.map(({ most, currency }) => `${amountText(most)} ${currency}`).join(", "),
  };
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
