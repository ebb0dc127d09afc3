import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RunObserver } from "../run/ports.ts";
import type { Fault } from "../terms/fault.ts";
import { GAUGES, type Readings } from "./gauges.ts";

export interface Metrics extends RunObserver {
  refused(path: string, fault: Fault): void;
  page(): Promise<string>;
  readonly contentType: string;
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60];

interface SourceCounts {
  readonly outcomes: Map<string, number>;
  readonly charged: Map<string, number>;
  readonly buckets: Float64Array;
  sumMs: number;
}

/**
 * Prometheus metrics. A run adds to plain arrays; the page is put together when somebody asks for it, so that counting
 * costs the request path next to nothing. Labels are bounded: identifiers of sources that exist, and kinds of the fault table.
 */
export function createMetrics(isSource: (id: string) => boolean, readings: Readings): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "datarun_" });
  const runs = new Map<string, number>();
  const refusals = new Map<string, number>();
  const runBuckets = new Float64Array(SECONDS.length + 1);
  let runSumMs = 0;
  const sources = new Map<string, SourceCounts>();

  function countsOf(id: string): SourceCounts {
    const known = isSource(id) ? id : "(unknown)";
    let counts = sources.get(known);
    if (counts === undefined) {
      counts = { outcomes: new Map(), charged: new Map(), buckets: new Float64Array(SECONDS.length + 1), sumMs: 0 };
      sources.set(known, counts);
    }
    return counts;
  }

  registry.registerMetric(counter("datarun_runs_total", "Runs answered.", ["kind", "outcome"], () => split(runs)));
  registry.registerMetric(
    counter("datarun_refusals_total", "Requests answered without a run, by error code.", ["code"], () =>
      split(refusals),
    ),
  );
  registry.registerMetric(
    counter(
      "datarun_source_calls_total",
      "Source calls by outcome: match, no_match, or the kind of failure.",
      ["source", "outcome"],
      () => perSource(sources, "outcomes"),
    ),
  );
  registry.registerMetric(
    counter(
      "datarun_source_charged_total",
      "Requests sent, by what the vendor has charged.",
      ["source", "charged"],
      () => perSource(sources, "charged"),
    ),
  );
  registry.registerMetric(histogram("datarun_run_seconds", "Time of a run.", [], () => [[[], runBuckets, runSumMs]]));
  registry.registerMetric(
    histogram("datarun_source_seconds", "Time of a source call.", ["source"], () =>
      [...sources].map(([id, { buckets, sumMs }]) => [[id], buckets, sumMs]),
    ),
  );
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    gauge(registry, `datarun_${name}`, help, () => read(readings));
  }

  return {
    contentType: registry.contentType,
    page: () => registry.metrics(),
    refused: (_path, fault) => add(refusals, fault.row.kind),

    runEnded(report) {
      // Invented outcomes and times would tell of vendors that nobody has asked.
      if (report.simulated) return add(runs, `${report.kind}|simulated`);
      const failed = report.functionFault != null || report.calls.some(({ success }) => !success);
      add(runs, `${report.kind}|${report.clientGone ? "client_gone" : failed ? "with_failures" : "ok"}`);
      observe(runBuckets, report.tookMs);
      runSumMs += report.tookMs;
      for (const call of report.calls) {
        const counts = countsOf(call.source);
        add(counts.outcomes, call.fault === null ? (call.match ? "match" : "no_match") : call.fault.row.kind);
        for (const attempt of call.attempts) add(counts.charged, attempt.charged);
        observe(counts.buckets, call.tookMs);
        counts.sumMs += call.tookMs;
      }
    },
  };
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function observe(buckets: Float64Array, tookMs: number): void {
  let at = 0;
  while (at < SECONDS.length && tookMs > SECONDS[at]! * 1000) at += 1;
  buckets[at]! += 1;
}

type Rows = readonly (readonly [readonly string[], number])[];

function split(counts: ReadonlyMap<string, number>): Rows {
  return [...counts].map(([key, value]) => [key.split("|"), value]);
}

function perSource(sources: ReadonlyMap<string, SourceCounts>, which: "outcomes" | "charged"): Rows {
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

type Distribution = readonly [labels: readonly string[], buckets: Float64Array, sumMs: number];

/** A histogram whose cumulative buckets are made from our own counts at the moment it is read. */
function histogram(name: string, help: string, labelNames: string[], read: () => readonly Distribution[]): Histogram {
  const metric = new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [] });
  const collected = async () => {
    const values = read().flatMap(([labels, buckets, sumMs]) => {
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

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  const metric: Gauge = new Gauge({
    name,
    help,
    registers: [],
    collect() {
      metric.set(read());
    },
  });
  registry.registerMetric(metric);
}

function labelled(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}
