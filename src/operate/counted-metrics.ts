import { amountForMetric } from "../terms/money/money.ts";
import { type MetricCounts, SECONDS, type Times } from "./counts.ts";
import type { Distribution, Metric, Sample } from "./metric.ts";

/** The metrics of runs, of their source calls and of refusals. */
export const COUNTED_METRICS: readonly Metric<MetricCounts>[] = [
  {
    name: "datarun_runs_total",
    type: "counter",
    help: "Runs answered.",
    labels: ["kind", "outcome"],
    read: ({ runs }) => samplesOf(runs),
  },
  {
    name: "datarun_refusals_total",
    type: "counter",
    help: "Requests answered without a run, by error code.",
    labels: ["code"],
    read: ({ refusals }) => samplesOf(refusals),
  },
  {
    name: "datarun_source_calls_total",
    type: "counter",
    help: "Source calls by outcome: match, no_match, or the kind of failure.",
    labels: ["source", "outcome"],
    read: ({ sources }) => [...sources].flatMap(([id, { outcomes }]) => samplesOf(outcomes, id)),
  },
  {
    name: "datarun_source_no_credential_total",
    type: "counter",
    help: "Source calls that were not made because no credential matches them.",
    labels: ["source"],
    read: ({ sources }) => [...sources].map(([id, { noCredential }]) => [[id], noCredential]),
  },
  {
    name: "datarun_source_charged_total",
    type: "counter",
    help: "Requests sent, by whether the vendor charged them.",
    labels: ["source", "charged"],
    read: ({ sources }) => [...sources].flatMap(([id, { charged }]) => samplesOf(charged, id)),
  },
  {
    name: "datarun_source_spend_total",
    type: "counter",
    help: "Cost of requests at their prices, in the unit of the currency: charged (yes) or possibly charged (unknown).",
    labels: ["source", "currency", "charged"],
    read: ({ sources }) =>
      [...sources].flatMap(([id, { spent }]) =>
        [...spent].map(([key, sum]) => [[id, ...key.split("|")], amountForMetric(sum)] as const),
      ),
  },
  {
    name: "datarun_run_seconds",
    type: "histogram",
    help: "Duration of a run, except runs with only rejected calls.",
    labels: [],
    read: ({ runTimes }) => [[[], distributionOf(runTimes)]],
  },
  {
    name: "datarun_source_seconds",
    type: "histogram",
    help: "Duration of a source call, except calls that failed before a request was sent.",
    labels: ["source"],
    read: ({ sources }) => [...sources].map(([id, { times }]) => [[id], distributionOf(times)]),
  },
];

/** `id`: a label to put before the labels in the key. */
function samplesOf(counts: ReadonlyMap<string, number>, id?: string): readonly Sample[] {
  return [...counts].map(([key, value]) => [[...(id === undefined ? [] : [id]), ...key.split("|")], value]);
}

function distributionOf({ buckets, sumMs }: Times): Distribution {
  return { bounds: SECONDS, buckets, sum: sumMs / 1000 };
}
