import { type Micros, times } from "../../terms/money/money.ts";
import { RowSet } from "./row-set.ts";
import type { SourceTally } from "./tally-source.ts";

/** One source of a waterfall: asked only for the rows that those before it have not found. */
export interface WaterfallStep {
  readonly source: string;
  readonly asked: number;
  /** The rows that it finds and those before it do not. */
  readonly found: number;
  /** The most that its calls cost, by currency. */
  readonly cost: ReadonlyMap<string, Micros>;
  /** Its calls that may be charged without a known price. */
  readonly unpriced: number;
}

export interface WaterfallOrder {
  readonly steps: readonly WaterfallStep[];
  readonly found: number;
  readonly calls: number;
  readonly cost: ReadonlyMap<string, Micros>;
  readonly unpriced: number;
}

export interface Waterfalls {
  /** Whether every order was computed. Otherwise there is one, made by adding the source that finds most for its cost. */
  readonly areAll: boolean;
  /** Orders of all sources, the cheapest first. */
  readonly orders: readonly WaterfallOrder[];
  /** The cheapest order that finds enough; it may leave out sources. `null`: all of them together find fewer. */
  readonly cheapest: WaterfallOrder | null;
  /** Costs in several currencies cannot be compared: then orders are sorted by their calls, and none is the cheapest. */
  readonly currencies: readonly string[];
}

/** 2^8 sets of sources, and 40,320 orders. */
const ALL_ORDERS_MAX = 8;
const ORDERS_KEPT = 120;
const NO_STEPS: WaterfallOrder = { steps: [], found: 0, calls: 0, cost: new Map(), unpriced: 0 };

/** @param wanted the number of rows that the cheapest order has to find */
export function makeWaterfalls(sources: readonly SourceTally[], wanted: number): Waterfalls {
  const currencies = [...new Set(sources.flatMap(({ prices }) => prices.map(({ currency }) => currency)))].sort();
  const compare = comparerOf(currencies);
  const stepAt = stepsOf(sources);
  const areAll = sources.length <= ALL_ORDERS_MAX;
  const orders = areAll
    ? everyOrder(sources.length, stepAt, compare)
    : [greedyOrder(sources.length, stepAt, currencies)];
  const enough = areAll ? cheapestSet(sources.length, stepAt, compare, wanted) : shortened(orders[0]!, wanted);
  return { areAll, orders, currencies, cheapest: currencies.length > 1 ? null : enough };
}

type StepAt = (before: number, source: number) => WaterfallStep;
type Compare = (one: WaterfallOrder, other: WaterfallOrder) => number;

/** A step depends only on the set of sources before it, so it is computed once for each set. */
function stepsOf(sources: readonly SourceTally[]): StepAt {
  const found = new Map<number, RowSet>([[0, new RowSet()]]);
  const foundBy = (before: number): RowSet => {
    let rows = found.get(before);
    if (rows === undefined) {
      const last = 31 - Math.clz32(before);
      rows = foundBy(before & ~(1 << last)).union(sources[last]!.matched);
      found.set(before, rows);
    }
    return rows;
  };
  const steps = new Map<string, WaterfallStep>();
  return (before, at) => {
    const key = `${before} ${at}`;
    let step = steps.get(key);
    if (step === undefined) steps.set(key, (step = makeStep(sources[at]!, foundBy(before))));
    return step;
  };
}

function makeStep({ id, asked, matched, prices, unpriced }: SourceTally, before: RowSet): WaterfallStep {
  const cost = new Map<string, Micros>();
  for (const { amount, currency, sure, maybe } of prices) {
    const calls = sure.sizeWithout(before) + maybe.sizeWithout(before);
    if (calls > 0) cost.set(currency, (cost.get(currency) ?? 0n) + times(amount, calls));
  }
  return {
    source: id,
    asked: asked.sizeWithout(before),
    found: matched.sizeWithout(before),
    cost,
    unpriced: unpriced.sizeWithout(before),
  };
}

