import { toStored } from "./stored-text.ts";

/*
 * The building blocks of `columns.ts`, and what is derived from a table of columns.
 */

/** The type of a column: text or whole number, possibly null. `Value` checks our own code at compile time. */
export interface ValueType<Value> {
  readonly type: "text" | "json" | "whole";
  /** Replaces a value of another type, since no record may be refused because of its content. */
  readonly otherwise: Value;
  /** One of a few texts that repeat often. The journal stores a number for it. */
  readonly isName: boolean;
  /** A time in milliseconds since 1970, which is shown to people as a date. */
  readonly isMoment: boolean;
  /** 0 or 1. */
  readonly isFlag: boolean;
}

interface ColumnOptions {
  /** Header in CSV exports. Without it the column is not exported. */
  readonly csv?: string;
  /** Its name in the journal, if that differs. */
  readonly inJournal?: string;
  /** The checksum itself, which cannot be part of the checksum. */
  readonly unchecked?: true;
  /** Added after the first release: null in older runs, whose intents lack it and whose checksums must not change. */
  readonly later?: true;
}

/** A column whose value comes from what the engine reports. */
export interface Recorded<From, Value> extends ColumnOptions {
  readonly valueType: ValueType<Value>;
  readonly from: (of: From) => Value;
  /** The value is known when a run starts, and is written to the intent file. */
  readonly inIntent: boolean;
}

/** A column whose value is derived from others, or set by people later. */
export interface Derived<Value> extends ColumnOptions {
  readonly valueType: ValueType<Value>;
  readonly from: null;
}

export type Columns = Readonly<Record<string, Recorded<never, unknown> | Derived<unknown>>>;

export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]: Table[Name]["valueType"] extends ValueType<infer Value> ? Value : never;
};

type RecordedNames<Table extends Columns> = {
  [Name in keyof Table]: Table[Name]["from"] extends null ? never : Name;
}[keyof Table];

export type RecordedRow<Table extends Columns> = Pick<RowOf<Table>, RecordedNames<Table>>;

/** The input from which all recorded columns of a table are computed. */
export type RecordSource<Table extends Columns> = Table[RecordedNames<Table>]["from"] extends infer From
  ? From extends (of: never) => unknown
    ? Parameters<From>[0]
    : never
  : never;

export function recorded<From>({ inIntent = false } = {}) {
  return <Value>(
    valueType: ValueType<Value>,
    from: (of: From) => NoInfer<Value>,
    options: ColumnOptions = {},
  ): Recorded<From, Value> => ({ ...options, valueType, from, inIntent });
}

export function derived<Value>(valueType: ValueType<Value>, options: ColumnOptions = {}): Derived<Value> {
  return { ...options, valueType, from: null };
}

// ---- types of columns -----------------------------------------------------------------------------------------------

/** Any text, stored as it is. */
export function text<Value extends string = string>(): ValueType<Value> {
  return createValueType("text", "" as Value);
}

export function textOrNull<Value extends string = string>(): ValueType<Value | null> {
  return createValueType("text", null);
}

/** A text that repeats from run to run. */
export function name<Value extends string = string>(): ValueType<Value> {
  return { ...text<Value>(), isName: true };
}

export function nameOrNull<Value extends string = string>(): ValueType<Value | null> {
  return { ...textOrNull<Value>(), isName: true };
}

/** JSON that we produce; its texts are already in stored form. */
export const jsonOrNull: ValueType<string | null> = createValueType("json", null);
export const whole: ValueType<number> = createValueType("whole", 0);
export const wholeOrNull: ValueType<number | null> = createValueType("whole", null);
export const moment: ValueType<number> = { ...whole, isMoment: true };
export const flag: ValueType<0 | 1> = { ...createValueType<0 | 1>("whole", 0), isFlag: true };
export const flagOrNull: ValueType<0 | 1 | null> = { ...createValueType<0 | 1 | null>("whole", null), isFlag: true };

function createValueType<Value>(type: ValueType<Value>["type"], otherwise: Value): ValueType<Value> {
  return { type, otherwise, isName: false, isMoment: false, isFlag: false };
}

/** Converts a value from a file or another thread, which may be anything, to the type of the column. */
export function formed<Value>({ type, otherwise }: ValueType<Value>, raw: unknown): Value {
  if (type === "whole") return typeof raw === "number" && Number.isFinite(raw) ? (toWhole(raw) as Value) : otherwise;
  if (typeof raw !== "string") return otherwise;
  return (type === "json" ? raw : toStored(raw)) as Value;
}

/** Adding 0 turns negative zero, which no column can hold, into zero. */
function toWhole(value: number): number {
  return Math.round(value) + 0;
}

// ---- derived from a table -------------------------------------------------------------------------------------------

export function namesOf<Table extends Columns>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table);
}

export function listOf<Table extends Columns>(
  table: Table,
): readonly { readonly name: keyof Table & string; readonly column: Table[keyof Table] }[] {
  return namesOf(table).map((name) => ({ name, column: table[name] }));
}

/** A column, and its name in the ledger. */
export interface Named {
  readonly name: string;
  readonly column: Columns[string];
}

/**
 * The order of values in a row without names: first the columns of the first release, then later columns, then columns
 * outside the checksum. Each group has the order of the table.
 */
export interface Positions {
  readonly columns: readonly Named[];
  /** The number of columns of the first release, and of columns in the checksum. */
  readonly first: number;
  readonly checked: number;
}

export function positionsOf(table: Columns): Positions {
  const checked = listOf(table).filter(({ column }) => column.unchecked !== true);
  const first = checked.filter(({ column }) => column.later !== true);
  const later = checked.filter(({ column }) => column.later === true);
  const unchecked = listOf(table).filter(({ column }) => column.unchecked === true);
  return { columns: [...first, ...later, ...unchecked], first: first.length, checked: checked.length };
}

export function positionOf<Table extends Columns>(table: Table, name: keyof Table): number {
  return positionsOf(table).columns.findIndex((column) => column.name === name);
}

/** The columns for a SELECT, from a table with that alias. */
export function selectionOf(table: Columns, alias: string): string {
  return namesOf(table)
    .map((name) => `${alias}.${name}`)
    .join(", ");
}
