import { setImmediate as nextTick } from "node:timers/promises";
import type { SpendLine } from "../../ledger/read/sum-spend.ts";
import type { Micros } from "../../terms/money/money.ts";
import type { InvoiceLine } from "./read-invoice.ts";

/**
 * A difference between the invoice and the ledger.
 * - `ours only`: charged in the ledger, and missing from the invoice.
 * - `theirs only`: billed by the vendor, and never sent or recorded elsewhere in the ledger.
 * - `differs`: in both, with different amounts or counts.
 * - `billed twice`: the invoice has equal lines, of which one alone would be right.
 * - `unknown charge`: the invoice is within the ledger's range; settle the charge.
 * - `unknown, not billed`: the ledger has only unknown charges, and the invoice has none.
 * - `no order`: the ledger has no order number, so the invoice cannot be compared.
 * - `no price`: the ledger has no price to compare.
 */
export const DIFFERENCES = [
  "ours only",
  "theirs only",
  "differs",
  "billed twice",
  "unknown charge",
  "unknown, not billed",
  "no order",
  "no price",
] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/**
 * One side's values for a key in one currency. Amounts are `null` if the invoice has none; then counts are compared.
 */
export interface InvoiceDifference {
  readonly kind: DifferenceKind;
  readonly key: string;
  readonly currency: string | null;
  /** The line numbers of the invoice. */
  readonly lines: readonly number[];
  /** The first and the last run with a request of this order, mostly the same; empty if unknown. */
  readonly runs: readonly string[];
  readonly ours: Range;
  readonly theirs: Side;
  /**
   * The answer that the invoice gives for all unknown charges of the key; `null` if it gives none, or not one for all.
   */
  readonly answer: "yes" | "no" | null;
}

interface Side {
  readonly amount: Micros;
  readonly count: number;
}

interface Range {
  readonly least: Side;
  readonly most: Side;
}

export interface Comparison {
  readonly differences: readonly InvoiceDifference[];
  /** The number of keys with equal values on both sides. */
  readonly equal: number;
}

/** Optional columns of the invoice. */
export interface InvoiceHas {
  readonly amounts: boolean;
  /** The number of requests that a line bills. Without amounts and quantities a line bills one. */
  readonly quantities: boolean;
}

/** Keys compared in one step, which takes some milliseconds. The API compares in the thread of runs. */
const KEYS_AT_ONCE = 1_000;

const NOTHING: Side = { amount: 0n, count: 0 };

/** Compares the lines of the invoice with the ledger, by key and currency. */
export async function compareInvoice(
  ours: readonly SpendLine[],
  theirs: readonly InvoiceLine[],
  has: InvoiceHas,
): Promise<Comparison> {
  const { amounts: byAmount } = has;
  const currencyOf = (line: { readonly currency: string | null }): string | null => (byAmount ? line.currency : null);
  const idOf = (key: string, currency: string | null): string => `${currency ?? ""} ${key}`;
  const invoice = Map.groupBy(theirs, (line) => idOf(line.key, currencyOf(line)));
  await nextTick();
  const ledger = Map.groupBy(ours, (line) => idOf(line.key ?? "", currencyOf(line)));
  await nextTick();
  const unpriced = new Set(ours.filter((line) => line.unpriced > 0).map((line) => line.key));
  const charged = new Set(ours.filter((line) => line.charged_yes > 0).map((line) => line.key));
  const invoiced = new Set<string | null>(theirs.map(({ key }) => key));
  const differences: InvoiceDifference[] = [];
  let [equal, compared] = [0, 0];
  for (const id of new Set([...invoice.keys(), ...ledger.keys()])) {
    if ((compared += 1) % KEYS_AT_ONCE === 0) await nextTick();
    const [lines, own] = [invoice.get(id) ?? [], ledger.get(id) ?? []];
    const { key, currency } = lines[0] ?? own[0]!;
    // Compared with the invoice's line for the same key, in its currency.
    if (byAmount && currency === null && invoiced.has(key)) continue;
    const range = rangeOf(own);
    const kind = kindOf(range, lines, has, {
      key,
      isUnpriced: unpriced.has(key),
      isOnlyUnknown: !charged.has(key) && !invoiced.has(key),
    });
    if (kind === null) equal += range.most.count > 0 || lines.length > 0 ? 1 : 0;
    else
      differences.push({
        kind,
        key: key ?? "",
        currency,
        lines: lines.map(({ line }) => line),
        runs: runsOf(own),
        ours: range,
        theirs: sumOf(lines),
        answer: answerOf(kind, range, sumOf(lines), has),
      });
  }
  return { differences: differences.toSorted((a, b) => (a.key < b.key ? -1 : 1)), equal };
}

