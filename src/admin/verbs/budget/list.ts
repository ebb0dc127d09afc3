import { Type } from "../../../terms/type.ts";
import { listedBudget, toWireBudget, toWireUse } from "../../budget-wire.ts";
import { organizationInput } from "../../inputs.ts";
import { requireOrganization } from "../../require.ts";
import { listed } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List budgets, with what is used of them in their current period",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ org: Type.Optional(organizationInput) }, { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: listed("budgets", listedBudget),

  async run({ org }, { store }) {
    const open = await store();
    if (org !== undefined) await requireOrganization(open, org);
    const budgets = (await open.budgets(org)).map((use) => {
      const { counts_from: _, warn_percent: __, ...budget } = toWireBudget(use.budget);
      const { used, left, nearly_used, period_to } = toWireUse(use);
      return { ...budget, used, left, nearly_used, period_to };
    });
    return { budgets };
  },

  nothing: { budgets: "There are no budgets." },
});
