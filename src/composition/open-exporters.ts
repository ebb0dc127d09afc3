import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Deployment } from "../http/route.ts";
import type { Log } from "../operate/log.ts";
import { attributesOf, type Attribute } from "../operate/make-spans.ts";
import type { OpenMetric } from "../operate/metric.ts";
import { createMetricExporter } from "../operate/metric-exporter.ts";
import { openOtlpPost, type OtlpPost, type OtlpTarget } from "../operate/otlp-post.ts";
import { createSpanExporter, type SpanExporter } from "../operate/span-exporter.ts";
import { Trust } from "../outbound/sockets/trust.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/time/clock.ts";
import { readAuthorities } from "./open-vendor-clients.ts";

/** The export of spans and metrics by OTLP. */
export interface Telemetry extends AsyncDisposable {
  /** `null` if no spans are sent. */
  readonly spans: SpanExporter | null;
  /** Sends metrics at intervals until closed. Calls `open` only if metrics are sent. */
  exportMetrics(open: () => readonly OpenMetric[]): void;
}

/** The target of each signal; `null` if the signal is not sent. */
export interface TelemetryTargets {
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
}

/** How long a stop waits for the collector. */
const CLOSE_MS = 2_000;

/** Opens the exporters. Collectors are checked against the same certificate authorities as vendors. */
export function openExporters(
  { traces, metrics }: TelemetryTargets,
  settings: Settings,
  deployment: Deployment,
  clock: Clock,
  log: Log,
): Telemetry {
  const trust = new Trust(readAuthorities(settings.outbound.caFile));
  const common = { resource: resourceOf(settings, deployment), clock, log };
  const closers: (() => Promise<void>)[] = [];

  function open<Exporter extends { close(withinMs: number): Promise<void> }>(
    target: OtlpTarget,
    create: (post: OtlpPost["post"]) => Exporter,
  ): Exporter {
    const { post, close } = openOtlpPost(target, trust.contextFor(undefined));
    const exporter = create(post);
    closers.push(() => exporter.close(CLOSE_MS).then(close));
    return exporter;
  }

  const spans: SpanExporter | null =
    traces === null
      ? null
      : open(traces, (post) => createSpanExporter({ ...common, post, samplePercent: settings.otlpSamplePercent }));
  return {
    spans,
    exportMetrics(openMetrics) {
      if (metrics === null) return;
      const intervalMs = settings.otel.metricIntervalMs;
      open(metrics, (post) => createMetricExporter({ ...common, post, metrics: openMetrics(), intervalMs }));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

function resourceOf({ otel, region }: Settings, deployment: Deployment): readonly Attribute[] {
  return attributesOf({
    "service.name": "datarun",
    "service.version": deployment.gitDerivedVersion,
    "service.instance.id": randomUUID(),
    "host.name": hostname(),
    "process.pid": process.pid,
    ...otel.resourceAttributes,
    ...(otel.serviceName !== undefined && { "service.name": otel.serviceName }),
    "datarun.region": region,
  });
}
