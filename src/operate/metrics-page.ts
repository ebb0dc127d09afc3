import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { GAUGES, LABELLED_GAUGES, type Readings } from "./gauges.ts";
import { amountForMetric, type Micros } from "../terms/money.ts";
import type { Clock } from "../terms/clock.ts";
import { Stretch } from "../terms/stretch.ts";
import { type Counts, SECONDS, type Times } from "./counts.ts";
import { writeMetrics } from "./write-metrics.ts";

export interface MetricsPage {
  readonly text: string;
  readonly contentType: string;
}

/** The page, made each time it is asked for. The figures of the process itself are counted from the first time on. */
export function createPage(counts: Counts, readings: Readings, clock: Clock): () => Promise<MetricsPage> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "datarun_" });
  for (const metric of [
    counter("datarun_runs_total", "Runs answered.", ["kind", "outcome"], () => split(counts.runs)),
    counter("datarun_refusals_total", "Requests answered without a run, by error code.", ["code"], () =>
      split(counts.refusals),
    ),
    counter(
      "datarun_source_calls_total",
      "Source calls by outcome: match, no_match, or the kind of failure.",
      ["source", "outcome"],
      () => perSource(counts.sources, "outcomes"),
    ),
    counter(
      "datarun_source_charged_total",
      "Requests sent, by what the vendor has charged.",
      ["source", "charged"],
      () => perSource(counts.sources, "charged"),
    ),
    counter(
      "datarun_source_spend_total",
      "What requests cost at their prices, in the unit of the currency: charged for certain (yes) or perhaps (unknown).",
      ["source", "currency", "charged"],
      () => [...counts.sources].flatMap(([id, { spent }]) => spendRows(id, spent)),
    ),
    histogram("datarun_run_seconds", "Time of a run, without runs of which every call was rejected.", [], () => [
      [[], counts.runTimes],
    ]),
    histogram(
      "datarun_source_seconds",
      "Time of a source call, without calls that failed before anything was sent.",
      ["source"],
      () => [...counts.sources].map(([id, { times }]) => [[id], times]),
    ),
  ])
    registry.registerMetric(metric);
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    gauge(registry, `datarun_${name}`, help, [], () => [[[], read(readings)]]);
  }
  for (const [name, { help, label, read }] of Object.entries(LABELLED_GAUGES)) {
    gauge(registry, `datarun_${name}`, help, [label], () => read(readings).map(([own, value]) => [[own], value]));
  }
  return async () => ({ text: await writeMetrics(registry, new Stretch(clock)), contentType: registry.contentType });
}

type Rows = readonly (readonly [readonly string[], number])[];

function split(counts: ReadonlyMap<string, number>): Rows {
  return [...counts].map(([key, value]) => [key.split("|"), value]);
}

function perSource(sources: Counts["sources"], which: "outcomes" | "charged"): Rows {
  return [...sources].flatMap(([id, counts]) => [...counts[which]].map(([key, value]) => [[id, key], value] as const));
}

/** A counter that is filled from our own counts at the moment it is read. */
function counter(name: string, help: string, labelNames: string[], read: () => Rows): Counter {
  const metric: Counter = new Counter({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      metric.reset();
      for (const [labels, value] of read()) metric.inc(labelled(labelNames, labels), value);
    },
  });
  return metric;
}

function spendRows(id: string, spent: ReadonlyMap<string, Micros>): Rows {
  return [...spent].map(([key, sum]) => [[id, ...key.split("|")], amountForMetric(sum)] as const);
}

type Distribution = readonly [labels: readonly string[], times: Times];

/** A histogram whose cumulative buckets are made from our own counts at the moment it is read. */
function histogram(name: string, help: string, labelNames: string[], read: () => readonly Distribution[]): Histogram {
  const metric = new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [] });
  const collected = async () => {
    const values = read().flatMap(([labels, { buckets, sumMs }]) => {
      const own = labelled(labelNames, labels);
      let total = 0;
      const rows = [...SECONDS, "+Inf"].map((le, at) => {
        total += buckets[at]!;
        return { metricName: `${name}_bucket`, labels: { ...own, le }, value: total };
      });
      return [
        ...rows,
        { metricName: `${name}_sum`, labels: own, value: sumMs / 1000 },
        { metricName: `${name}_count`, labels: own, value: total },
      ];
    });
    return { name, help, type: "histogram", values, aggregator: "sum" };
  };
  // The page is made by the second of them, which the types of the library do not know.
  return Object.assign(metric, { get: collected, getForPromString: collected }) as unknown as Histogram;
}

function gauge(registry: Registry, name: string, help: string, labelNames: string[], read: () => Rows): void {
  const metric: Gauge = new Gauge({
    name,
    help,
    labelNames,
    registers: [],
    collect() {
      metric.reset();
      for (const [labels, value] of read()) metric.set(labelled(labelNames, labels), value);
    },
  });
  registry.registerMetric(metric);
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}
