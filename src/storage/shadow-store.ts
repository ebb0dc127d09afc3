import { sql, type Transaction } from "kysely";
import type { ShadowResult, ShadowStore } from "../admin/ports.ts";
import { addRows, inColumns } from "./add-rows.ts";
import type { Engine } from "./engine.ts";
import { inBatches } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import type { Row, Tables } from "./tables.ts";

/** The most runs that are kept for one field. */
const TRANSACTIONS_MAX = 100;

/** Results of shadow runs, added up over all replicas. No addition counts as a change by an operator. */
export function createShadowStore(engine: Engine): ShadowStore {
  return {
    addShadowResults: async (results, wallAt) => {
      if (results.length === 0) return;
      const rows = results.map((result) => toRow(result, wallAt));
      await engine.unsyncedWriter.transaction().execute(async (transaction) => {
        await addRows(engine.name, transaction, {
          table: "shadow_results",
          key: ["id"],
          rows: inColumns(rows),
          // Replicas lock the rows in the same order.
          orderedBy: "id",
          change: ADD,
        });
        await addTransactions(transaction, results);
      });
    },

    shadowResults: async (functionId, workflowId) => {
      let query = engine.reader.selectFrom("shadow_results").selectAll().where("function_id", "=", functionId);
      if (workflowId !== undefined) query = query.where("workflow_id", "=", workflowId);
      return (await query.orderBy("id").execute()).map(toResult);
    },

    resetShadowResults: (act, functionId, workflowId) =>
      recordChange(engine, act, async (transaction) => {
        let query = transaction.deleteFrom("shadow_results").where("function_id", "=", functionId);
        if (workflowId !== undefined) query = query.where("workflow_id", "=", workflowId);
        const removed = await query.returning(["workflow_id", "version"]).execute();
        if (removed.length === 0) return null;
        const versions = new Set(removed.map((row) => `${row.workflow_id}/${row.version}`));
        return {
          result: versions.size,
          entry: {
            organizationId: null,
            subjectId: functionId,
            detail: workflowId === undefined ? {} : { workflow: workflowId },
          },
        };
      }),
  };
}

const COUNTED = ["same", "different", "missing", "added", "failed", "unrecorded"] as const;

const ADD = sql`update set ${sql.join(
  COUNTED.map((name) => sql`${sql.ref(name)} = ${sql.ref(`shadow_results.${name}`)} + ${sql.ref(`excluded.${name}`)}`),
)}, changed_wall_at = excluded.changed_wall_at`;

/** The rows are locked by this transaction already. */
async function addTransactions(transaction: Transaction<Tables>, results: readonly ShadowResult[]): Promise<void> {
  const added = new Map(
    results
      .filter(({ transactionIds }) => transactionIds.length > 0)
      .map((result) => [idOf(result), result.transactionIds]),
  );
  const rows = await inBatches([...added.keys()], (part) =>
    transaction.selectFrom("shadow_results").select(["id", "transaction_ids"]).where("id", "in", part).execute(),
  );
  for (const { id, transaction_ids: before } of rows) {
    const all = [...added.get(id)!, ...(JSON.parse(before) as string[])].slice(0, TRANSACTIONS_MAX);
    await transaction
      .updateTable("shadow_results")
      .set({ transaction_ids: JSON.stringify(all) })
      .where("id", "=", id)
      .execute();
  }
}

function idOf({ workflowId, functionId, version, field }: ShadowResult): string {
  return `${workflowId}/${functionId}/${version}/${field}`;
}

function toRow(result: ShadowResult, wallAt: number): Row<"shadow_results"> {
  const { workflowId, functionId, version, field, counts } = result;
  return {
    id: idOf(result),
    workflow_id: workflowId,
    function_id: functionId,
    version,
    field,
    ...counts,
    transaction_ids: "[]",
    changed_wall_at: wallAt,
  };
}

function toResult(row: Row<"shadow_results">): ShadowResult {
  const { same, different, missing, added, failed, unrecorded } = row;
  return {
    workflowId: row.workflow_id,
    functionId: row.function_id,
    version: row.version,
    field: row.field,
    counts: { same, different, missing, added, failed, unrecorded },
    transactionIds: JSON.parse(row.transaction_ids) as string[],
  };
}
