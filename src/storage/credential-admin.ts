import type { Transaction } from "kysely";
import type {
  Act,
  CreatedCredential,
  CredentialAdmin,
  NamedCredential,
  NotedCredential,
  StoredCredential,
} from "../admin/ports.ts";
import { type Context, CONTEXTS } from "../terms/caller.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import type { Engine } from "./engine.ts";
import { nameKey } from "./name-key.ts";
import { organizationExists } from "./organization-admin.ts";
import { inBatches, readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { fromCredential, fromCredentialName, toNamedCredential, toOrganization, toStoredCredential } from "./rows.ts";
import { flag, type NewRow, type Row, type Tables } from "./tables.ts";

export function createCredentialAdmin(engine: Engine): CredentialAdmin {
  return {
    createCredential: (act, sealed, { name = null, note, fieldNames, references } = {}) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, sealed.organizationId))) return null;
        const { sealed: _, ...credential } = sealed;
        const { replaced, narrowed } = credential.isDefault
          ? overtaken(credential, await defaultsBeside(transaction, credential))
          : { replaced: [], narrowed: [] };
        const replacedIds = replaced.map(({ id }) => id);
        if (replacedIds.length > 0) {
          await transaction
            .updateTable("credentials")
            .set({ is_default: flag(false) })
            .where("id", "in", replacedIds)
            .execute();
        }
        await transaction.insertInto("credentials").values(fromCredential(sealed, name)).execute();
        return {
          result: { credential, replaced, narrowed },
          entry: subject(credential, {
            source: credential.source,
            ...(name === null ? {} : { name }),
            contexts: credential.contexts,
            ...(credential.regions.length === 0 ? {} : { regions: credential.regions }),
            default: credential.isDefault,
            replaced_defaults: replacedIds,
            ...(fieldNames ? { fields: fieldNames } : {}),
            ...(references && Object.keys(references).length > 0 ? { references } : {}),
            ...(note ? { note } : {}),
          }),
        };
      }),

    credential: async (id) => {
      const row = await engine.reader
        .selectFrom("credentials")
        .selectAll()
        .where("id", "=", id)
        .where("deleted_wall_at", "is", null)
        .executeTakeFirst();
      return row === undefined ? null : toStoredCredential(row);
    },

    credentials: async ({ organizationId, source, name }, page = {}) => {
      let chosen = engine.reader.selectFrom("credentials").selectAll().where("deleted_wall_at", "is", null);
      if (organizationId !== undefined) chosen = chosen.where("organization_id", "=", organizationId);
      if (source !== undefined) chosen = chosen.where("source", "=", source);
      if (name !== undefined) chosen = chosen.where("name_key", "like", `%${nameKey(name)}%`);
      const rows = await readPage(chosen, page);
      const notes = await auditedNotesOf(
        engine,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({ ...toNamedCredential(row), ...(notes.get(row.id) ?? NO_AUDITED_NOTE) }));
    },

    credentialNames: async (ids) => {
      const known = [...new Set(ids)].filter((id) => id !== null);
      const rows = await inBatches(known, (part) =>
        engine.reader
          .selectFrom("credentials")
          .select(["id", "name"])
          .where("id", "in", part)
          .where("name", "is not", null)
          .execute(),
      );
      return new Map(rows.map(({ id, name }) => [id, name!]));
    },

    renameCredential: (act, id, name) =>
      changeCredential(engine, act, id, fromCredentialName(name), (before) => ({ name, name_before: before.name })),

    credentialsOfSource: async (source, page = {}) => {
      const own = engine.reader
        .selectFrom("credentials")
        .selectAll()
        .where("source", "=", source)
        .where("deleted_wall_at", "is", null);
      const rows = await readPage(own, page);
      const owners = await inBatches([...new Set(rows.map((row) => row.organization_id))], (part) =>
        engine.reader.selectFrom("organizations").selectAll().where("id", "in", part).execute(),
      );
      const organizations = new Map(owners.map((row) => [row.id, toOrganization(row)]));
      return rows.map((row) => ({
        ...toNamedCredential(row),
        organization: organizations.get(row.organization_id)!,
      }));
    },

    setCredentialDisabled: (act, id, disabled) =>
      changeCredential(engine, act, id, { disabled: flag(disabled) }, () => ({ disabled })),

    deleteCredential: (act, id) =>
      changeCredential(
        engine,
        act,
        id,
        { deleted_wall_at: act.wallAt, is_default: flag(false), sealed: "" },
        () => ({}),
      ),
  };
}

