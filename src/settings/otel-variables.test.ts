import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readOtelVariables } from "./otel-variables.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";

test("without variables nothing is said, and an empty one counts as absent", () => {
  const nothing = readOtelVariables({});
  const signal = { isOn: true, url: undefined, headers: {}, gzip: false, timeoutMs: 10_000 };
  assert.deepEqual(nothing, {
    isDisabled: false,
    serviceName: undefined,
    resourceAttributes: {},
    traces: signal,
    metrics: signal,
    metricIntervalMs: 60_000,
    ignored: [],
    unread: [],
  });
  assert.deepEqual(
    readOtelVariables({
      [ENDPOINT]: "",
      [HEADERS]: "",
      OTEL_SDK_DISABLED: "",
      OTEL_METRIC_EXPORT_INTERVAL: "",
      OTEL_X: "",
    }),
    nothing,
  );
});

test("the address for both signals gets a path, and that of one signal is used as it is", () => {
  const urls = (environment: Readonly<Record<string, string>>) => {
    const { traces, metrics } = readOtelVariables(environment);
    return [traces.url, metrics.url];
  };
  const traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  assert.deepEqual(urls({ [ENDPOINT]: "http://c:4318" }), ["http://c:4318/v1/traces", "http://c:4318/v1/metrics"]);
  assert.deepEqual(urls({ [ENDPOINT]: "https://c/otlp/" }), ["https://c/otlp/v1/traces", "https://c/otlp/v1/metrics"]);
  assert.deepEqual(urls({ [traces]: "https://c/in" }), ["https://c/in", undefined]);
  assert.deepEqual(urls({ [traces]: "https://c/in", [ENDPOINT]: "http://d" }), ["https://c/in", "http://d/v1/metrics"]);
  assert.deepEqual(urls({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://c/in" }), [undefined, "https://c/in"]);
});

test("headers and resource attributes are percent-decoded, and one part that cannot be read spoils all", () => {
  const { traces, metrics, resourceAttributes } = readOtelVariables({
    [HEADERS]: "Api-Key=a%20b%3D%2C, x-tenant = acme,authorization=Basic%20YTpi==,",
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: "api-key=other",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=st%C3%A4ging,team=risk",
  });
  assert.deepEqual(traces.headers, { "api-key": "a b=,", "x-tenant": "acme", authorization: "Basic YTpi==" });
  assert.deepEqual(metrics.headers, { "api-key": "other" });
  assert.deepEqual(resourceAttributes, { "deployment.environment.name": "stäging", team: "risk" });
  for (const headers of [
    "api-key",
    "=x",
    "a=1,api-key=%",
    "a=%C3",
    "a=1%0D%0Ab%3A2",
    "a b=1",
    "a=%E2%82%AC",
    "Content-Length=1",
    "transfer-encoding=chunked",
  ]) {
    const read = readOtelVariables({ [HEADERS]: headers, OTEL_RESOURCE_ATTRIBUTES: "a=1,b=%" });
    assert.deepEqual([read.traces.headers, read.resourceAttributes], [{}, {}], headers);
    assert.deepEqual(
      read.ignored.map(({ variable }) => variable).toSorted(),
      [HEADERS, "OTEL_RESOURCE_ATTRIBUTES"].toSorted(),
      headers,
    );
  }
});

test("what cannot be used is named without its value, once, and something that can be used takes its place", () => {
  const SECRET = "do-not-show-me";
  const read = readOtelVariables({
    OTEL_SDK_DISABLED: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: `localhost:4317/${SECRET}`,
    OTEL_EXPORTER_OTLP_HEADERS: SECRET,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=1",
    OTEL_EXPORTER_OTLP_COMPRESSION: "zstd",
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: "GZIP",
    OTEL_EXPORTER_OTLP_TIMEOUT: "10s",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    OTEL_TRACES_EXPORTER: "jaeger",
    OTEL_METRICS_EXPORTER: "prometheus, none",
    OTEL_METRIC_EXPORT_INTERVAL: "0",
    OTEL_TRACES_SAMPLER: "always_off",
  });
  assert.deepEqual(Object.fromEntries(read.ignored.map(({ variable, reason }) => [variable, reason])), {
    OTEL_SDK_DISABLED: "must be true or false",
    OTEL_TRACES_EXPORTER: "must be otlp or none",
    OTEL_EXPORTER_OTLP_ENDPOINT: "must be an http or https address without a user, a query or a fragment",
    OTEL_EXPORTER_OTLP_HEADERS:
      "must be NAME=VALUE pairs separated by commas, with names and values that a header may have, percent-encoded",
    OTEL_EXPORTER_OTLP_COMPRESSION: "must be gzip or none",
    OTEL_EXPORTER_OTLP_TIMEOUT: "must be a whole number of milliseconds, at least 1",
    OTEL_EXPORTER_OTLP_PROTOCOL: "must be http/json, and that is what is sent",
    OTEL_METRIC_EXPORT_INTERVAL: "must be a whole number of milliseconds, at least 1",
  });
  assert.deepEqual(read.unread, ["OTEL_TRACES_SAMPLER"]);
  assert.deepEqual(
    [read.isDisabled, read.traces.isOn, read.metrics.isOn, read.metricIntervalMs],
    [false, true, false, 60_000],
  );
  assert.deepEqual([read.traces.gzip, read.metrics.gzip, read.traces.headers], [false, true, { a: "1" }]);
  assert.ok(!JSON.stringify(read).includes(SECRET));
});

test("headers can be in a file, and one that cannot be read is named", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-otel-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "headers");
  writeFileSync(file, "api-key=s%20s\n");
  const headers = (environment: Readonly<Record<string, string>>) => {
    const { traces, ignored } = readOtelVariables(environment);
    return [traces.headers, ignored];
  };
  assert.deepEqual(headers({ [`${HEADERS}_FILE`]: file }), [{ "api-key": "s s" }, []]);
  assert.deepEqual(headers({ OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: file, [HEADERS]: "a=1" }), [
    { "api-key": "s s" },
    [],
  ]);
  assert.deepEqual(headers({ [HEADERS]: "a=1", [`${HEADERS}_FILE`]: file }), [
    { a: "1" },
    [{ variable: `${HEADERS}_FILE`, reason: `is not read, because ${HEADERS} is set too` }],
  ]);
  const missing = `${file}-none`;
  assert.deepEqual(headers({ [`${HEADERS}_FILE`]: missing }), [
    {},
    [{ variable: `${HEADERS}_FILE`, reason: `${HEADERS}_FILE: there is no file ${missing}` }],
  ]);
});
