import type { History } from "../../api/use-history.ts";
import type { Series } from "../charts/chart-props.ts";
import { endOf, stepAt, type Values } from "../charts/chart-shape.ts";
import type { TimeAxis } from "../time-range-shape.ts";
import { failedOf, rejectedOf, type Figures } from "./history-sums.ts";
import { percentileOf } from "./percentile.ts";

type Group = History["groups"][number];
type Point = Group["points"][number];
/** The history of all groups together, as one group. */
export function together(history: History): History {
  const [first, ...others] = history.groups;
  if (first === undefined || others.length === 0) return history;
  const points = new Map<string, Point>();
  for (const point of history.groups.flatMap((group) => group.points)) {
    const before = points.get(point.at);
    points.set(point.at, before === undefined ? point : { ...add(before, point), at: point.at });
  }
  const sum = history.groups.map(({ total }): Figures => total).reduce(add);
  const percentile = (share: number) => percentileOf(sum.durations, history.histogram_bounds_ms, share);
  const total = { ...sum, p50_ms: percentile(0.5), p95_ms: percentile(0.95), p99_ms: percentile(0.99) };
  return { ...history, groups: [{ key: "", points: [...points.values()], total }] };
}

/** Without costs, which runs do not have. */
function add(one: Figures, other: Figures): Figures {
  const both = (key: "failed" | "rejected") => {
    const sums = { ...one[key] };
    for (const [fault, count] of Object.entries(other[key])) sums[fault] = (sums[fault] ?? 0) + count;
    return sums;
  };
  const longer = one.durations.length > other.durations.length ? one.durations : other.durations;
  return {
    calls: one.calls + other.calls,
    match: one.match + other.match,
    no_match: one.no_match + other.no_match,
    failed: both("failed"),
    rejected: both("rejected"),
    no_credential: one.no_credential + other.no_credential,
    unknown: one.unknown + other.unknown,
    durations: longer.map((_, bucket) => (one.durations[bucket] ?? 0) + (other.durations[bucket] ?? 0)),
    timed: one.timed + other.timed,
    sum_ms: one.sum_ms + other.sum_ms,
    costs: [],
    unpriced: one.unpriced + other.unpriced,
  };
}

/** Start of the known time in ms; `null` while the ledger has no run. */
export function knownFrom({ complete_from: from }: Pick<History, "complete_from">): number | null {
  return from === null ? null : Date.parse(from);
}

/** Figures are unknown before the ledger begins and in steps to come. Without figures a step has `none`. */
export function valuesOf<Figured extends { readonly at: string }>(
  axis: TimeAxis,
  first: number | null,
  points: readonly Figured[],
  now: number,
  pick: (point: Figured) => number | null,
  none: number | null,
): Values {
  const found = new Map(points.map((point) => [stepAt(axis, Date.parse(point.at)), point]));
  return axis.starts.map((start, at) => {
    const point = found.get(at);
    if (point !== undefined) return pick(point);
    return first === null || endOf(axis, at) <= first || start > now ? null : none;
  });
}

/** How calls, or runs, ended. Failures stand on the axis. */
export function outcomeSeries(
  axis: TimeAxis,
  history: History,
  { unit, now }: { readonly unit: "calls" | "runs"; readonly now: number },
): readonly Series[] {
  const points = history.groups[0]?.points ?? [];
  const values = (pick: (point: Point) => number) => valuesOf(axis, knownFrom(history), points, now, pick, 0);
  const series: readonly Series[] = [
    { label: unit === "runs" ? "answered" : "found", colour: "found", values: values(({ match }) => match) },
    { label: "no record", colour: "no-record", values: values((point) => point.no_match) },
    { label: unit === "runs" ? "interrupted" : "unknown", colour: "unknown", values: values(({ unknown }) => unknown) },
    { label: "no credential", colour: "no-credential", values: values((point) => point.no_credential) },
    { label: "rejected by datarun", colour: "rejected", values: values(rejectedOf) },
    { label: "failed", colour: "failed", values: values(failedOf) },
  ];
  // The rare ones are named only if there are any.
  const isShown = ({ label, values: all }: Series) => !RARE.has(label) || all.some((value) => (value ?? 0) > 0);
  return series.filter((one) => (unit === "calls" || !OF_CALLS.has(one.label)) && isShown(one));
}

