import { amountText, dividedBy, type Micros, times } from "../../terms/money/money.ts";
import { type Rate, rateOf } from "./rate.ts";
import type { ValueComparison } from "./agreement.ts";
import { counted } from "./counted.ts";
import { RowSet } from "./row-set.ts";
import type { RecordsTally } from "./tally-records.ts";
import type { SourceTally } from "./tally-source.ts";
import { makeWaterfalls, type WaterfallOrder, type Waterfalls } from "./waterfall.ts";

/** A comparison of sources, as it is printed as JSON. Amounts are decimal text; different currencies are never added. */
export interface BatchReport {
  readonly rows: number;
  readonly remarks: readonly string[];
  readonly sources: readonly ReportedSource[];
  readonly coverage: {
    /** Rows that at least one source finds. */
    readonly any: Rate;
    readonly overlap: readonly ReportedOverlap[];
  } | null;
  readonly agreement: readonly ReportedAgreement[];
  readonly waterfall: ReportedWaterfall | null;
}

export interface ReportedSource {
  readonly source: string;
  readonly kind: "source" | "function";
  readonly success: Rate;
  /** `null` for a function, which reports no match. */
  readonly match: Rate | null;
  /** Rows that only this source finds. */
  readonly only_match: number | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly failures: Readonly<Record<string, number>>;
  readonly costs: readonly ReportedCost[];
  /** Calls that were or may have been charged, without a known price. They are in no cost. */
  readonly calls_without_price: number;
}

export interface ReportedCost {
  readonly currency: string;
  /** The certain charges. */
  readonly least: string;
  /** With the charges that are not known. */
  readonly most: string;
  /** `most` by rows asked and by matches, rounded to millionths. */
  readonly per_row: string;
  readonly per_match: string | null;
}

export interface ReportedOverlap {
  readonly source: string;
  readonly other: string;
  readonly both: number;
  readonly only_source: number;
  readonly only_other: number;
}

export interface ReportedAgreement {
  readonly field: string;
  readonly compared_as: ValueComparison;
  readonly source: string;
  readonly other: string;
  readonly same: Rate;
  /** The first rows whose values differ. */
  readonly differing_rows: readonly number[];
}

export interface ReportedOrder {
  readonly steps: readonly {
    readonly source: string;
    readonly asked: number;
    readonly found: number;
    readonly costs: readonly { readonly currency: string; readonly most: string }[];
  }[];
  readonly found: Rate;
  readonly calls: number;
  readonly costs: readonly { readonly currency: string; readonly most: string }[];
  readonly calls_without_price: number;
}

export interface ReportedWaterfall {
  readonly computed: "every order" | "one order, greedily";
  readonly wanted_percent: number | null;
  readonly wanted_rows: number;
  readonly cheapest: ReportedOrder | null;
  /** Why no order is the cheapest. */
  readonly no_cheapest: string | null;
  readonly orders: readonly ReportedOrder[];
}

export interface ReportOptions {
  /** The share of the rows that the cheapest order has to find, in percent; all that any source finds if left out. */
  readonly coverage?: number | undefined;
  readonly remarks: readonly string[];
}

export function makeReport({ rows, sources, agreements }: RecordsTally, options: ReportOptions): BatchReport {
  const comparable = sources.filter(({ isFunction }) => !isFunction);
  const all = rows.size;
  const found = comparable.reduce((union, { matched }) => union.union(matched), new RowSet());
  return {
    rows: all,
    remarks: [...options.remarks, ...remarksOn(comparable, rows)],
    sources: sources.map((source) => toSource(source, comparable)),
    coverage: comparable.length === 0 ? null : { any: rateOf(found.size, all), overlap: overlapsOf(comparable) },
    agreement: agreements.flatMap(({ spec, pairs }) =>
      pairs.map(({ sources: [source, other], both, same, differing }) => ({
        field: spec.field,
        compared_as: spec.comparison,
        source,
        other,
        same: rateOf(same, both),
        differing_rows: differing,
      })),
    ),
    waterfall: comparable.length < 2 ? null : toWaterfall(comparable, all, found.size, options.coverage),
  };
}

