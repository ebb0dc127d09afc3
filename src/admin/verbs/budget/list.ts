import { Type } from "../../../terms/schema/type.ts";
import { findRejections, namedBudget, noLedgerYet, toListedBudget } from "../../budget-wire.ts";
import { organizationInput } from "../../shared-inputs.ts";
import { requireOrganization } from "../../require.ts";
import { nextCursor, pagedById, readPage } from "../../pagination.ts";
import type { BudgetUse } from "../../ports.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List budgets, oldest first, with their use in the current period",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { org: Type.Optional(organizationInput), ...pagedById(PREFIX.budget) },
  role: "viewer",
  changes: false,
  needs: ["store", "ledger"],

  result: Type.Object({ budgets: listOf(namedBudget), ...nextCursor }),

  async run({ org, ...page }, { store, ledger, note }) {
    const open = await store();
    if (org !== undefined) await requireOrganization(open, org);
    const cursorOf = (use: BudgetUse) => use.budget.id;
    const { lines, next } = await readPage(page, note, cursorOf, (asked) => open.budgets(org, asked));
    const known = await open.findByIds(lines.flatMap(({ budget: it }) => [it.organizationId, it.workflowId]));
    const nameOf = (id: string | null) => (id === null ? null : known.get(id)?.name || null);
    const credentials = await open.credentialNames(lines.map(({ budget: it }) => it.credentialId));
    const reader = await ledger().catch(noLedgerYet);
    const rejections = reader === null ? [] : await findRejections(reader, lines);
    const budgets = lines.map((use) => ({
      ...toListedBudget(use, rejections),
      organization: nameOf(use.budget.organizationId),
      workflow_name: nameOf(use.budget.workflowId),
      cred_name: credentials.get(use.budget.credentialId ?? "") ?? null,
    }));
    return { budgets, ...next };
  },

  columns: {
    budgets: [
      "budget",
      "organization",
      "organization_tuid",
      "workflow_name",
      "workflow",
      "source",
      "cred_id",
      "cred_name",
      "per",
      "time_zone",
      "limit",
      "used",
      "left",
      "nearly_used",
      "rejected_calls",
      "period_to",
    ],
  },
  nothing: { budgets: "There are no budgets." },
});
