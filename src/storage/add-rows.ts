import { type RawBuilder, sql, type Transaction } from "kysely";
import type { ColumnValues, RowsInColumns } from "../ledger/ports.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./tables.ts";
import { toStorable } from "./storable-text.ts";

interface Addition {
  readonly table: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  readonly rows: RowsInColumns;
  /** Rows are added in the order of this column. */
  readonly orderedBy?: string;
  /** The new values of this column are returned. */
  readonly returning?: string;
  /** The change of an existing row; by default it stays unchanged. */
  readonly change?: RawBuilder<unknown>;
}

/**
 * Adds missing rows. The statement has one parameter per column, or one for all columns. A parameter for each column of
 * each row would cost more than all other work on a row.
 */
export async function addRows(
  engine: Engine["name"],
  transaction: Transaction<Tables>,
  { table, key, rows, orderedBy, returning, change = sql`nothing` }: Addition,
): Promise<readonly string[]> {
  // The type of a column cannot be derived if every value is null.
  const known = rows.filter(({ values }) => values.some((value) => value !== null));
  if (known.length === 0) return [];
  const columns = sql.join(known.map(({ name }) => sql.ref(name)));
  const from = engine === "postgres" ? fromArrays(known) : fromJson(known);
  const order = orderedBy === undefined ? sql`` : sql`order by ${sql.ref(orderedBy)}`;
  const returns = returning === undefined ? sql`` : sql`returning ${sql.ref(returning)} as returned`;
  const added = await sql<{ returned: string }>`insert into ${sql.table(table)} (${columns}) ${from} ${order}
    on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do ${change} ${returns}`.execute(transaction);
  return added.rows.map((row) => row.returned);
}

/** Converts rows with the same columns. */
export function inColumns(rows: readonly object[]): RowsInColumns {
  return Object.keys(rows[0] ?? {}).map((name) => {
    const values = rows.map((row) => row[name as never] as ColumnValues["values"][number]);
    return { name, isText: values.some((value) => typeof value === "string"), values };
  });
}

function fromArrays(rows: RowsInColumns): RawBuilder<unknown> {
  const arrays = rows.map(({ isText, values }) => sql`${array(values)}::${sql.raw(isText ? "text" : "bigint")}[]`);
  const names = sql.join(rows.map(({ name }) => sql.ref(name)));
  return sql`select * from unnest(${sql.join(arrays)}) as added (${names})`;
}

/** An array in PostgreSQL's syntax. The driver's own conversion processes each value separately. */
function array(values: ColumnValues["values"]): string {
  const json = JSON.stringify(values);
  // JSON and PostgreSQL have the same syntax unless a character is escaped.
  if (!json.includes("\\")) return `{${json.slice(1, -1)}}`;
  const quoted = values.map((value) => (value === null ? "null" : `"${String(value).replaceAll(/["\\]/g, "\\$&")}"`));
  return `{${quoted.join(",")}}`;
}

/** JSON escapes that no database can store as characters (`storable-text.ts`). */
const UNSTORABLE = /\\u(?:0000|001a|d[89a-f])/;

function fromJson(rows: RowsInColumns): RawBuilder<unknown> {
  const count = rows[0]!.values.length;
  const objects = Array.from({ length: count }, (_, at) => rows.map(({ values }) => values[at]));
  const values = sql.join(rows.map(({ name }, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(name)}`));
  let json = JSON.stringify(objects);
  if (UNSTORABLE.test(json))
    json = JSON.stringify(objects, (_name, value: unknown) => (typeof value === "string" ? toStorable(value) : value));
  return sql`select ${values} from json_each(${json}) where true`;
}