/** Calls without an order number are unrelated, so no runs are named. */
function runsOf(lines: readonly SpendLine[]): readonly string[] {
  const ids = lines.flatMap(({ key, first_run: first, last_run: last }) => (key === null ? [] : [first, last]));
  const sorted = ids.filter((id) => id !== undefined).toSorted();
  return [...new Set([sorted[0], sorted.at(-1)])].filter((id) => id !== undefined);
}

interface Facts {
  /** `null` without an order number. */
  readonly key: string | null;
  readonly isUnpriced: boolean;
  /** Whether only unknown charges exist, and the invoice has none in any currency. */
  readonly isOnlyUnknown: boolean;
}

function kindOf(
  range: Range,
  lines: readonly InvoiceLine[],
  has: InvoiceHas,
  { key, isUnpriced, isOnlyUnknown }: Facts,
): DifferenceKind | null {
  const { most } = range;
  if (lines.length === 0 && most.count === 0) return null;
  // Requests that a contract includes cost nothing and need no line.
  if (lines.length === 0 && has.amounts && most.amount === 0n && !isUnpriced) return null;
  if (key === null) return "no order";
  if (isOnlyUnknown) return "unknown, not billed";
  if (has.amounts && isUnpriced) return "no price";
  if (lines.length === 0) return "ours only";
  const billed = sumOf(lines);
  const isNothing = has.amounts ? billed.amount === 0n : billed.count === 0;
  if (most.count === 0 && !isNothing) return "theirs only";
  if (isEqual(billed, range, has)) return null;
  if (isWithin(billed, range, has)) return "unknown charge";
  const [first] = lines;
  const isRepeated =
    lines.length > 1 && lines.every((line) => line.amount === first!.amount && line.quantity === first!.quantity);
  return isRepeated && isWithin(sumOf([first!]), range, has) ? "billed twice" : "differs";
}

/** The compared values: amounts, else counts; both if the invoice has both. */
function comparedSides({ amounts, quantities }: InvoiceHas): readonly (keyof Side)[] {
  return amounts ? ["amount", ...(quantities ? (["count"] as const) : [])] : ["count"];
}

function isWithin(billed: Side, { least, most }: Range, has: InvoiceHas): boolean {
  return comparedSides(has).every((side) => billed[side] >= least[side] && billed[side] <= most[side]);
}

/** Whether both sides agree, and no unknown charge could cost something. */
function isEqual(billed: Side, range: Range, has: InvoiceHas): boolean {
  // A line of 0.00 for uncharged requests may state a quantity of one.
  if (has.amounts && billed.amount === 0n && range.most.amount === 0n) return true;
  const [side] = comparedSides(has);
  return isWithin(billed, range, has) && range.least[side!] === range.most[side!];
}

function answerOf(
  kind: DifferenceKind,
  { least, most }: Range,
  billed: Side,
  has: InvoiceHas,
): InvoiceDifference["answer"] {
  if (kind === "unknown, not billed") return "no";
  if (kind !== "unknown charge") return null;
  const isAt = (end: Side): boolean => comparedSides(has).every((side) => billed[side] === end[side]);
  return isAt(least) ? "no" : isAt(most) ? "yes" : null;
}

function rangeOf(lines: readonly SpendLine[]): Range {
  return lines.reduce<Range>(
    ({ least, most }, line) => ({
      least: { amount: least.amount + line.least, count: least.count + line.charged_yes },
      most: { amount: most.amount + line.most, count: most.count + line.charged_yes + line.charged_unknown },
    }),
    { least: NOTHING, most: NOTHING },
  );
}

function sumOf(lines: readonly InvoiceLine[]): Side {
  return lines.reduce<Side>(
    (sum, { amount, quantity }) => ({ amount: sum.amount + (amount ?? 0n), count: sum.count + quantity }),
    NOTHING,
  );
}
