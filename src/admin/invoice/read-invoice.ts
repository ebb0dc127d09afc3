import { setImmediate as nextTick } from "node:timers/promises";
import { isDay } from "../../terms/time/calendar.ts";
import { isCurrency } from "../../terms/money/currency.ts";
import { type Micros, readAmount } from "../../terms/money/money.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { type CsvRow, readCsv, wholeOf } from "./read-csv.ts";

/** The meanings of columns. The first three identify the subject of a line. */
export const INVOICE_KEYS = ["order", "transaction", "day"] as const;
export const INVOICE_COLUMNS = [...INVOICE_KEYS, "amount", "currency", "quantity"] as const;
export type InvoiceKey = (typeof INVOICE_KEYS)[number];
export type InvoiceColumn = (typeof INVOICE_COLUMNS)[number];

export interface InvoiceForm {
  /** The names of the columns in use. */
  readonly columns: Readonly<Partial<Record<InvoiceColumn, string>>>;
  readonly key: InvoiceKey;
  /** The currency of an invoice without a column for it. */
  readonly currency: string | null;
  readonly hasDecimalCommas: boolean;
}

/** A line that could be parsed. */
export interface InvoiceLine {
  readonly line: number;
  readonly key: string;
  /** `null` if the invoice has no amounts. */
  readonly amount: Micros | null;
  readonly currency: string | null;
  readonly quantity: number;
}

export interface BadRow {
  readonly line: number;
  readonly problem: string;
}

/** The shown part of an invalid cell: enough to find it. */
const SHOWN_CHARACTERS_MAX = 40;
const SHOWN_COLUMNS_MAX = 50;
/** Longer than an amount in any notation. */
const AMOUNT_CHARACTERS_MAX = 40;

/**
 * Reads an invoice in steps of some milliseconds, because the API reads it in the thread of runs.
 * @throws OperatorError if a column is missing or named twice, or if there are more than `linesMax` lines
 */
export async function readInvoice(text: string, form: InvoiceForm, linesMax = Infinity) {
  const rows = rowsOf(text);
  const { value: head } = await rows.next();
  if (head === undefined) throw new OperatorError("invalid", "The invoice is empty.");
  const places = Object.entries(form.columns).map(([column, name]) => {
    const at = head.cells.indexOf(name);
    if (at !== head.cells.lastIndexOf(name))
      throw new OperatorError("invalid", `The invoice has more than one column "${name}".`);
    if (at !== -1) return [column, at] as const;
    throw new OperatorError("invalid", `The invoice has no column "${name}". It has: ${shownColumns(head.cells)}.`);
  });
  const lines: InvoiceLine[] = [];
  const bad: BadRow[] = [];
  for await (const { line, cells } of rows) {
    if (lines.length + bad.length >= linesMax)
      throw new OperatorError(
        "refused",
        `The invoice has more than ${linesMax} lines. Compare a part of it, or use the command line on the service's machine.`,
      );
    const cell = Object.fromEntries(places.map(([column, at]) => [column, cells[at] ?? ""]));
    const read = cells.length === head.cells.length ? readLine(cell, form) : unequal(cells.length, head.cells.length);
    if (typeof read === "string") bad.push({ line, problem: read });
    else lines.push({ line, ...read });
  }
  return { lines, bad };
}

async function* rowsOf(text: string): AsyncGenerator<CsvRow, void, void> {
  for (const row of readCsv(text))
    if (row !== null) yield row;
    else await nextTick();
}

function shownColumns(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_COLUMNS_MAX).map((name) => name.slice(0, SHOWN_CHARACTERS_MAX));
  return `${shown.join(", ")}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ""}`;
}

function unequal(cells: number, headings: number): string {
  return `it has ${cells} ${cells === 1 ? "cell" : "cells"}, and there are ${headings} columns`;
}

/** Parses a line, or returns its problem. */
function readLine(cell: Cells, { key, columns, currency: ofAll, hasDecimalCommas }: InvoiceForm) {
  const about = key === "day" ? dayOf(cell.day!) : cell[key]!;
  if (cell[key] === "") return `its ${key} is empty`;
  if (about === null) return `its ${key} is not a date that can be read`;
  const amount = columns.amount === undefined ? null : amountOf(cell.amount!, hasDecimalCommas);
  if (amount === undefined) return badAmount(cell.amount!, hasDecimalCommas);
  const currency = columns.currency === undefined ? ofAll : cell.currency!.toUpperCase();
  if (currency !== null && !isCurrency(currency)) return "its currency is not a code of ISO 4217";
  const quantity = columns.quantity === undefined ? 1 : wholeOf(cell.quantity!);
  if (quantity === null) return "its quantity is not a whole number";
  return { key: about, amount, currency: amount === null ? null : currency, quantity };
}

function badAmount(text: string, hasDecimalCommas: boolean): string {
  if (text === "") return "its amount is empty";
  const isOther = amountOf(text, !hasDecimalCommas) !== undefined;
  const reason = isOther ? ` ${hasDecimalCommas ? "with" : "without"} --decimal-comma` : "";
  return `its amount "${text.slice(0, SHOWN_CHARACTERS_MAX)}" cannot be read${reason}`;
}

type Cells = Readonly<Partial<Record<InvoiceColumn, string>>>;

/**
 * Parses `2026-03-31`, with or without a time, or `31.03.2026`. In other notations it is unclear which number is the
 * month.
 */
function dayOf(text: string): string | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?$/.exec(text);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const [year, month, day] = iso !== null ? iso.slice(1) : dotted !== null ? dotted.slice(1).toReversed() : [];
  if (year === undefined) return null;
  const written = `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  return isDay(written) ? written : null;
}

/** Parses an amount; `undefined` if the text is none. A credit is negative. */
function amountOf(text: string, hasDecimalCommas: boolean): Micros | undefined {
  if (text.length > AMOUNT_CHARACTERS_MAX) return undefined;
  const [, sign, digits] = /^(-?)(.*)$/s.exec(text)!;
  const [thousands, decimal] = hasDecimalCommas ? [".", ","] : [",", "."];
  const [whole = "", ...decimals] = digits!.split(decimal);
  const groups = whole.split(thousands);
  if (
    groups.length > 1 &&
    !groups.every((group, at) => /^\d+$/.test(group) && (group.length === 3 || (at === 0 && group.length < 3)))
  )
    return undefined;
  const amount = readAmount([groups.join(""), ...decimals].join("."));
  return amount === null ? undefined : sign === "-" ? -amount : amount;
}
