import type { AttemptIntent, RunIntent, RunReport } from "../../run/ports.ts";
import {
  formed,
  listOf,
  positionOf,
  positionsOf,
  type Columns,
  type RecordedRow,
  type RecordSource,
} from "../column.ts";
import {
  ATTEMPT_COLUMNS,
  CALL_COLUMNS,
  INTENT_COLUMNS,
  isOfNoSource,
  RUN_COLUMNS,
  type IntentRow,
  type RunRow,
} from "../columns.ts";

/*
 * The form of records in the intent file and in messages to the journal's thread: the recorded values of a row without
 * their names, in an order that both sides derive from the tables of columns. JSON escapes every control character and
 * lone surrogate, so an id cannot end its line and is stored completely. An array takes half the space of an object.
 */

/** The values of a row. Values from a file can have any type. */
export type RecordLine = readonly unknown[];

/** A row by position, without its derived values. */
export type ReadValues = (string | number | null)[];

/** A whole run: intents and outcome in one record. */
export type RunRecordLine = readonly [run: RecordLine, calls: readonly CallLine[]];
export type CallLine = readonly [call: RecordLine, attempts: readonly RecordLine[]];

export interface LineForm<Of, Row> {
  /** Appends to `line` if it is present. */
  write(of: Of, line?: unknown[]): RecordLine;
  /** Writes a row with only some known values. */
  writeRow(row: Partial<Row>): RecordLine;
  /**
   * The values by position (see `positionsOf`), converted to the types of their columns, whatever the line contains.
   * Columns that are not in the line are null.
   */
  read(line: RecordLine): ReadValues;
  /** The unconverted values of the line. */
  readRaw(line: RecordLine): Partial<Row>;
  /** A shorter line is damaged, and none of its values are reliable. */
  readonly lengthMin: number;
}

type FormOf<Table extends Columns> = LineForm<RecordSource<Table>, RecordedRow<Table>>;

function lineForm<Table extends Columns>(table: Table, isIn: (column: Columns[string]) => boolean): FormOf<Table> {
  const inTable = listOf(table).flatMap(({ name, column }) =>
    column.from !== null && isIn(column)
      ? [
          {
            name,
            valueType: column.valueType,
            from: column.from as (of: unknown) => unknown,
            later: column.later === true,
          },
        ]
      : [],
  );
  // Lines of an older version lack the later columns at the end.
  const columns = [...inTable.filter(({ later }) => !later), ...inTable.filter(({ later }) => later)];
  const names = columns.map(({ name }) => name);
  const froms = columns.map(({ from }) => from);
  const valueTypes = columns.map((column) => column.valueType);
  const positions = names.map((name) => positionOf(table, name));
  const blank: ReadValues = positionsOf(table).columns.map(() => null);
  return {
    write(of, line = []) {
      for (let at = 0; at < froms.length; at += 1) line.push(froms[at]!(of));
      return line;
    },
    writeRow: (row) => columns.map(({ name }) => row[name as keyof typeof row]),
    read(line) {
      const row = blank.slice();
      for (let at = 0; at < positions.length; at += 1)
        row[positions[at]!] = formed(valueTypes[at]!, line[at]) as ReadValues[number];
      return row;
    },
    readRaw: (line) =>
      Object.fromEntries(columns.map(({ name }, at) => [name, line[at]])) as Partial<RecordedRow<Table>>,
    lengthMin: columns.filter(({ later }) => !later).length,
  };
}

const recorded = (): boolean => true;
export const RUN_LINE = lineForm(RUN_COLUMNS, recorded);
export const CALL_LINE = lineForm(CALL_COLUMNS, recorded);
export const ATTEMPT_LINE = lineForm(ATTEMPT_COLUMNS, recorded);
const RUN_INTENT_LINE = lineForm(RUN_COLUMNS, (column) => column.from !== null && column.inIntent) as LineForm<
  RunIntent,
  RunRow
>;
const INTENT_LINE = lineForm(INTENT_COLUMNS, recorded);

export function recordText(report: RunReport): string {
  const calls: CallLine[] = [];
  for (const call of report.calls) {
    if (isOfNoSource(call)) continue;
    calls.push([CALL_LINE.write(call), call.attempts.map((attempt) => ATTEMPT_LINE.write(attempt))]);
  }
  const record: RunRecordLine = [RUN_LINE.write(report), calls];
  return JSON.stringify(record);
}

// ---- the intent file -----------------------------------------------------------------------------------------------

/**
 * One line of the file: a run, before its first attempt; an attempt; or the vendor's number for the order of an
 * attempt.
 */
export type IntentLine =
  | { readonly of: "run"; readonly transactionId: string; readonly run: Partial<RunRow> }
  | { readonly of: "attempt"; readonly transactionId: string; readonly attempt: Partial<IntentRow> }
  | { readonly of: "order"; readonly transactionId: string; readonly ordinal: number; readonly orderId: string };

export function runIntentText(run: RunIntent): string {
  return JSON.stringify(RUN_INTENT_LINE.write(run, ["run"])) + "\n";
}

export function attemptIntentText(transactionId: string, intent: AttemptIntent): string {
  return JSON.stringify(INTENT_LINE.write(intent, ["attempt", transactionId])) + "\n";
}

export function orderText(transactionId: string, ordinal: number, orderId: string): string {
  return JSON.stringify(["order", transactionId, ordinal, orderId]) + "\n";
}

/** `null` for an unreadable line. */
export function parseIntent(text: string): IntentLine | null {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(line)) return null;
  const [of, transactionId, ...rest] = line as RecordLine;
  if (typeof transactionId !== "string") return null;
  if (of === "run" && rest.length + 1 >= RUN_INTENT_LINE.lengthMin)
    return { of, transactionId, run: RUN_INTENT_LINE.readRaw([transactionId, ...rest]) };
  if (of === "attempt" && rest.length >= INTENT_LINE.lengthMin)
    return { of, transactionId, attempt: INTENT_LINE.readRaw(rest) };
  const [ordinal, orderId] = rest;
  if (of === "order" && typeof ordinal === "number" && typeof orderId === "string")
    return { of, transactionId, ordinal, orderId };
  return null;
}
