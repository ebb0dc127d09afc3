import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { FoundObject, ObjectFinder } from "../admin/ports.ts";
import { AFTER_DIGITS, PREFIX } from "../terms/ids.ts";
import type { Engine } from "./engine.ts";
import { nameKeysOf } from "./name-key.ts";
import { inBatches } from "./read-page.ts";

/** The kinds with their tables, and what is shown as the name. */
const TABLES = [
  { kind: "organization", prefix: PREFIX.organization, table: "organizations", name: "name", of: "id" },
  { kind: "workflow", prefix: PREFIX.workflow, table: "workflows", name: "name", of: "organization_id" },
  { kind: "token", prefix: PREFIX.token, table: "tokens", name: "name", of: "organization_id" },
  {
    kind: "credential",
    prefix: PREFIX.credential,
    table: "credentials",
    name: "coalesce(name, source)",
    of: "organization_id",
  },
  { kind: "budget", prefix: PREFIX.budget, table: "budgets", name: "source", of: "organization_id" },
  { kind: "operator", prefix: PREFIX.operator, table: "operators", name: "name", of: null },
] as const;

type SearchedTable = (typeof TABLES)[number];

/** Number of newest rows that are searched for a text anywhere in the name. */
const SEARCHED_MAX = 2_000;

/** Finds rows by keys and indexes, so that its duration does not grow with the store. */
export function createObjectFinder({ reader }: Engine): ObjectFinder {
  async function ask(kept: SearchedTable, condition: RawBuilder<SqlBool>, limit: number, order = sql`id desc`) {
    const { kind, table, name, of } = kept;
    const organization = of === null ? sql<string | null>`null` : sql.ref<string | null>(of);
    const rows = await sql<{ id: string; name: string | null; organization: string | null }>`
      select id, ${sql.raw(name)} as name, ${organization} as organization from ${sql.table(table)}
      where ${condition} order by ${order} limit ${limit}`.execute(reader);
    return rows.rows.map((row): FoundObject => ({
      kind,
      id: row.id,
      name: row.name,
      organizationId: row.organization,
    }));
  }

  return {
    findById: async (beginning, limit) => {
      const kept = TABLES.find(({ prefix }) => beginning.startsWith(prefix));
      if (kept === undefined) return null;
      const known = kept.table === "credentials" ? sql<SqlBool>`and deleted_wall_at is null` : sql``;
      return ask(kept, sql`id >= ${beginning} and id < ${beginning + AFTER_DIGITS} ${known}`, limit);
    },

    findByName: async (text, limit) => {
      const part = folded(text);
      const has = ({ name }: FoundObject): boolean => folded(name ?? "").includes(part);
      const found = new Map<string, FoundObject>();
      for (const kept of TABLES.filter(({ kind }) => BY_NAME.has(kind))) {
        const first: FoundObject[] = [];
        const own = sql.raw<SqlBool>(SEARCHED[kept.kind] ?? "true");
        for (const key of nameKeysOf(text)) {
          const begins = sql<SqlBool>`name_key >= ${key} and name_key < ${key + AFTER_DIGITS} and ${own}`;
          first.push(...(await ask(kept, begins, limit, sql`name_key, id`)));
        }
        // Databases differ in the lower case of letters, so names are compared here.
        const newest = await ask(kept, own, SEARCHED_MAX);
        for (const one of [...first.filter(has), ...newest.filter(has).slice(0, limit)]) found.set(one.id, one);
      }
      return [...found.values()];
    },

    findByDigest: async (digest) => {
      for (const kept of TABLES.filter(({ table }) => table === "tokens" || table === "operators")) {
        const [found] = await ask(kept, sql<SqlBool>`digest = ${digest}`, 1);
        if (found !== undefined) return found;
      }
      return null;
    },

    findByIds: async (ids) => {
      const found = new Map<string, FoundObject>();
      const wanted = Map.groupBy(new Set(ids), (id) => TABLES.find(({ prefix }) => id?.startsWith(prefix) === true));
      for (const [kept, own] of wanted) {
        if (kept === undefined) continue;
        const rows = await inBatches(own as string[], (part) => ask(kept, sql`id in (${sql.join(part)})`, part.length));
        for (const one of rows) found.set(one.id, one);
      }
      return found;
    },
  };
}

/** Without capitals, and with each letter in one of its Unicode forms. */
function folded(name: string): string {
  return name.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

const BY_NAME: ReadonlySet<string> = new Set(["organization", "workflow", "token", "credential", "operator"]);

/** The rows of a kind that are searched by name. Each run by an operator leaves a revoked token. */
const SEARCHED: Partial<Record<FoundObject["kind"], string>> = {
  token: "revoked_wall_at is null",
  credential: "name_key is not null and deleted_wall_at is null",
};
