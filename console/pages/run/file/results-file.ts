import { type Cell, csvOf } from "../../../parts/csv.ts";
import { entriesOf } from "../answer.ts";
import type { FileRun, RowResult } from "./file-run.ts";

/** The results as JSON Lines: the whole answer of each row that has one. */
export function toJsonLines({ results }: Pick<FileRun, "results">): string {
  return results
    .map(({ row, inputs, state, answer, error }) =>
      JSON.stringify({ row, inputs, state, answer: answer ?? null, error: error?.message ?? null }),
    )
    .join("\n")
    .concat("\n");
}

/** The results as CSV, with the output of each source as JSON. */
export function toCsv({ results, sources }: Pick<FileRun, "results" | "sources">): string {
  const head = sources.flatMap((id) =>
    ["outcome", "message", "response_time_ms", "output"].map((name) => `${id}.${name}`),
  );
  const names = [...new Set(results.flatMap(({ inputs }) => Object.keys(inputs)))];
  const lines = results.map((result) => [
    result.row,
    result.state,
    textOf(result.answer?.["transaction_id"]),
    result.error?.message ?? null,
    ...names.map((name) => textOf(result.inputs[name])),
    ...sources.flatMap((id) => cellsOf(result, id)),
  ]);
  const columns = ["row", "state", "transaction_id", "error", ...names.map((name) => `input.${name}`), ...head];
  return csvOf([columns, ...lines]);
}

function cellsOf({ answer }: RowResult, id: string): readonly Cell[] {
  const entry = answer && entriesOf(answer, { sources: [] })?.find((one) => one.id === id);
  if (entry === undefined) return [null, null, null, null];
  return [entry.says, entry.message, entry.tookMs, JSON.stringify(entry.output ?? null)];
}

function textOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}
