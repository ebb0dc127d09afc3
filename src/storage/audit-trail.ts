import type { Selectable } from "kysely";
import type { AuditEntry, AuditTrail } from "../admin/ports.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Engine } from "./engine.ts";
import { readPage } from "./read-page.ts";
import { insertAuditEntry } from "./record-change.ts";
import type { Tables } from "./schema.ts";

export function createAuditTrail(engine: Engine): AuditTrail {
  return {
    recordAct: async (act, entry) => {
      await engine.writer.transaction().execute((transaction) => insertAuditEntry(transaction, act, entry));
    },

    auditEntries: async ({ organizationId, ...page }) => {
      const all = engine.reader.selectFrom("audit").selectAll();
      const chosen = organizationId === undefined ? all : all.where("organization_id", "=", organizationId);
      return (await readPage(chosen, page)).map(toEntry);
    },

    actsBetween: async (what, from, to) => {
      const rows = await engine.reader
        .selectFrom("audit")
        .selectAll()
        .where("what", "in", what)
        .where("wall_at", ">=", from)
        .where("wall_at", "<", to)
        .orderBy("id")
        .execute();
      return rows.map(toEntry);
    },
  };
}

function toEntry(row: Selectable<Tables["audit"]>): AuditEntry {
  return {
    id: row.id,
    wallAt: row.wall_at,
    who: row.who,
    via: row.via as AuditEntry["via"],
    what: row.what,
    organizationId: row.organization_id,
    subjectId: row.subject_id,
    detail: JSON.parse(row.detail) as JsonObject,
  };
}
