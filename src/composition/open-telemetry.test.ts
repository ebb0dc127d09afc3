import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "../settings/read-settings.ts";
import { otlpTargetOf } from "./open-telemetry.ts";

const OWN = "http://own:4318/";
const ALL = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const METRICS = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";

test("our own address comes before the variables, those of a signal before those for both, and what is off is off", () => {
  const option = { options: { "otlp-endpoint": OWN } };
  const file = { file: { otlp_endpoint: OWN } };
  const own = ["http://own:4318/v1/traces", "http://own:4318/v1/metrics"];
  for (const [environment, given, urls] of [
    [{}, {}, [null, null]],
    [{}, option, own],
    [{ [ALL]: "http://a" }, {}, ["http://a/v1/traces", "http://a/v1/metrics"]],
    [{ [ALL]: "http://a", [TRACES]: "http://b/in", [METRICS]: "http://c" }, option, own],
    [{ [ALL]: "http://a", [TRACES]: "http://b/in" }, file, own],
    [{ [ALL]: "http://a", DATARUN_OTLP_ENDPOINT: OWN }, {}, own],
    [{ [ALL]: "http://a", [TRACES]: "http://b/in" }, {}, ["http://b/in", "http://a/v1/metrics"]],
    [{ [METRICS]: "http://c" }, {}, [null, "http://c"]],
    [{ [ALL]: "a:4317" }, {}, [null, null]],
    [{ OTEL_TRACES_EXPORTER: "none" }, option, [null, own[1]]],
    [{ [ALL]: "http://a", OTEL_METRICS_EXPORTER: "prometheus" }, {}, ["http://a/v1/traces", null]],
    [{ OTEL_SDK_DISABLED: "True" }, option, [null, null]],
  ] as const) {
    const settings = readSettings({ environment, ...given });
    const sent = (["traces", "metrics"] as const).map((signal) => otlpTargetOf(settings, signal)?.url ?? null);
    assert.deepEqual(sent, urls, JSON.stringify([environment, given]));
  }
});

test("headers, compression and timeouts of the variables go to our own address too", () => {
  const settings = readSettings({
    options: { "otlp-endpoint": OWN },
    environment: {
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a",
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: "api-key=b",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "500",
    },
  });
  assert.deepEqual(otlpTargetOf(settings, "traces"), {
    url: "http://own:4318/v1/traces",
    headers: { "api-key": "a" },
    gzip: true,
    timeoutMs: 500,
  });
  assert.deepEqual(otlpTargetOf(settings, "metrics"), {
    url: "http://own:4318/v1/metrics",
    headers: { "api-key": "b" },
    gzip: true,
    timeoutMs: 10_000,
  });
});
