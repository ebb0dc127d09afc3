import { ExactNumber } from "../terms/json/exact-number.ts";
import { csvLine, type Cell } from "../terms/text/csv-line.ts";
import { createFile } from "./create-file.ts";
import type { Json } from "../terms/json/json.ts";
import type { Column, RowWriter } from "./row-file.ts";

/**
 * Writes CSV as in RFC 4180, with a header. Texts that a spreadsheet would take for a formula get a `'` in front, names
 * of columns too; numbers do not. It is not taken away again when such a file is read.
 */
export async function openCsvWriter(path: string, columns: readonly Column[]): Promise<RowWriter> {
  const file = await createFile(path);
  await file.write(csvLine(columns.map(({ name }) => name)));
  return {
    write: (rows) =>
      file.write(rows.map((row) => csvLine(columns.map(({ name, type }) => toCell(row[name], type)))).join("")),
    end: () => file.end(),
  };
}

function toCell(value: Json | undefined, type: Column["type"]): Cell {
  if (value === undefined || value === null) return null;
  if (type === "moment") return new Date(value as number).toISOString();
  if (typeof value === "string") return type === "json" ? JSON.stringify(value) : value;
  if (typeof value === "number" || value instanceof ExactNumber) return value;
  return typeof value === "boolean" ? String(value) : JSON.stringify(value);
}