function remarksOn(sources: readonly SourceTally[], rows: RowSet): string[] {
  return sources.flatMap(({ id, asked, unpriced }) => {
    const [missing, without] = [rows.size - asked.size, unpriced.size];
    return [
      ...(missing === 0
        ? []
        : [`${id} was not asked in ${counted(missing, "row")}, where it counts as finding nothing.`]),
      ...(without === 0
        ? []
        : [
            `${counted(without, "call")} of ${id} may have been charged without a known price, in no cost of this report.`,
          ]),
    ];
  });
}

function toSource(source: SourceTally, all: readonly SourceTally[]): ReportedSource {
  const { id, isFunction, asked, succeeded, matched, durations, failures, unpriced } = source;
  const others = all
    .filter((other) => other !== source)
    .reduce((union, other) => union.union(other.matched), new RowSet());
  return {
    source: id,
    kind: isFunction ? "function" : "source",
    success: rateOf(succeeded.size, asked.size),
    match: isFunction ? null : rateOf(matched.size, asked.size),
    only_match: isFunction ? null : matched.sizeWithout(others),
    p50_ms: durations.percentile(50),
    p95_ms: durations.percentile(95),
    failures: Object.fromEntries([...failures].toSorted(([, one], [, other]) => other - one)),
    costs: costsOf(source),
    calls_without_price: unpriced.size,
  };
}

function costsOf({ prices, asked, matched }: SourceTally): ReportedCost[] {
  const sums = new Map<string, { least: Micros; most: Micros }>();
  for (const { amount, currency, sure, maybe } of prices) {
    const sum = sums.get(currency) ?? { least: 0n, most: 0n };
    sum.least += times(amount, sure.size);
    sum.most += times(amount, sure.size + maybe.size);
    sums.set(currency, sum);
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { least, most }]) => ({
      currency,
      least: amountText(least),
      most: amountText(most),
      per_row: amountText(dividedBy(most, asked.size)),
      per_match: matched.size === 0 ? null : amountText(dividedBy(most, matched.size)),
    }));
}

function overlapsOf(sources: readonly SourceTally[]): ReportedOverlap[] {
  return sources.flatMap((one, at) =>
    sources.slice(at + 1).map((other) => {
      const both = one.matched.sizeWith(other.matched);
      return {
        source: one.id,
        other: other.id,
        both,
        only_source: one.matched.size - both,
        only_other: other.matched.size - both,
      };
    }),
  );
}

function toWaterfall(
  sources: readonly SourceTally[],
  rows: number,
  found: number,
  coverage: number | undefined,
): ReportedWaterfall {
  const wanted = coverage === undefined ? found : Math.ceil((rows * coverage) / 100 - 1e-9);
  const made = makeWaterfalls(sources, wanted);
  return {
    computed: made.areAll ? "every order" : "one order, greedily",
    wanted_percent: coverage ?? null,
    wanted_rows: wanted,
    cheapest: made.cheapest === null ? null : toOrder(made.cheapest, rows),
    no_cheapest: reasonOf(made, wanted, found),
    orders: made.orders.map((order) => toOrder(order, rows)),
  };
}

function reasonOf({ cheapest, currencies }: Waterfalls, wanted: number, found: number): string | null {
  if (wanted > found) return `All sources together find ${found} rows, and ${wanted} are wanted.`;
  if (currencies.length > 1) return `The costs are in ${currencies.join(" and ")}, which are not added.`;
  return cheapest === null ? "No order finds enough." : null;
}

function toOrder({ steps, found, calls, cost, unpriced }: WaterfallOrder, rows: number): ReportedOrder {
  return {
    steps: steps.map((step) => ({
      source: step.source,
      asked: step.asked,
      found: step.found,
      costs: toCosts(step.cost),
    })),
    found: rateOf(found, rows),
    calls,
    costs: toCosts(cost),
    calls_without_price: unpriced,
  };
}

function toCosts(cost: ReadonlyMap<string, Micros>) {
  return [...cost]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ currency, most: amountText(amount) }));
}
