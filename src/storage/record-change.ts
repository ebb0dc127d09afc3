import { sql, type Transaction } from "kysely";
import type { Act, AuditEntry, StateAct } from "../admin/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { newId } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Engine } from "./engine.ts";
import { ACTS_ROW, recordStateKey } from "./state-key-admin.ts";
import type { Tables } from "./tables.ts";

/** The result of a change, and its audit entry. */
export interface Changed<Result> {
  readonly result: Result;
  readonly entry: AuditSubject;
}

/** `what` overrides the act's name in the trail. */
export type AuditSubject = Pick<AuditEntry, "organizationId" | "subjectId" | "detail"> & { readonly what?: string };

/**
 * Makes one change for an administrator: the rows, the audit entry and the counter for all caches, in one transaction.
 * Incrementing the counter first serializes the changes of all processes, so a change may read before it writes. If
 * `change` returns `null`, there is nothing to change, and the transaction is rolled back.
 */
export async function recordChange<Result>(
  engine: Engine,
  act: Act,
  change: (transaction: Transaction<Tables>) => Promise<Changed<Result> | null>,
): Promise<Result | null> {
  const since = act.state?.since;
  let number = 0;
  const made = await changeStore(engine, async (transaction) => {
    number = await numberOfAct(transaction);
    if (since !== undefined && number !== since.changes + 1)
      throw new OperatorError("refused", "The store was changed meanwhile.");
    const changed = await change(transaction);
    if (changed === null) return null;
    await insertAuditEntry(transaction, act, changed.entry);
    return changed.result;
  });
  if (made !== null && since !== undefined) since.changes = number;
  return made;
}

async function numberOfAct(transaction: Transaction<Tables>): Promise<number> {
  const { changes } = await transaction
    .insertInto("datarun_changes")
    .values({ id: ACTS_ROW, changes: 1 })
    .onConflict((row) => row.column("id").doUpdateSet({ changes: sql`datarun_changes.changes + 1` }))
    .returning("changes")
    .executeTakeFirstOrThrow();
  return changes;
}

/** Like `recordChange`, for a change that adds its own audit entries. */
export async function changeStore<Result>(
  engine: Engine,
  change: (transaction: Transaction<Tables>) => Promise<Result | null>,
): Promise<Result | null> {
  try {
    return await engine.writer.transaction().execute(async (transaction) => {
      const { changes } = await transaction
        .updateTable("datarun_changes")
        .set((row) => ({ changes: row("changes", "+", 1) }))
        .where("id", "=", 1)
        .returning("changes")
        .executeTakeFirstOrThrow();
      const result = await change(transaction);
      if (result === null) throw new NothingToChange();
      await engine.announce(transaction, changes);
      return result;
    });
  } catch (thrown) {
    if (thrown instanceof NothingToChange) return null;
    throw thrown;
  }
}

/** Rolls back a transaction in which there was nothing to change. */
class NothingToChange extends Error {}

export async function insertAuditEntry(
  transaction: Transaction<Tables>,
  act: Act,
  subject: AuditSubject,
): Promise<void> {
  await transaction
    .insertInto("audit")
    .values({
      id: newId("audit", act.wallAt),
      wall_at: act.wallAt,
      who: act.who,
      via: act.via,
      what: subject.what ?? act.what,
      organization_id: subject.organizationId,
      subject_id: subject.subjectId,
      detail: JSON.stringify(act.state === undefined ? subject.detail : withFile(subject.detail, act.state)),
    })
    .execute();
  if (act.state !== undefined) await recordStateKey(transaction, act.state, subject.subjectId);
}

function withFile(detail: JsonObject, { file, bind }: StateAct): JsonObject {
  return { ...detail, state_file: file, ...(bind !== undefined && { state_key: bind.key }) };
}
