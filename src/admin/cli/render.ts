import type { Verb } from "../verb.ts";
import { isJsonObject, type Json, type JsonObject } from "../../terms/json/json.ts";
import { printable } from "../../terms/text/printable.ts";
import { alignColumns } from "../align-columns.ts";

/** A result for people: each field on a line, and each list of objects as a table. */
export function renderResult(
  result: JsonObject,
  { nothing = {}, columns = {}, cells = {} }: Pick<Verb, "nothing" | "columns" | "cells"> = {},
): string {
  const fields = Object.entries(result);
  const plain = fields.filter(([, value]) => !isTable(value));
  const tables = fields.filter(([, value]) => isTable(value));
  const blocks = [
    ...(plain.length === 0 ? [] : [alignColumns(plain.map(([name, value]) => [name, cell(value)]))]),
    ...tables.map(([name, rows]) =>
      renderTable(rows as readonly JsonObject[], nothing[name] ?? none(name), columns[name], cells),
    ),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function isTable(value: Json): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}

function none(name: string): string {
  return `no ${name.replaceAll("_", " ")}`;
}

function renderTable(
  rows: readonly JsonObject[],
  nothing: string,
  shown: readonly string[] | undefined,
  cells: NonNullable<Verb["cells"]>,
): string {
  if (rows.length === 0) return nothing;
  // A column that is empty in all rows is left out, such as a field of another kind of row.
  const columns = shown?.filter((column) => rows.some((row) => column in row)) ?? Object.keys(rows[0]!);
  return alignColumns([
    columns.map((column) => column.toUpperCase().replaceAll("_", " ")),
    ...rows.map((row) =>
      columns.map((column) => {
        const value = row[column] ?? null;
        return isTable(value) ? cell(cells[column]?.(value as readonly JsonObject[]) ?? value) : cell(value);
      }),
    ),
  ]);
}

function cell(value: Json): string {
  if (value === null || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) {
    return value.length === 0 ? "-" : value.map(printable).join(", ");
  }
  if (isJsonObject(value)) {
    const parts = pairs(value, "");
    return parts.length === 0 ? "-" : parts.join(" ");
  }
  return printable(JSON.stringify(value));
}

/** Prefixes the fields of a nested object with its name, because a line does not show where the object ends. */
function pairs(object: JsonObject, within: string): string[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const full = `${within}${printable(name)}`;
    const isNested = isJsonObject(value) && Object.keys(value).length > 0;
    return isNested ? pairs(value, `${full}.`) : [`${full}=${cell(value)}`];
  });
}
