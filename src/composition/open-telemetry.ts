import type { Deployment } from "../http/route.ts";
import type { Log } from "../operate/log.ts";
import type { OtlpTarget } from "../operate/otlp-post.ts";
import { type SignalName, urlOfSignal } from "../settings/otel-variables.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { Telemetry } from "./open-exporters.ts";

/**
 * Opens the exporters that the settings and OpenTelemetry's variables request, and logs variables that cannot be used.
 */
export async function openTelemetry(
  settings: Settings,
  deployment: Deployment,
  clock: Clock,
  log: Log,
): Promise<Telemetry> {
  const { ignored, unread } = settings.otel;
  for (const { variable, reason } of ignored)
    log.warn({ event: "otel_variable_ignored", variable, reason }, "a variable of OpenTelemetry cannot be used");
  const targets = { traces: otlpTargetOf(settings, "traces"), metrics: otlpTargetOf(settings, "metrics") };
  if (targets.traces === null && targets.metrics === null) return NO_TELEMETRY;
  if (unread.length > 0) log.info({ event: "otel_variables_unread", variables: unread });
  // Loaded only when needed.
  const { openExporters } = await import("./open-exporters.ts");
  return openExporters(targets, settings, deployment, clock, log);
}

const NO_TELEMETRY: Telemetry = { spans: null, exportMetrics() {}, async [Symbol.asyncDispose]() {} };

/** The setting has precedence over OpenTelemetry's variables, except those that turn a signal off. */
export function otlpTargetOf({ otel, otlpEndpoint }: Settings, signal: SignalName): OtlpTarget | null {
  const { isOn, url: byVariables, gzip, timeoutMs } = otel[signal];
  const url = otlpEndpoint === undefined ? byVariables : urlOfSignal(otlpEndpoint, signal);
  return otel.isDisabled || !isOn || url === undefined
    ? null
    : {
        url,
        gzip,
        timeoutMs,
        // They may be in a file that is replaced while the service runs.
        get headers() {
          return otel[signal].headers;
        },
      };
}
