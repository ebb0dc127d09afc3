import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Engine } from "./engine.ts";
import type { Tables } from "./schema.ts";
import { toStorable } from "./storable-text.ts";

type Row = Readonly<Record<string, string | number | null>>;

interface Addition {
  readonly table: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** All with the same columns. */
  readonly rows: readonly object[];
  /** A column of which the values that are new are returned. */
  readonly returning?: string;
  /** What happens to a row that is there; nothing unless given. */
  readonly change?: RawBuilder<unknown>;
}

/**
 * Adds the rows that are not there yet. The statement has one value for each column, or one for all of them, and not one for each
 * column of each row, which would cost more than everything else that is done for a row.
 */
export async function addRows(
  engine: Engine["name"],
  transaction: Transaction<Tables>,
  { table, key, rows, returning, change = sql`nothing` }: Addition,
): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const { names, from } = (engine === "postgres" ? asArrays : asJson)(rows as readonly Row[]);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const returns = returning === undefined ? sql`` : sql`returning ${sql.ref(returning)} as returned`;
  const added = await sql<{ returned: string }>`insert into ${sql.table(table)} (${columns}) ${from}
    on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do ${change} ${returns}`.execute(transaction);
  return added.rows.map((row) => row.returned);
}

interface Selection {
  readonly names: readonly string[];
  readonly from: RawBuilder<unknown>;
}

/** Columns in which every value is null are left out, because nothing tells their type. */
function asArrays(rows: readonly Row[]): Selection {
  const arrays = Object.keys(rows[0]!).flatMap((name) => {
    const values = rows.map((row) => row[name]!);
    const some = values.find((value) => value !== null);
    if (some === undefined) return [];
    return [
      { name, array: typeof some === "number" ? sql`${numbers(values)}::bigint[]` : sql`${texts(values)}::text[]` },
    ];
  });
  return {
    names: arrays.map(({ name }) => name),
    from: sql`select * from unnest(${sql.join(arrays.map(({ array }) => array))})`,
  };
}

/* Arrays as PostgreSQL writes them. The driver's own conversion treats each value alone. */

function numbers(values: readonly Row[string][]): string {
  return `{${values.map(String).join(",")}}`;
}

function texts(values: readonly Row[string][]): string {
  const json = JSON.stringify(values);
  // JSON and PostgreSQL write the same unless something is escaped.
  if (!json.includes("\\")) return `{${json.slice(1, -1)}}`;
  const quoted = values.map((value) => (value === null ? "null" : `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`));
  return `{${quoted.join(",")}}`;
}

/** What JSON escapes and no database stores as it is (`storable-text.ts`). */
const UNSTORABLE = /\\u(?:0000|001a|d[89a-f])/;

function asJson(rows: readonly Row[]): Selection {
  const names = Object.keys(rows[0]!);
  const values = sql.join(names.map((name) => sql`value ->> ${sql.lit(name)}`));
  let json = JSON.stringify(rows);
  if (UNSTORABLE.test(json))
    json = JSON.stringify(rows, (_name, value: unknown) => (typeof value === "string" ? toStorable(value) : value));
  return { names, from: sql`select ${values} from json_each(${json}) where true` };
}
