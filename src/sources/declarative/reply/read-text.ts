import { Fault } from "../../../terms/fault.ts";
import { JSON_VALUES_MAX, type Json, type JsonObject } from "../../../terms/json/json.ts";
import type { ReadingFile } from "../format/exchange-format.ts";
import { CsvProblem, readCells } from "./read-csv.ts";

/** Limit for CSV. Parsing takes some milliseconds per megabyte and blocks all other requests meanwhile. */
const CSV_CHARACTERS_MAX = 2 * 1024 * 1024;
/** The memory that a text or a list takes besides its characters. */
const PART_BYTES_HELD = 48;

type Reserve = (bytes: number) => void;

/** The lines of a text, which end in LF or CRLF. The end of the last line may be missing. @throws Fault */
export function readLines(text: string, reserve: Reserve): Json {
  assertCount(occurrences(text, "\n") + 1, "lines", reserve);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * The rows of CSV as in RFC 4180: an object for each row, or a list if no line names the columns. An empty cell is
 * `null`, and blank lines are no rows. @throws Fault
 */
export function readCsv(text: string, { delimiter = ",", header = true }: ReadingFile, reserve: Reserve): Json {
  if (text.length > CSV_CHARACTERS_MAX) throw unreadable("it is too large for a CSV reply");
  assertCount(occurrences(text, delimiter) + 2 * (occurrences(text, "\n") + 1), "cells", reserve);
  const rows = cellsOf(text, delimiter).map((row) => row.map((cell) => (cell === "" ? null : cell)));
  if (rows.some(({ length }) => length !== rows[0]!.length))
    throw unreadable("its lines do not have the same number of cells");
  if (!header) return rows;
  const [names = [], ...others] = rows;
  const columns = names.map((name) => name?.trim() ?? "");
  if (new Set(columns).size < columns.length) throw unreadable("its first line does not name each column once");
  return others.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
}

function cellsOf(text: string, delimiter: string): readonly string[][] {
  try {
    return readCells(text, delimiter);
  } catch (error) {
    throw error instanceof CsvProblem ? unreadable(`it is not CSV: ${error.message}`) : error;
  }
}

/** The fields of a URL-encoded form. A field that occurs several times is a list. @throws Fault */
export function readForm(text: string, reserve: Reserve): Json {
  assertCount(occurrences(text, "&") + 1, "fields", reserve);
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text.trim())) {
    const before = fields.get(name);
    if (Array.isArray(before)) before.push(value);
    else fields.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(fields) as JsonObject;
}

function assertCount(count: number, what: string, reserve: Reserve): void {
  if (count > JSON_VALUES_MAX) throw unreadable(`it has too many ${what}`);
  reserve(count * PART_BYTES_HELD);
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

function unreadable(problem: string): Fault {
  return new Fault("source.contract", { problem });
}
