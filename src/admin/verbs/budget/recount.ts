import {
  budgetInput,
  recountedBudget,
  toWireBudget,
  toWireUse,
  unknownBudget,
  findRejections,
} from "../../budget-wire.ts";
import { budgetText, countsFrom } from "../../../terms/money/budget.ts";
import { spendFilterOf } from "../../spent-before.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Count the use of a budget again, from the ledger",
  description:
    "For budgets with leases of dead processes (SILENT in budget show), or that were full too early. USED becomes the ledger's sum of the period. Leases of processes that have not reported for a minute are freed; those of other processes stay. Every request that was sent has to be in the ledger: first send the journals of machines that will not start again there, with `datarun ledger drain`. Live tests are not in the ledger, and are no longer counted afterwards.",
  example: "bud_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { budget: budgetInput },
  positional: ["budget"],
  role: "owner",
  changes: true,
  needs: ["store", "ledger"],

  result: recountedBudget,

  async run({ budget: id }, { act, store, ledger, note }) {
    const reader = await ledger();
    const open = await store();
    const counted = await open.recountBudget(act, id, async ({ budget, period }) => {
      const setAt = Math.max(period.from, budget.setWallAt);
      const countedFrom = Math.max(period.from, countsFrom(budget));
      const since = await reader.sumStarts(spendFilterOf(budget, setAt, period.to));
      if (countedFrom >= setAt) return since;
      const before = await reader.sumStarts(spendFilterOf(budget, countedFrom, setAt));
      return { now: [...before.now, ...since.now], recorded: since.recorded };
    });
    if (counted === null) throw unknownBudget(id);
    const { before, after, twice } = counted;
    if (twice > 0)
      note(
        `What ${twice === 1 ? "a running service has" : `${twice} running services have`} used is counted twice, because it was idle for long. Restart it, and give the command again.`,
      );
    const rejections = await findRejections(reader, [after]);
    const { budget } = after;
    return { ...toWireBudget(budget), ...toWireUse(after, rejections), used_before: budgetText(budget, before.used) };
  },
});
