import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { test } from "node:test";
import { startService, type ServiceOptions } from "../rig/service.ts";
import { until } from "../rig/until.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor, type TestLife, type Vendor } from "../vendor/scripted-vendor.ts";

const KEY = "k3y of the backend, that nobody may see";
const HEADERS = `api-key=${encodeURIComponent(KEY)}`;

/** A backend that answers 401 without its key. */
function startBackend(t: TestLife): Promise<Vendor> {
  return startVendor(t, {
    otherwise: (socket, request) =>
      (request.headers["api-key"] === KEY ? json({}) : json({ code: 16 }, { status: 401 }))(socket, request),
  });
}

async function startExporting(
  t: TestLife,
  environment: Readonly<Record<string, string>>,
  options: ServiceOptions = {},
) {
  const service = await startService(t, { ...options, environment });
  service.secrets.add(KEY);
  return service;
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly Point[] };
}
interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly startTimeUnixNano: string;
  readonly asDouble: number;
}

const parsed = ({ headers, body }: Vendor["requests"][number]) =>
  JSON.parse((headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());

/** The resource of each request to a path. */
function resources(backend: Vendor, path: string): Readonly<Record<string, string>>[] {
  return backend.requests
    .filter((request) => request.path === path)
    .map((request) => {
      const { resourceSpans, resourceMetrics } = parsed(request);
      const { attributes } = (resourceSpans ?? resourceMetrics)[0].resource as { attributes: Point["attributes"] };
      return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
    });
}

/** The values of a counter in the last request with metrics, by its labels. */
function countsIn(backend: Vendor, path: string, name: string): Readonly<Record<string, number>> {
  const { resourceMetrics } = parsed(backend.requests.findLast((request) => request.path === path)!);
  const metrics = resourceMetrics[0].scopeMetrics[0].metrics as Metric[];
  const points = metrics.find((metric) => metric.name === name)!.sum!.dataPoints;
  return Object.fromEntries(
    points.map(({ attributes, asDouble }) => [attributes.map(({ value }) => value.stringValue).join(), asDouble]),
  );
}

test("spans and metrics reach a backend that wants a key, by the variables of OpenTelemetry alone", async (t) => {
  const backend = await startBackend(t);
  const service = await startExporting(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: backend.origin,
    OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_SERVICE_NAME: "risk-data",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=staging,host.name=here",
    OTEL_PROPAGATORS: "b3",
    OTEL_METRIC_EXPORT_INTERVAL: "50",
  });
  await service.run({});
  await until(() => backend.count("/v1/traces") > 0);
  const sent = () => countsIn(backend, "/v1/metrics", "datarun_spans_sent_total")[""];
  await until(() => backend.count("/v1/metrics") > 0 && sent() === 2);
  await service.close();
  assert.deepEqual(new Set(backend.requests.map(({ headers }) => headers["content-encoding"])), new Set(["gzip"]));
  assert.deepEqual(countsIn(backend, "/v1/metrics", "datarun_runs_total"), { "data,ok": 1 });
  const [span, metric] = [resources(backend, "/v1/traces")[0]!, resources(backend, "/v1/metrics")[0]!];
  assert.deepEqual(span, metric);
  assert.match(span["service.instance.id"]!, /^[\da-f-]{36}$/);
  assert.deepEqual(
    [span["service.name"], span["deployment.environment.name"], span["host.name"], span["datarun.region"]],
    ["risk-data", "staging", "here", "local"],
  );
  const lines = await service.logLines();
  assert.deepEqual(
    lines.filter(({ event }) => event === "otel_variables_unread").map(({ variables }) => variables),
    [["OTEL_PROPAGATORS"]],
  );
});

test("without the key nothing is taken, and the log says so without showing a header", async (t) => {
  const backend = await startBackend(t);
  const service = await startExporting(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: backend.origin,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${encodeURIComponent(`${KEY}€`)}`,
    OTEL_METRIC_EXPORT_INTERVAL: "50",
  });
  await service.run({});
  await until(() => backend.count("/v1/traces") > 0 && backend.count("/v1/metrics") > 1);
  await service.close();
  const lines = await service.logLines();
  const saying = (event: string, field: string) =>
    lines.filter((line) => line["event"] === event).map((line) => line[field]);
  assert.deepEqual(saying("otel_variable_ignored", "variable"), ["OTEL_EXPORTER_OTLP_HEADERS"]);
  assert.deepEqual(saying("metrics_not_taken", "reason"), ["the collector answered 401"]);
  assert.deepEqual(saying("spans_dropped", "reason"), ["the collector answered 401"]);
});

test("our own setting comes before the variables, and OTEL_SDK_DISABLED before everything", async (t) => {
  const [own, other] = [await startBackend(t), await startBackend(t)];
  const settings = { otlp_endpoint: own.origin };
  const environment = {
    OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
    OTEL_EXPORTER_OTLP_ENDPOINT: other.origin,
    OTEL_METRIC_EXPORT_INTERVAL: "50",
  };
  for (const [disabled, expected] of [
    ["false", ["/v1/metrics", "/v1/traces"]],
    ["true", []],
  ] as const) {
    const before = own.requests.length;
    const service = await startExporting(t, { ...environment, OTEL_SDK_DISABLED: disabled }, { settings });
    await service.run({});
    const paths = () => [...new Set(own.requests.slice(before).map(({ path }) => path))].toSorted();
    await until(() => paths().length === expected.length);
    await service.close();
    assert.deepEqual(paths(), expected);
  }
  assert.deepEqual(other.requests, []);
});
