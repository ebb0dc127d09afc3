import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import type { Column, ColumnType, FileRowValues } from "../row-files/row-file.ts";
import type { BatchRecord } from "./record.ts";

/** A record as one row of a table: names of nested objects are joined by dots, and a list is one cell. */
export function flattenRecord(record: BatchRecord): FileRowValues {
  const {
    row,
    ref,
    asked_at,
    took_ms,
    http_status,
    transaction_id,
    inputs,
    kept,
    sources = {},
    function: ran,
  } = record;
  const cells: Record<string, Json> = { row, ref, asked_at, took_ms, http_status, transaction_id };
  if (kept !== undefined) for (const [name, value] of Object.entries(kept)) cells[`kept.${name}`] = value;
  flattenInto(cells, "input", inputs);
  for (const [source, { success, match, message, response_time_ms, failure, charged, cost, output }] of Object.entries(
    sources,
  )) {
    cells[`${source}.success`] = success;
    cells[`${source}.match`] = match;
    cells[`${source}.message`] = message;
    cells[`${source}.response_time_ms`] = response_time_ms;
    cells[`${source}.failure_kind`] = failure?.kind ?? null;
    cells[`${source}.charged`] = charged;
    cells[`${source}.cost`] = cost?.amount ?? null;
    cells[`${source}.currency`] = cost?.currency ?? null;
    flattenInto(cells, `${source}.output`, output);
  }
  if (ran !== undefined) {
    const { id, success, message, response_time_ms, failure, output, pipes } = ran;
    cells[`${id}.success`] = success;
    cells[`${id}.message`] = message;
    cells[`${id}.response_time_ms`] = response_time_ms;
    cells[`${id}.failure_kind`] = failure?.kind ?? null;
    flattenInto(cells, `${id}.output`, output);
    flattenInto(cells, `${id}.pipes`, pipes);
  }
  return cells;
}

function flattenInto(cells: Record<string, Json>, path: string, value: JsonObject): void {
  for (const [name, inner] of Object.entries(value)) {
    const at = `${path}.${name}`;
    if (isJsonObject(inner) && Object.keys(inner).length > 0) flattenInto(cells, at, inner);
    else cells[at] = inner;
  }
}

/** More columns than a spreadsheet or a person can use: a source returns names that are data. */
const COLUMNS_MAX = 10_000;

/** Finds the columns of flattened records and their types, in a first pass over all of them. */
export class ColumnFinder {
  readonly #types = new Map<string, ColumnType | null>();

  /** @throws RangeError if the records have too many different names */
  add(cells: FileRowValues): void {
    for (const [name, value] of Object.entries(cells)) {
      const [before, own] = [this.#types.get(name), typeOf(name, value)];
      if (before === undefined && this.#types.size === COLUMNS_MAX)
        throw new RangeError(`The records have more than ${COLUMNS_MAX} columns: choose an --out that ends in .jsonl.`);
      this.#types.set(
        name,
        before === undefined || before === null ? own : own === null ? before : common(before, own),
      );
    }
  }

  /** Columns of one source stay together, in the order in which they were first seen. */
  columns(order: readonly string[]): readonly Column[] {
    const groupOf = (name: string) => {
      const at = order.findIndex((id) => name.startsWith(`${id}.`));
      return name.startsWith("kept.") ? 1 : name.startsWith("input.") ? 2 : at === -1 ? 0 : at + 3;
    };
    return [...this.#types]
      .map(([name, type]) => ({ name, type: type ?? ("text" as const) }))
      .sort((one, other) => groupOf(one.name) - groupOf(other.name));
  }
}

function typeOf(name: string, value: Json): ColumnType | null {
  if (value === null) return null;
  if (name.endsWith(".cost") && !name.includes(".output.") && !name.startsWith("kept.") && !name.startsWith("input."))
    return "amount";
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return "json";
}

function common(one: ColumnType, other: ColumnType): ColumnType {
  if (one === other) return one;
  const both = new Set([one, other]);
  return both.has("integer") && both.has("number") ? "number" : "json";
}
