import type { Transaction } from "kysely";
import type { Act, AuditEntry } from "../admin/ports.ts";
import { newId } from "../terms/ids.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./schema.ts";

/** The result of a change, and what the audit trail records about it. */
export interface Changed<Result> {
  readonly result: Result;
  readonly entry: AuditSubject;
}

/** `what` is given if the trail should name the change differently from the act that made it. */
export type AuditSubject = Pick<AuditEntry, "organizationId" | "subjectId" | "detail"> & { readonly what?: string };

/**
 * Makes one change for an administrator: the rows, the audit entry and the counter that all caches watch, in one
 * transaction. Incrementing the counter first serializes the changes of all processes, so a change may read before it
 * writes. `null` from `change` means that there was nothing to change; the transaction is then rolled back.
 */
export async function recordChange<Result>(
  engine: Engine,
  act: Act,
  change: (transaction: Transaction<Tables>) => Promise<Changed<Result> | null>,
): Promise<Result | null> {
  try {
    return await engine.writer.transaction().execute(async (transaction) => {
      const { changes } = await transaction
        .updateTable("datarun_changes")
        .set((row) => ({ changes: row("changes", "+", 1) }))
        .where("id", "=", 1)
        .returning("changes")
        .executeTakeFirstOrThrow();
      const changed = await change(transaction);
      if (changed === null) throw new NothingToChange();
      await insertAuditEntry(transaction, act, changed.entry);
      await engine.announce(transaction, changes);
      return changed.result;
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
      detail: JSON.stringify(subject.detail),
    })
    .execute();
}
