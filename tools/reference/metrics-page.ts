import { COUNTED_METRICS } from "../../src/operate/counted-metrics.ts";
import type { Metric } from "../../src/operate/metric.ts";
import { openProcessMetrics } from "../../src/operate/process-metrics.ts";
import { READING_METRICS } from "../../src/operate/readings.ts";
import { code, generated, page, table, type Page } from "./markdown.ts";

/** Every metric, from the declarations that the metrics page is made of. */
export function metricsPage(): Page {
  using ofProcess = openProcessMetrics();
  return page(
    "docs/reference/metrics.md",
    generated("src/operate/counted-metrics.ts, readings.ts and process-metrics.ts"),
    "# Metrics",
    `${code("GET /metrics")} on the admin port answers in Prometheus' text format. The same metrics can be sent [with OpenTelemetry](../guides/opentelemetry.md). [Operate](../guides/operations.md#what-to-monitor) says which of them need attention.`,
    "Counters start at 0 with each start: use `rate()` or `increase()`, never `delta()`. Unknown names that callers send are counted under `(unknown)`.",
    "## Runs and calls to sources",
    `A simulated run counts in ${code("datarun_runs_total")} with the outcome ${code("simulated")}, and in none of the metrics about sources.`,
    rows(COUNTED_METRICS),
    "## The service",
    rows(READING_METRICS),
    "## The process and Node",
    "Names and meaning are those of Prometheus' client for Node. They are about the process of the service, without the processes that run functions. Those of the event loop are about the time since the page was last read; garbage collections are counted from the first time on.",
    rows(ofProcess.metrics),
  );
}

function rows<From>(metrics: readonly Metric<From>[]): string {
  return table(
    ["metric", "type", "labels", "meaning"],
    metrics.map(({ name, type, labels, help }) => [code(name), type, labels.map(code).join(", "), help]),
  );
}
