import type { SpendLine } from "../../ledger/read/sum-spend.ts";
import type { Micros } from "../../terms/money.ts";
import type { Stretch } from "../../terms/stretch.ts";
import { groupUnhurried, unhurried } from "./unhurried.ts";
import type { InvoiceLine } from "./read-invoice.ts";

/**
 * How a line of the invoice and the ledger differ.
 * - `ours only`: the ledger has it as charged, or perhaps charged, and the invoice does not have it.
 * - `theirs only`: the vendor bills what was never sent, or what the ledger has elsewhere.
 * - `differs`: both have it, with other amounts or counts.
 * - `unknown charge`: the invoice is within the ledger's range; settle the charge.
 * - `no price`: the ledger has no price to compare with.
 */
export const DIFFERENCES = ["ours only", "theirs only", "differs", "unknown charge", "no price"] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** What one side has for a key, in one currency. Amounts are `null` if the invoice says none: counts are compared. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly key: string;
  readonly currency: string | null;
  /** The lines of the invoice. */
  readonly lines: readonly number[];
  /** The first run and the last with a request of this order, which mostly are one; none if that is not known. */
  readonly runs: readonly string[];
  readonly ours: Range;
  readonly theirs: Side;
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
  readonly differences: readonly Difference[];
  /** How many keys have the same on both sides. */
  readonly equal: number;
}

const NOTHING: Side = { amount: 0n, count: 0 };

/** Holds the lines of an invoice against the ledger, by key and currency. */
export async function compareInvoice(
  ours: readonly SpendLine[],
  theirs: readonly InvoiceLine[],
  byAmount: boolean,
  stretch: Stretch,
): Promise<Comparison> {
  const currencyOf = (line: { readonly currency: string | null }): string | null => (byAmount ? line.currency : null);
  const idOf = (key: string, currency: string | null): string => `${currency ?? ""} ${key}`;
  const invoice = await groupUnhurried(theirs, (line) => idOf(line.key, currencyOf(line)), stretch);
  const ledger = await groupUnhurried(ours, (line) => idOf(line.key ?? "", currencyOf(line)), stretch);
  const unpriced = new Set(ours.filter((line) => line.unpriced > 0).map((line) => line.key));
  const invoiced = new Set<string | null>(theirs.map(({ key }) => key));
  const differences: Difference[] = [];
  let equal = 0;
  for await (const id of unhurried(new Set([...invoice.keys(), ...ledger.keys()]), stretch)) {
    const [lines, own] = [invoice.get(id) ?? [], ledger.get(id) ?? []];
    const { key, currency } = lines[0] ?? own[0]!;
    // It is compared with the invoice's line for the same key, in whatever currency that is.
    if (byAmount && currency === null && invoiced.has(key)) continue;
    const range = rangeOf(own);
    const billed = sumOf(lines);
    const kind = kindOf(range, lines.length === 0 ? null : billed, byAmount ? "amount" : "count", unpriced.has(key));
    if (kind === null) equal += range.most.count > 0 || lines.length > 0 ? 1 : 0;
    else
      differences.push({
        kind,
        key: key ?? "",
        currency,
        lines: lines.map(({ line }) => line),
        runs: runsOf(own),
        ours: range,
        theirs: billed,
      });
  }
  if (stretch.isLong) await stretch.end();
  return { differences: differences.toSorted((a, b) => (a.key < b.key ? -1 : 1)), equal };
}

/** Without a number of an order, the calls have nothing in common. */
function runsOf(lines: readonly SpendLine[]): readonly string[] {
  const ids = lines.flatMap(({ key, first_run: first, last_run: last }) => (key === null ? [] : [first, last]));
  const sorted = ids.filter((id) => id !== undefined).toSorted();
  return [...new Set([sorted[0], sorted.at(-1)])].filter((id) => id !== undefined);
}

function kindOf(
  { least, most }: Range,
  billed: Side | null,
  by: keyof Side,
  isUnpriced: boolean,
): DifferenceKind | null {
  if (billed === null && most.count === 0) return null;
  if (by === "amount" && isUnpriced) return "no price";
  // What a contract includes costs nothing, and nobody expects a line for it.
  if (billed === null) return by === "amount" && most.amount === 0n ? null : "ours only";
  const isNothing = by === "amount" ? billed.amount === 0n : billed.count === 0;
  if (most.count === 0 && !isNothing) return "theirs only";
  if (billed[by] === least[by] && billed[by] === most[by]) return null;
  return billed[by] >= least[by] && billed[by] <= most[by] ? "unknown charge" : "differs";
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
