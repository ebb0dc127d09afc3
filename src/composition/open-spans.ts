import { hostname } from "node:os";
import type { Deployment } from "../http/route.ts";
import { attributesOf } from "../operate/make-spans.ts";
import { SpanPost } from "../operate/post-spans.ts";
import { createSpanExporter, type SpanExporter } from "../operate/span-exporter.ts";
import type { Log } from "../operate/log.ts";
import { Trust } from "../outbound/sockets/trust.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/clock.ts";
import { readAuthorities } from "./open-doors.ts";

/** How long a stop waits for the collector. */
const CLOSE_MS = 2_000;

export type OpenSpans = SpanExporter & AsyncDisposable;

/** The export of spans, if a collector is set. It trusts the authorities that vendors are trusted by. */
export function openSpans(settings: Settings, deployment: Deployment, clock: Clock, log: Log): OpenSpans | null {
  if (settings.otlpEndpoint === undefined) return null;
  const trust = new Trust(readAuthorities(settings.outbound.caFile));
  const post = new SpanPost(settings.otlpEndpoint, trust.contextFor(undefined));
  const exporter = createSpanExporter({
    post: post.post,
    samplePercent: settings.otlpSamplePercent,
    resource: attributesOf({
      "service.name": "datarun",
      "service.version": deployment.gitDerivedVersion,
      "host.name": hostname(),
      "process.pid": process.pid,
      "datarun.region": settings.region,
    }),
    clock,
    log,
  });
  return {
    ...exporter,
    async [Symbol.asyncDispose]() {
      await exporter.close(CLOSE_MS);
      post.close();
    },
  };
}
