import { toStored } from "./stored-text.ts";

/*
 * What a column of the ledger is: the parts that `columns.ts` is written in, and what may be asked of any table there.
 */

/** What a column holds: a text, a whole number, or null too. `Value` holds code of ours to it. */
export interface Holds<Value> {
  readonly type: "text" | "json" | "whole";
  /** Stands where a value is none of these: no record may be refused for what it says. */
  readonly otherwise: Value;
  /** It is one of few texts that come again and again: in the journal stands its number. */
  readonly isName: boolean;
  /** It is a time, in milliseconds since 1970: people are shown a date. */
  readonly isMoment: boolean;
}

interface Options {
  /** Its header in an export as CSV. Left out: it is not there. */
  readonly csv?: string;
  /** The journal's name for it, where that is another. */
  readonly inJournal?: string;
  /** Left out of the checksum, since it is the checksum. */
  readonly unchecked?: true;
  /** Came after the first release: null in older runs, whose intents lack it and whose checksums must not change. */
  readonly later?: true;
}

/** A column whose value comes from what the engine reports. */
export interface Recorded<From, Value> extends Options {
  readonly holds: Holds<Value>;
  readonly from: (of: From) => Value;
  /** It is known when a run starts, and stands in the intent file. */
  readonly inIntent: boolean;
}

/** A column whose value is made of others, or by people later. */
export interface Made<Value> extends Options {
  readonly holds: Holds<Value>;
  readonly from: null;
}

export type Columns = Readonly<Record<string, Recorded<never, unknown> | Made<unknown>>>;

export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]: Table[Name]["holds"] extends Holds<infer Value> ? Value : never;
};

type RecordedNames<Table extends Columns> = {
  [Name in keyof Table]: Table[Name]["from"] extends null ? never : Name;
}[keyof Table];

export type RecordedRow<Table extends Columns> = Pick<RowOf<Table>, RecordedNames<Table>>;

/** What all recorded columns of a table come from. */
export type Source<Table extends Columns> = Table[RecordedNames<Table>]["from"] extends infer From
  ? From extends (of: never) => unknown
    ? Parameters<From>[0]
    : never
  : never;

export function recorded<From>({ inIntent = false } = {}) {
  return <Value>(
    holds: Holds<Value>,
    from: (of: From) => NoInfer<Value>,
    options: Options = {},
  ): Recorded<From, Value> => ({ ...options, holds, from, inIntent });
}

export function made<Value>(holds: Holds<Value>, options: Options = {}): Made<Value> {
  return { ...options, holds, from: null };
}

// ---- what columns hold ---------------------------------------------------------------------------------------------

/** Stands as it is. */
export function text<Value extends string = string>(): Holds<Value> {
  return holding("text", "" as Value);
}

export function textOrNull<Value extends string = string>(): Holds<Value | null> {
  return holding("text", null);
}

/** A text that comes with run after run. */
export function name<Value extends string = string>(): Holds<Value> {
  return { ...text<Value>(), isName: true };
}

export function nameOrNull<Value extends string = string>(): Holds<Value | null> {
  return { ...textOrNull<Value>(), isName: true };
}

/** JSON of ours, whose texts are in stored form already. */
export const jsonOrNull: Holds<string | null> = holding("json", null);
export const whole: Holds<number> = holding("whole", 0);
export const wholeOrNull: Holds<number | null> = holding("whole", null);
export const moment: Holds<number> = { ...whole, isMoment: true };
export const flag: Holds<0 | 1> = holding("whole", 0);
export const flagOrNull: Holds<0 | 1 | null> = holding("whole", null);

function holding<Value>(type: Holds<Value>["type"], otherwise: Value): Holds<Value> {
  return { type, otherwise, isName: false, isMoment: false };
}

/** What comes from a file or another thread may be anything: this makes it what a column holds. */
export function formed<Value>({ type, otherwise }: Holds<Value>, raw: unknown): Value {
  if (type === "whole") return typeof raw === "number" && Number.isFinite(raw) ? (toWhole(raw) as Value) : otherwise;
  if (typeof raw !== "string") return otherwise;
  return (type === "json" ? raw : toStored(raw)) as Value;
}

/** Adding 0 makes nought of a negative nought, which no column can hold. */
function toWhole(value: number): number {
  return Math.round(value) + 0;
}

// ---- what is asked of a table --------------------------------------------------------------------------------------

export function namesOf<Table extends Columns>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table);
}

export function listOf<Table extends Columns>(
  table: Table,
): readonly { readonly name: keyof Table & string; readonly column: Table[keyof Table] }[] {
  return namesOf(table).map((name) => ({ name, column: table[name] }));
}

/** For a statement over a table by that alias. */
export function selectionOf(table: Columns, alias: string): string {
  return namesOf(table)
    .map((name) => `${alias}.${name}`)
    .join(", ");
}
