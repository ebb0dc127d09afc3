import type { Static } from "typebox";
import { DURATION_BOUNDS_MS, percentileOf } from "../ledger/history/durations.ts";
import { countOf, type Figures } from "../ledger/history/figures.ts";
import type { History, HistoryGroup } from "../ledger/history/sum-history.ts";
import { failureLabelOf } from "../terms/counted-end.ts";
import { Type } from "../terms/schema/type.ts";
import { toWireRunCost, wireRunCost } from "./ledger-wire.ts";
import { count, listOf, orNull, rowsOf, text, time, toWireTime } from "./result-schemas.ts";

const byFault = (description: string) => Type.Record(Type.String(), count, { description });

const figures = {
  calls: { ...count, description: "Calls; runs, for functions, their versions, and tokens" },
  match: { ...count, description: "Calls with a record; runs that were answered" },
  no_match: count,
  failed: byFault("By fault: at the vendor, or in the source's or function's code"),
  rejected: byFault("By fault: by this service, for instance by a limit, a budget or an invalid input"),
  no_credential: { ...count, description: "Rejected because no credential fits" },
  unknown: { ...count, description: "The outcome was lost, because the service died" },
  durations: {
    ...listOf(count),
    description:
      "Number of calls per bucket of `histogram_bounds_ms`, without calls that failed before anything was sent. Zeros at the end are left out. Histograms can be added",
  },
  timed: { ...count, description: "Number of calls in the histogram" },
  sum_ms: { ...count, description: "Sum of their durations" },
  costs: { ...wireRunCost.costs, description: "Empty for runs" },
  unpriced: wireRunCost.unpriced,
};
const percentiles = { p50_ms: orNull(count), p95_ms: orNull(count), p99_ms: orNull(count) };

export const wireHistory = Type.Object({
  from: time,
  to: time,
  step: text,
  complete_from: {
    ...orNull(time),
    description: "The time from which the ledger has all runs: before it, figures are unknown, not zero; UTC",
  },
  histogram_bounds_ms: {
    ...listOf(count),
    description: "Upper bounds of the buckets of durations, included; one bucket more has the longer ones",
  },
  groups: {
    ...rowsOf({
      key: { ...text, description: "An id, a vendor, or the digest of a version; empty for none" },
      name: Type.Optional({ ...orNull(text), description: "The current name of the organization or the workflow" }),
      number: Type.Optional({ ...orNull(count), description: "The number of the version" }),
      points: {
        ...rowsOf({ at: time, ...figures }),
        description: "One for each step with calls, by the step's start",
      },
      total: Type.Object({ ...figures, ...percentiles }),
    }),
    description: "Those with the most calls first",
  },
  more_groups: { ...count, description: "Number of groups that are left out" },
});

export type WireHistory = Static<typeof wireHistory>;
type WireFigures = WireHistory["groups"][number]["points"][number];

export function toWireHistory(
  { completeFrom, groups, moreGroups }: History,
  describe: (group: HistoryGroup) => { readonly name?: string | null; readonly number?: number | null },
): Omit<WireHistory, "from" | "to" | "step"> {
  return {
    complete_from: completeFrom === null ? null : toWireTime(completeFrom),
    histogram_bounds_ms: [...DURATION_BOUNDS_MS],
    groups: groups.map((group) => ({
      key: group.key,
      ...describe(group),
      points: group.points.map((point) => ({ at: toWireTime(point.at), ...toWireFigures(point.figures) })),
      total: {
        ...toWireFigures(group.total),
        p50_ms: percentileOf(group.total.buckets, 0.5),
        p95_ms: percentileOf(group.total.buckets, 0.95),
        p99_ms: percentileOf(group.total.buckets, 0.99),
      },
    })),
    more_groups: moreGroups,
  };
}

function toWireFigures(of: Figures): Omit<WireFigures, "at"> {
  const faults: Record<"failed" | "rejected" | "no_credential", Record<string, number>> = {
    failed: {},
    rejected: {},
    no_credential: {},
  };
  for (const [end, number] of of.ends)
    if (!OUTCOMES.has(end)) faults[end === "failed" ? "failed" : failureLabelOf(end)][end] = number;
  const costs = [...of.amounts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    calls: countOf(of),
    match: of.ends.get("match") ?? 0,
    no_match: of.ends.get("no_match") ?? 0,
    failed: faults.failed,
    rejected: faults.rejected,
    no_credential: sumOf(Object.values(faults.no_credential)),
    unknown: of.ends.get("unknown") ?? 0,
    durations: of.buckets,
    timed: sumOf(of.buckets),
    sum_ms: of.sumMs,
    ...toWireRunCost({
      costs: costs.map(([currency, amounts]) => ({ currency, ...amounts })),
      unpriced: of.unpriced,
    }),
  };
}

const OUTCOMES: ReadonlySet<string> = new Set(["match", "no_match", "unknown"]);

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
