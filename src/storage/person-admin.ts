import type { Transaction } from "kysely";
import type { AdmittedPerson, Operator, OperatorAdmin } from "../admin/ports.ts";
import { newId } from "../terms/ids.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Engine } from "./engine.ts";
import { nameKey } from "./name-key.ts";
import { recordChange } from "./record-change.ts";
import { toOperator } from "./rows.ts";
import type { Row, Tables } from "./tables.ts";

/** Operators who log in with the identity provider. */
export function createPersonAdmin(engine: Engine): Pick<OperatorAdmin, "admitPerson" | "restoreOperator"> {
  return {
    admitPerson: async (act, person) => {
      const known = await engine.reader
        .selectFrom("operators")
        .selectAll()
        .where("digest", "=", person.digest)
        .executeTakeFirst();
      if (known !== undefined && (known.revoked_wall_at !== null || isAsBefore(known, person))) return admitted(known);

      let refused: Operator | "revoked" | "name_taken" = "name_taken";
      const changed = await recordChange(engine, act, async (transaction) => {
        // Another login of the same person may have been faster.
        const row = await transaction
          .selectFrom("operators")
          .selectAll()
          .where("digest", "=", person.digest)
          .executeTakeFirst();
        if (row !== undefined && (row.revoked_wall_at !== null || isAsBefore(row, person))) {
          refused = admitted(row);
          return null;
        }
        if (await isNameTaken(transaction, person.name, act.wallAt, row?.id)) return null;
        const { name, role, digest, subject } = person;
        const now = { ...(row ?? newRow(digest, act.wallAt)), name, name_key: nameKey(name), role };
        if (row === undefined) await transaction.insertInto("operators").values(now).execute();
        else
          await transaction
            .updateTable("operators")
            .set({ name, name_key: now.name_key, role })
            .where("id", "=", row.id)
            .execute();
        const before = row === undefined ? {} : { before: { name: row.name, role: row.role } };
        const detail = { name, role, subject, ...before };
        return { result: toOperator(now), entry: { organizationId: null, subjectId: now.id, detail } };
      });
      return changed ?? refused;
    },

    restoreOperator: (act, key) =>
      recordChange(engine, act, async (transaction) => {
        const all = transaction.selectFrom("operators").selectAll();
        const chosen =
          "id" in key
            ? all.where("id", "=", key.id)
            : all.where("name", "=", key.name).where("login", "is not", null).orderBy("id", "desc");
        const row = await chosen.executeTakeFirst();
        if (row === undefined) return null;
        if (row.login === null)
          throw new OperatorError("refused", "A revoked token stays revoked. Make a new one: datarun operator create");
        if (row.revoked_wall_at === null) throw new OperatorError("refused", `${row.name} is not revoked.`);
        if (await isNameTaken(transaction, row.name, act.wallAt))
          throw new OperatorError(
            "refused",
            `Another operator is called ${row.name} now. Revoke that one first: datarun operator revoke ${row.name}`,
          );
        // Ends sessions from before the revocation for good.
        await transaction.deleteFrom("operator_sessions").where("operator_id", "=", row.id).execute();
        await transaction.updateTable("operators").set({ revoked_wall_at: null }).where("id", "=", row.id).execute();
        return {
          result: toOperator({ ...row, revoked_wall_at: null }),
          entry: { organizationId: null, subjectId: row.id, detail: { name: row.name } },
        };
      }),
  };
}

/** Whether another operator who is neither revoked nor expired has this name. */
export async function isNameTaken(
  transaction: Transaction<Tables>,
  name: string,
  wallAt: number,
  ownId = "",
): Promise<boolean> {
  const other = await transaction
    .selectFrom("operators")
    .select("id")
    .where("name", "=", name)
    .where("id", "!=", ownId)
    .where("revoked_wall_at", "is", null)
    .where((row) => row.or([row("expires_wall_at", "is", null), row("expires_wall_at", ">", wallAt)]))
    .executeTakeFirst();
  return other !== undefined;
}

function isAsBefore(row: Row<"operators">, { name, role }: AdmittedPerson): boolean {
  return row.name === name && row.role === role;
}

function admitted(row: Row<"operators">): Operator | "revoked" {
  return row.revoked_wall_at === null ? toOperator(row) : "revoked";
}

function newRow(digest: string, wallAt: number): Omit<Row<"operators">, "name" | "name_key" | "role"> {
  return {
    id: newId("operator", wallAt),
    digest,
    login: "identity_provider",
    created_wall_at: wallAt,
    expires_wall_at: null,
    revoked_wall_at: null,
    last_used_wall_at: null,
  };
}