type AuditedNote = Pick<NotedCredential, "note" | "fieldNames" | "references">;

const NO_AUDITED_NOTE: AuditedNote = { note: null, fieldNames: null, references: {} };

/** The notes in the audit entry of the act that created the credential. */
async function auditedNotesOf(engine: Engine, ids: readonly string[]): Promise<ReadonlyMap<string, AuditedNote>> {
  const rows = await inBatches(ids, (part) =>
    engine.reader
      .selectFrom("audit")
      .select(["subject_id", "detail"])
      .where("subject_id", "in", part)
      .where((where) => where.or([where("detail", "like", '%"note":%'), where("detail", "like", '%"fields":%')]))
      .execute(),
  );
  return new Map(rows.map(({ subject_id: id, detail }) => [id, readAuditedNote(JSON.parse(detail) as JsonObject)]));
}

function readAuditedNote({ note, fields, references }: JsonObject): AuditedNote {
  return {
    note: typeof note === "string" ? note : null,
    fieldNames: Array.isArray(fields) ? fields.map(String) : null,
    references: isJsonObject(references ?? null) ? (references as Readonly<Record<string, string>>) : {},
  };
}

function changeCredential(
  engine: Engine,
  act: Act,
  id: string,
  change: Partial<NewRow<"credentials">>,
  detailOf: (before: Row<"credentials">) => JsonObject,
): Promise<NamedCredential | null> {
  return recordChange(engine, act, async (transaction) => {
    const before = await transaction
      .selectFrom("credentials")
      .selectAll()
      .where("id", "=", id)
      .where("deleted_wall_at", "is", null)
      .executeTakeFirst();
    if (before === undefined) return null;
    await transaction.updateTable("credentials").set(change).where("id", "=", id).execute();
    const credential = toNamedCredential({ ...before, ...change });
    return { result: credential, entry: subject(credential, { source: credential.source, ...detailOf(before) }) };
  });
}

function subject(credential: StoredCredential, detail: JsonObject) {
  return { organizationId: credential.organizationId, subjectId: credential.id, detail };
}

async function defaultsBeside(
  transaction: Transaction<Tables>,
  credential: StoredCredential,
): Promise<StoredCredential[]> {
  const rows = await transaction
    .selectFrom("credentials")
    .selectAll()
    .where("organization_id", "=", credential.organizationId)
    .where("source", "=", credential.source)
    .where("is_default", "=", flag(true))
    .where("deleted_wall_at", "is", null)
    .execute();
  return rows.map(toStoredCredential);
}

/** The existing defaults that the new one replaces, and those that stay defaults in contexts without the new one. */
function overtaken(
  added: StoredCredential,
  existing: readonly StoredCredential[],
): Pick<CreatedCredential, "replaced" | "narrowed"> {
  const taken = reach(added);
  const replaced: StoredCredential[] = [];
  const narrowed: CreatedCredential["narrowed"][number][] = [];
  for (const credential of existing) {
    const left = reach(credential).filter((context) => !taken.includes(context));
    if (left.length === 0) replaced.push(credential);
    else if (left.length < reach(credential).length) narrowed.push({ credential, contexts: left });
  }
  return { replaced, narrowed };
}

function reach(credential: StoredCredential): readonly Context[] {
  return credential.contexts.length === 0 ? CONTEXTS : credential.contexts;
}
