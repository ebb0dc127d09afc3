import { budgetInput, removedBudget, toWireBudget, unknownBudget } from "../../budget-wire.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Remove a budget, so that it limits nothing any more",
  description: "What it has counted is deleted. A running service notices within a second.",
  example: "bud_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { budget: budgetInput },
  positional: ["budget"],
  role: "owner",
  changes: true,
  needs: ["store"],

  result: removedBudget,

  async run({ budget: id }, { act, store }) {
    const removed = await (await store()).removeBudget(act, id);
    if (removed === null) throw unknownBudget(id);
    const { counts_from: _, ...budget } = toWireBudget(removed);
    return { removed: true, ...budget };
  },
});
