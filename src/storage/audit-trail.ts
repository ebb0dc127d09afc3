import { type Selectable, sql } from "kysely";
import type { AuditEntry, AuditTrail } from "../admin/ports.ts";
import { firstIdAt } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Engine } from "./engine.ts";
import { readPage } from "./read-page.ts";
import { insertAuditEntry, recordChange } from "./record-change.ts";
import type { Tables } from "./tables.ts";

export function createAuditTrail(engine: Engine): AuditTrail {
  return {
    recordAct: async (act, entry) => {
      if (act.state !== undefined) {
        await recordChange(engine, act, async () => ({ result: true, entry }));
        return;
      }
      await engine.writer.transaction().execute((transaction) => insertAuditEntry(transaction, act, entry));
    },

    auditEntries: async ({ organizationId, who, what, subjectId, from, to, ...page }) => {
      const chosen = engine.reader
        .selectFrom("audit")
        .selectAll()
        .$if(organizationId !== undefined, (query) => query.where("organization_id", "=", organizationId!))
        .$if(who !== undefined, (query) => query.where("who", "=", who!))
        .$if(what !== undefined, (query) => query.where("what", "=", what!))
        .$if(subjectId !== undefined, (query) => query.where("subject_id", "=", subjectId!))
        .$if(from !== undefined, (query) => query.where("id", ">=", firstIdAt("audit", from!)))
        .$if(to !== undefined, (query) => query.where("id", "<", firstIdAt("audit", to!)));
      return (await readPage(chosen, page)).map(toAuditEntry);
    },

    actors: () => eachOf(engine, "who"),
    acts: () => eachOf(engine, "what"),

    actsBetween: async (what, from, to) => {
      const rows = await engine.reader
        .selectFrom("audit")
        .selectAll()
        .where("what", "in", what)
        .where("id", ">=", firstIdAt("audit", from))
        .where("id", "<", firstIdAt("audit", to))
        .orderBy("id")
        .execute();
      return rows.map(toAuditEntry);
    },
  };
}

const DIFFERENT_MAX = 10_000;

/** Steps through an index from value to value, without reading the entries between them. */
async function eachOf({ reader }: Engine, column: "who" | "what"): Promise<readonly string[]> {
  const own = sql.ref(column);
  const { rows } = await sql<{ readonly value: string }>`
    with recursive s(value) as (
      select min(${own}) from audit
      union all select (select min(${own}) from audit where ${own} > s.value) from s where s.value is not null)
    select value from s where value is not null limit ${DIFFERENT_MAX}`.execute(reader);
  return rows.map(({ value }) => value).toSorted();
}

export function toAuditEntry(row: Selectable<Tables["audit"]>): AuditEntry {
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
