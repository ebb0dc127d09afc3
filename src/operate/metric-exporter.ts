import type { Clock } from "../terms/time/clock.ts";
import { repeat } from "../terms/time/repeat.ts";
import { settledWithin } from "../terms/time/within.ts";
import type { Log } from "./log.ts";
import { makeOtlpMetrics } from "./make-otlp-metrics.ts";
import type { Attribute } from "./make-spans.ts";
import type { OpenMetric } from "./metric.ts";
import type { CollectorReply } from "./otlp-post.ts";

/** Sends all metrics to an OpenTelemetry collector at intervals, and a last time when it is closed. */
export interface MetricExporter {
  /** Sends the last values. Waits at most `withinMs`. */
  close(withinMs: number): Promise<void>;
}

export interface MetricExporterParts {
  /** Sends one request with this body. Never rejects. */
  readonly post: (body: string) => Promise<CollectorReply>;
  readonly metrics: readonly OpenMetric[];
  readonly intervalMs: number;
  /** Describes this service. */
  readonly resource: readonly Attribute[];
  readonly clock: Clock;
  readonly log: Log;
}

const SCOPE = { name: "datarun" };

/** A failed request is not repeated: all values are totals since the start, so the next request includes them. */
export function createMetricExporter(parts: MetricExporterParts): MetricExporter {
  const { post, metrics, intervalMs, resource, clock, log } = parts;
  const startedAt = clock.wall();
  let sending: Promise<void> = Promise.resolve();
  let isFailing = false;

  async function send(): Promise<void> {
    const scopeMetrics = [{ scope: SCOPE, metrics: makeOtlpMetrics(metrics, startedAt, clock.wall()) }];
    const reply = await post(
      JSON.stringify({ resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics }] }),
    );
    const reason = failureOf(reply);
    // A failure is logged once until a request succeeds.
    if (reason !== null && !isFailing)
      log.warn({ event: "metrics_not_taken", reason }, "metrics do not reach the collector");
    isFailing = reason !== null;
  }

  const stop = repeat(clock, { firstMs: intervalMs, everyMs: intervalMs }, () => (sending = send()));
  return {
    async close(withinMs) {
      stop();
      await settledWithin(clock, withinMs, sending.then(send));
    },
  };
}

function failureOf({ status, rejected }: CollectorReply): string | null {
  if (status === 0) return "the collector does not answer";
  if (status < 200 || status > 299) return `the collector answered ${status}`;
  return rejected > 0 ? "the collector rejected some of them" : null;
}
