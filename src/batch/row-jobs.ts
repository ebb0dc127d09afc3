import type { JsonObject } from "../terms/json/json.ts";
import { type FileRow, isReadable, type RowReader } from "../row-files/row-file.ts";
import type { BatchSpec } from "./batch-spec.ts";
import type { ToInputs } from "./map-columns.ts";
import type { PlannedTarget } from "./plan.ts";
import { isOpen } from "./read-answer.ts";
import type { BatchRecord } from "./record.ts";
import type { BatchState } from "./state-file.ts";

/** A row that is to be asked. */
export interface RowJob {
  readonly row: number;
  readonly inputs: JsonObject;
  readonly kept: JsonObject | null;
  /** The sources to ask: all of them, or those that were not called before. */
  readonly sources: readonly string[];
  /** The record of the sources that were called before. */
  readonly previous: BatchRecord | null;
  /** How often sources of it were not called. */
  readonly tries: number;
}

/** A row for which nothing can be asked. */
export interface RejectedRow {
  readonly row: number;
  readonly reasons: readonly string[];
  readonly values: JsonObject | null;
}

export interface CheckedRow {
  readonly inputs: JsonObject;
  /** For each source or the function: a phrase about the first invalid input, or null. */
  readonly problems: readonly (string | null)[];
}

export function checkRow(values: JsonObject, toInputs: ToInputs, targets: readonly PlannedTarget[]): CheckedRow {
  const inputs = toInputs(values);
  return { inputs, problems: targets.map((target) => target.inputProblem(inputs)) };
}

export interface JobParts {
  readonly spec: BatchSpec;
  readonly targets: readonly PlannedTarget[];
  readonly toInputs: ToInputs;
  readonly state: BatchState;
  /** The only rows to ask; `null`: all. */
  readonly selected: ReadonlySet<number> | null;
  /** Asks rows again whose answers are lost, or may be. */
  readonly again: boolean;
  recordOf(row: number): BatchRecord | null;
}

/** The rows of the file that are to be asked or rejected, in its order. */
export async function* rowJobs(reader: RowReader, parts: JobParts): AsyncGenerator<RowJob | RejectedRow, void, void> {
  for await (const piece of reader.pieces) {
    for (const row of piece) {
      const job = toJob(row, parts);
      if (job !== null) yield job;
    }
  }
}

export function isRejected(job: RowJob | RejectedRow): job is RejectedRow {
  return "reasons" in job;
}

function toJob(row: FileRow, parts: JobParts): RowJob | RejectedRow | null {
  const { spec, targets, toInputs, state, selected, again, recordOf } = parts;
  if (selected !== null && !selected.has(row.number)) return null;
  const rowState = state.of(row.number);
  const isToBeAsked =
    rowState === "none" || rowState === "open" || (again && (rowState === "lost" || rowState === "asked"));
  if (!isToBeAsked) return null;
  if (!isReadable(row)) return { row: row.number, reasons: [row.problem], values: null };
  const { inputs, problems } = checkRow(row.values, toInputs, targets);
  const { length } = problems.filter((problem) => problem !== null);
  if (length > 0 && length === problems.length)
    return { row: row.number, reasons: reasonsOf(problems, targets), values: row.values };
  const previous = rowState === "none" ? null : recordOf(row.number);
  const kept = Object.fromEntries(spec.kept.map((column) => [column, row.values[column] ?? null]));
  return {
    row: row.number,
    inputs,
    kept: spec.kept.length === 0 ? null : kept,
    sources: previous?.sources === undefined ? spec.sources : openSources(previous),
    previous,
    tries: 0,
  };
}

export function openSources({ sources = {} }: BatchRecord): readonly string[] {
  return Object.entries(sources).flatMap(([source, entry]) => (isOpen(entry) ? [source] : []));
}

function reasonsOf(problems: readonly (string | null)[], targets: readonly PlannedTarget[]): readonly string[] {
  return problems.flatMap((problem, at) => (problem === null ? [] : [`${targets[at]!.id}: ${problem}`]));
}
