import { countsFrom } from "../../../terms/money/budget.ts";
import type { LedgerAnswers } from "../../../ledger/read/ledger-reader.ts";
import { amountText } from "../../../terms/money/money.ts";
import {
  findRejections,
  budgetInput,
  noLedgerYet,
  toWireBudget,
  toWireUse,
  unknownBudget,
  wireBudgetUse,
} from "../../budget-wire.ts";
import type { BudgetUse } from "../../ports.ts";
import { spendFilterOf, spentBefore } from "../../spent-before.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show a budget, its use, and what it does not count",
  description:
    "USED is spent, or reserved for requests in progress; a running service reports it about once a second. LEASED is the amount that processes have leased beyond that, and will either use or return. SILENT is leased by processes that have not reported for a minute: they are dead, or cannot reach the store; budget recount frees it. COUNTS FROM is when the budget was set, and SPENT BEFORE the amount charged in its period before that, which it does not count. The other figures are from the ledger: the requests in the scope of the budget since its period began, or since it was set. UNKNOWN of them count in full until they are settled, and a budget in money counts neither those that are UNPRICED nor those in OTHER CURRENCIES.",
  example: "bud_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { budget: budgetInput },
  positional: ["budget"],
  role: "viewer",
  changes: false,
  needs: ["store", "ledger"],

  result: wireBudgetUse,

  async run({ budget: id }, { clock, store, ledger }) {
    const use = await (await store()).budget(id);
    if (use === null) throw unknownBudget(id);
    const reader = await ledger().catch(noLedgerYet);
    const sent = reader === null ? null : await inLedger(reader, use, clock.wall());
    const rejections = reader === null ? [] : await findRejections(reader, [use]);
    return { ...toWireBudget(use.budget), ...toWireUse(use, rejections), ...sent };
  },
});

async function inLedger(ledger: LedgerAnswers, { budget, period }: BudgetUse, now: number) {
  const from = Math.max(period.from, countsFrom(budget));
  const lines = await ledger.spend("org", spendFilterOf(budget, from, Math.max(now, budget.setWallAt) + 1));
  const others = lines.filter(({ currency, most }) => currency !== budget.currency && currency !== null && most > 0n);
  return {
    spent_before: await spentBefore(ledger, { budget, period }),
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
