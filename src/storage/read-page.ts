import type { SelectQueryBuilder } from "kysely";
import type { Page } from "../admin/ports.ts";
import type { Tables } from "./tables.ts";

/** A table whose ids begin with the time of creation. */
type Dated = "organizations" | "tokens" | "workflows" | "credentials" | "operators" | "audit" | "budgets";

/** One page in the order of ids, by the table's own key or an index that ends with it. */
export function readPage<Table extends Dated, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, after }: Page,
  order: "newest first" | "oldest first" = "newest first",
): Promise<Row[]> {
  const id = "id" as never;
  const isBack = order === "newest first";
  let page = query.orderBy(id, isBack ? "desc" : "asc");
  if (after !== undefined) page = page.where(id, isBack ? "<" : ">", after as never);
  if (limit !== undefined) page = page.limit(limit);
  return page.execute();
}

/** Few enough for one statement on either engine. */
const IDS_AT_ONCE = 500;

/** Reads rows that belong to the rows of a page. */
export async function inBatches<Row>(
  ids: readonly string[],
  read: (batch: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) rows.push(...(await read(ids.slice(at, at + IDS_AT_ONCE))));
  return rows;
}
