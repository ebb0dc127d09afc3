import type { WorkflowAdmin, WorkflowChange } from "../admin/ports.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Engine } from "./engine.ts";
import { organizationExists } from "./organization-admin.ts";
import { readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { fromWorkflow, toWorkflow } from "./rows.ts";

export function createWorkflowAdmin(engine: Engine): WorkflowAdmin {
  return {
    createWorkflow: (act, workflow) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, workflow.organizationId))) return null;
        await transaction.insertInto("workflows").values(fromWorkflow(workflow)).execute();
        const { id, organizationId, createdWallAt: _, ...settings } = workflow;
        return { result: workflow, entry: { organizationId, subjectId: id, detail: snakeCase(settings) } };
      }),

    workflow: async (id) => {
      const row = await engine.reader.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    workflows: async (organizationId, page = {}) => {
      const own = engine.reader.selectFrom("workflows").selectAll().where("organization_id", "=", organizationId);
      return (await readPage(own, page)).map(toWorkflow);
    },

    changeWorkflow: (act, id, change) =>
      recordChange(engine, act, async (transaction) => {
        const row = await transaction.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return null;
        const workflow = { ...toWorkflow(row), ...change };
        await transaction.updateTable("workflows").set(fromWorkflow(workflow)).where("id", "=", id).execute();
        return {
          result: workflow,
          entry: { organizationId: workflow.organizationId, subjectId: id, detail: snakeCase(change) },
        };
      }),
  };
}

/** Settings with the names that all other interfaces use. */
function snakeCase(settings: WorkflowChange): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
}
