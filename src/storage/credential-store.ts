import type { CredentialStore, KeyStore } from "../credentials/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { answerInTime } from "./answer-in-time.ts";
import type { Engine } from "./engine.ts";
import { ADOPTED } from "./key-admin.ts";
import { toPriceTerm } from "./price-admin.ts";
import { toSealedCredential, toWrappedKey } from "./rows.ts";

/** Looks up sealed credentials for runs. */
export function createCredentialStore(engine: Engine, clock: Clock): CredentialStore {
  return {
    credentialsFor: (organizationId, source) =>
      answerInTime(engine, clock, async () => {
        const rows = await engine.reader
          .selectFrom("credentials")
          .selectAll()
          .where("organization_id", "=", organizationId)
          .where("source", "=", source)
          .where("deleted_wall_at", "is", null)
          .orderBy("created_wall_at", "desc")
          .orderBy("id", "desc")
          .execute();
        return rows.map(toSealedCredential);
      }),

    pricesFor: (organizationId, source) =>
      answerInTime(engine, clock, async () => {
        const rows = await engine.reader
          .selectFrom("credential_prices")
          .selectAll()
          .where("organization_id", "=", organizationId)
          .where("source", "=", source)
          .execute();
        const byCredential = Map.groupBy(rows, (row) => row.credential_id);
        return new Map([...byCredential].map(([id, own]) => [id, own.map(toPriceTerm)]));
      }),

    dataKey: (keyId) =>
      answerInTime(engine, clock, async () => {
        const row = await engine.reader.selectFrom("data_keys").selectAll().where("id", "=", keyId).executeTakeFirst();
        return row === undefined ? null : toWrappedKey(row);
      }),

    version: () => engine.version(),
  };
}

/**
 * Reads and writes of sealing and rotation. They do not count as changes: a newly sealed credential has the same
 * content, and its previous key still exists for processes with the old row in memory.
 */
export function createKeyStore(engine: Engine, clock: Clock): KeyStore {
  const { reader, writer } = engine;
  return {
    currentDataKey: async (organizationId) => {
      const row = await reader
        .selectFrom("data_keys")
        .selectAll()
        .where("organization_id", "=", organizationId)
        .orderBy("created_wall_at", "desc")
        .orderBy("id", "desc")
        .executeTakeFirst();
      return row === undefined ? null : toWrappedKey(row);
    },

    addDataKey: async (key) => {
      await writer
        .insertInto("data_keys")
        .values({
          id: key.id,
          organization_id: key.organizationId,
          root_key_id: key.rootKeyId,
          wrapped: key.wrapped,
          created_wall_at: clock.wall(),
        })
        .execute();
    },

    rootKeyIdsInUse: async () => {
      const rows = await reader.selectFrom("data_keys").select("root_key_id").distinct().execute();
      return rows.map((row) => row.root_key_id).sort();
    },

    registeredRootKey: async () => {
      const row = await reader
        .selectFrom("audit")
        .select(["subject_id", "detail"])
        .where("organization_id", "is", null)
        .where("what", "=", ADOPTED)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { proof } = JSON.parse(row.detail) as { readonly proof: string };
      return { id: row.subject_id, proof };
    },

    dataKeysAfter: async (id, limit) => {
      const rows = await reader
        .selectFrom("data_keys")
        .selectAll()
        .where("id", ">", id)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toWrappedKey);
    },

    rewrapDataKey: async (fromRootKeyId, to) => {
      const { numUpdatedRows } = await writer
        .updateTable("data_keys")
        .set({ root_key_id: to.rootKeyId, wrapped: to.wrapped })
        .where("id", "=", to.id)
        .where("root_key_id", "=", fromRootKeyId)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    sealedCredentialsAfter: async (id, limit) => {
      const rows = await reader
        .selectFrom("credentials")
        .selectAll()
        .where("id", ">", id)
        .where("deleted_wall_at", "is", null)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toSealedCredential);
    },

    resealCredential: async (from, to) => {
      const { numUpdatedRows } = await writer
        .updateTable("credentials")
        .set({ key_id: to.keyId, sealed: to.sealed })
        .where("id", "=", from.id)
        .where("version", "=", from.version)
        .where("key_id", "=", from.keyId)
        .where("deleted_wall_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
