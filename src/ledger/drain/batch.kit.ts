import type { RowsInColumns } from "../ports.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The rows of one table of a batch, with the names of their columns. */
export function rowsOf(columns: RowsInColumns): readonly Row[] {
  const count = columns[0]?.values.length ?? 0;
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(columns.map(({ name, values }) => [name, values[at]])),
  );
}