const RARE: ReadonlySet<string> = new Set(["unknown", "interrupted", "no credential"]);
const OF_CALLS: ReadonlySet<string> = new Set(["no record", "no credential"]);

const PERCENTILES = [
  { label: "p50", share: 0.5, colour: "series-1" },
  { label: "p95", share: 0.95, colour: "series-2" },
  { label: "p99", share: 0.99, colour: "series-4", isDashed: true },
] as const;

/** Percentiles of the durations, with a gap where nothing was timed. */
export function percentileSeries(axis: TimeAxis, history: History, now: number): readonly Series[] {
  const points = history.groups[0]?.points ?? [];
  return PERCENTILES.map(({ share, ...series }) => ({
    ...series,
    values: valuesOf(
      axis,
      knownFrom(history),
      points,
      now,
      ({ durations }) => percentileOf(durations, history.histogram_bounds_ms, share),
      null,
    ),
  }));
}

const SERIES = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7"] as const;

/** The cost of each step by currency: what is certain, and above it what unknown charges may add. */
export function costSeries(axis: TimeAxis, history: History, currency: string, now: number): readonly Series[] {
  const points = history.groups[0]?.points ?? [];
  const lineOf = ({ costs }: Point) => costs.find((cost) => cost.currency === currency);
  const values = (pick: (point: Point) => number) => valuesOf(axis, knownFrom(history), points, now, pick, 0);
  const certain = values((point) => Number(lineOf(point)?.amount ?? 0));
  const open = values((point) => Number(lineOf(point)?.amount_at_most ?? 0) - Number(lineOf(point)?.amount ?? 0));
  const found = new Map(points.map((point) => [stepAt(axis, Date.parse(point.at)), lineOf(point)]));
  const texts = (pick: (line: NonNullable<ReturnType<typeof lineOf>>) => string) =>
    axis.starts.map((_, at) => {
      const line = found.get(at);
      return line === undefined ? null : pick(line);
    });
  return [
    ...(open.some((amount) => (amount ?? 0) > 0)
      ? [
          {
            label: "at most, with unknown charges",
            colour: "forecast",
            values: open,
            texts: texts((line) => line.amount_at_most),
          } as const,
        ]
      : []),
    { label: currency, colour: "accent", values: certain, texts: texts(({ amount }) => amount) },
  ];
}

/** One series for each group, such as the versions of a source; those after the seventh together. */
export function seriesByGroup(
  axis: TimeAxis,
  history: History,
  now: number,
  labelOf: (group: Group) => string,
): readonly Series[] {
  const named = history.groups.slice(0, SERIES.length);
  const others = history.groups.slice(SERIES.length).flatMap(({ points }) => points);
  const count = (points: readonly Point[]) => valuesOf(axis, knownFrom(history), points, now, ({ calls }) => calls, 0);
  return [
    ...named.map((group, at) => ({ label: labelOf(group), colour: SERIES[at]!, values: count(group.points) })),
    ...(others.length === 0
      ? []
      : [{ label: "others", colour: "series-other" as const, values: sumByStep(axis, others) }]),
  ];
}

function sumByStep(axis: TimeAxis, points: readonly Point[]): Values {
  const sums = axis.starts.map(() => 0);
  for (const { at, calls } of points) sums[stepAt(axis, Date.parse(at))]! += calls;
  return sums;
}

/** The 95th percentile of the durations of each group, to compare versions. */
export function p95ByGroup(
  axis: TimeAxis,
  history: History,
  now: number,
  labelOf: (group: Group) => string,
): readonly Series[] {
  return history.groups.slice(0, SERIES.length).map((group, at) => ({
    label: labelOf(group),
    colour: SERIES[at]!,
    values: valuesOf(
      axis,
      knownFrom(history),
      group.points,
      now,
      ({ durations }) => percentileOf(durations, history.histogram_bounds_ms, 0.95),
      null,
    ),
  }));
}

/** What is drawn until the first answer has come. */
export const NO_HISTORY: History = {
  from: "",
  to: "",
  step: "hour",
  complete_from: null,
  histogram_bounds_ms: [],
  groups: [],
  more_groups: 0,
};