function withStep(order: WaterfallOrder, step: WaterfallStep): WaterfallOrder {
  const cost = new Map(order.cost);
  for (const [currency, amount] of step.cost) cost.set(currency, (cost.get(currency) ?? 0n) + amount);
  return {
    steps: [...order.steps, step],
    found: order.found + step.found,
    calls: order.calls + step.asked,
    cost,
    unpriced: order.unpriced + step.unpriced,
  };
}

/** Fewer calls without a price first, then the cost, then the number of calls. */
function comparerOf(currencies: readonly string[]): Compare {
  const [currency = ""] = currencies;
  const costOf = (order: WaterfallOrder): Micros => (currencies.length > 1 ? 0n : (order.cost.get(currency) ?? 0n));
  return (one, other) => {
    if (one.unpriced !== other.unpriced) return one.unpriced - other.unpriced;
    const difference = costOf(one) - costOf(other);
    return difference === 0n ? one.calls - other.calls : difference < 0n ? -1 : 1;
  };
}

function everyOrder(count: number, stepAt: StepAt, compare: Compare): WaterfallOrder[] {
  let kept: WaterfallOrder[] = [];
  const prune = (max: number): void => {
    if (kept.length > max) kept = kept.toSorted(compare).slice(0, ORDERS_KEPT);
  };
  const extend = (before: number, order: WaterfallOrder): void => {
    if (order.steps.length === count) {
      kept.push(order);
      prune(20 * ORDERS_KEPT);
      return;
    }
    for (let at = 0; at < count; at += 1)
      if ((before & (1 << at)) === 0) extend(before | (1 << at), withStep(order, stepAt(before, at)));
  };
  if (count > 0) extend(0, NO_STEPS);
  prune(ORDERS_KEPT);
  return kept.toSorted(compare);
}

/** The cheapest order of each set of sources follows from those of its subsets. */
function cheapestSet(count: number, stepAt: StepAt, compare: Compare, wanted: number): WaterfallOrder | null {
  const best: WaterfallOrder[] = [NO_STEPS];
  let cheapest: WaterfallOrder | null = wanted === 0 ? NO_STEPS : null;
  for (let set = 1; set < 1 << count; set += 1) {
    for (let at = 0; at < count; at += 1) {
      if ((set & (1 << at)) === 0) continue;
      const before = set & ~(1 << at);
      const order = withStep(best[before]!, stepAt(before, at));
      const known = best[set];
      if (known === undefined || compare(order, known) < 0) best[set] = order;
    }
    const order = best[set]!;
    if (order.found >= wanted && (cheapest === null || compare(order, cheapest) < 0)) cheapest = order;
  }
  return cheapest;
}

function greedyOrder(count: number, stepAt: StepAt, currencies: readonly string[]): WaterfallOrder {
  const left = new Set(Array.from({ length: count }, (_, at) => at));
  let [order, before] = [NO_STEPS, 0];
  while (left.size > 0) {
    const [best] = [...left]
      .map((at) => ({ at, step: stepAt(before, at) }))
      .toSorted((one, other) => compareValue(one.step, other.step, currencies));
    order = withStep(order, best!.step);
    before |= 1 << best!.at;
    left.delete(best!.at);
  }
  return order;
}

/** The lower cost per row found first; without comparable costs, the more rows found. */
function compareValue(one: WaterfallStep, other: WaterfallStep, currencies: readonly string[]): number {
  if (one.found === 0 || other.found === 0 || currencies.length !== 1) return other.found - one.found;
  if ((one.unpriced === 0) !== (other.unpriced === 0)) return one.unpriced - other.unpriced;
  const costOf = ({ cost }: WaterfallStep): Micros => cost.get(currencies[0]!) ?? 0n;
  const difference = times(costOf(one), other.found) - times(costOf(other), one.found);
  return difference === 0n ? other.found - one.found : difference < 0n ? -1 : 1;
}

/** The beginning of an order that finds enough. */
function shortened({ steps }: WaterfallOrder, wanted: number): WaterfallOrder | null {
  let order = NO_STEPS;
  for (const step of steps) {
    if (order.found >= wanted) break;
    order = withStep(order, step);
  }
  return order.found >= wanted ? order : null;
}
