import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor, repeatsInputs } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { json } from "../vendor/behaviours.ts";
import { refusingOrigin, startVendor, type Vendor } from "../vendor/scripted-vendor.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status?: { readonly code: number };
}

/** What a collector reads, field by field, of the JSON form of protobuf. It refuses what that form does not have. */
function readSpans(collector: Vendor): Span[] {
  const sent = collector.requests.filter(({ path }) => path !== "/v1/metrics");
  return sent.flatMap(({ method, path, headers, body }) => {
    assert.deepEqual([method, path, headers["content-type"]], ["POST", "/v1/traces", "application/json"]);
    const { resourceSpans, ...nothing } = JSON.parse(body.toString()) as { resourceSpans: Resource[] };
    assert.deepEqual(nothing, {});
    return resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const of = readAttributes(resource.attributes);
      assert.equal(of["service.name"], "datarun");
      assert.equal(of["process.pid"], BigInt(process.pid));
      return scopeSpans.flatMap(({ spans }) => spans.map(readSpan));
    });
  });
}

interface Resource {
  readonly resource: { readonly attributes: unknown };
  readonly scopeSpans: readonly { readonly scope: object; readonly spans: readonly Record<string, unknown>[] }[];
}

const FIELDS = new Set([
  "traceId",
  "spanId",
  "parentSpanId",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "status",
]);

function readSpan(span: Record<string, unknown>): Span {
  for (const field of Object.keys(span)) assert.ok(FIELDS.has(field), `${field} is no field of a span`);
  assert.match(span["traceId"] as string, /^(?!0+$)[0-9a-f]{32}$/);
  assert.match(span["spanId"] as string, /^(?!0+$)[0-9a-f]{16}$/);
  if (span["parentSpanId"] !== undefined) assert.match(span["parentSpanId"] as string, /^[0-9a-f]{16}$/);
  for (const time of ["startTimeUnixNano", "endTimeUnixNano"]) assert.match(span[time] as string, /^\d{19}$/);
  assert.ok(BigInt(span["endTimeUnixNano"] as string) >= BigInt(span["startTimeUnixNano"] as string));
  assert.ok([1, 2, 3].includes(span["kind"] as number));
  return { ...(span as unknown as Span), attributes: readAttributes(span["attributes"]) };
}

function readAttributes(list: unknown): Readonly<Record<string, unknown>> {
  const read = (list as readonly { key: string; value: Record<string, unknown> }[]).map(({ key, value }) => {
    const [[kind, of], ...more] = Object.entries(value) as [[string, unknown]];
    assert.equal(more.length, 0);
    if (kind === "intValue") return [key, BigInt(of as string)] as const;
    assert.equal(typeof of, { stringValue: "string", boolValue: "boolean" }[kind]);
    return [key, of] as const;
  });
  return Object.fromEntries(read);
}

/** Of rows whose first cell is a name. */
function byName([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return (a as string) < (b as string) ? -1 : 1;
}

async function spansSent(collector: Vendor, count: number): Promise<Span[]> {
  await until(() => readSpans(collector).length >= count);
  const spans = readSpans(collector);
  assert.equal(spans.length, count);
  return spans;
}

test("a run is a server's span in the caller's trace, with a span for each source and for each request to a vendor", async (t) => {
  const collector = await startVendor(t, { otherwise: json({}) });
  const vendor = await startVendor(t);
  const service = await startService(t, {
    sources: [
      asksVendor("acme__people", vendor, "/json"),
      asksVendor("acme__down", vendor, "/status/503"),
      repeatsInputs("acme__repeats", "name"),
    ],
    settings: { otlp_endpoint: collector.origin, "outbound.trace_origins": vendor.origin },
    vendors: [vendor],
  });
  const name = "a-name-that-is-nobodys";
  const reply = await service.run(
    { acme__people: true, acme__down: true, acme__repeats: true, acme__mistyped: true },
    { name },
    { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } },
  );
  const spans = await spansSent(collector, 8);

  assert.ok(spans.every(({ traceId }) => traceId === TRACE));
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 8);
  const run = spans.find(({ kind }) => kind === 2);
  assert.deepEqual([run!.name, run!.parentSpanId, run!.status], ["POST /data", PARENT, undefined]);
  assert.equal(run!.attributes["http.response.status_code"], 200n);
  assert.equal(run!.attributes["url.scheme"], "http");
  assert.equal(run!.attributes["datarun.transaction_id"], reply.json().transaction_id);
  assert.equal(run!.attributes["datarun.organization"], service.a.id);

  const calls = spans.filter(({ kind }) => kind === 1);
  assert.ok(calls.every(({ parentSpanId }) => parentSpanId === run!.spanId));
  const outcomes = calls.map(({ name: of, status, attributes }) => [
    of,
    status?.code,
    attributes["error.type"],
    attributes["datarun.match"],
  ]);
  assert.deepEqual(outcomes.toSorted(byName), [
    ["acme__down", 2, "source.vendor_5xx", false],
    ["acme__people", undefined, undefined, true],
    ["acme__repeats", undefined, undefined, true],
    ["ok__echo", undefined, undefined, true],
    ["unknown source", 2, "source.unknown", false],
  ]);

  const requests = spans.filter(({ kind }) => kind === 3);
  const callOf = (span: Span) => calls.find(({ spanId }) => spanId === span.parentSpanId)!.name;
  const asked = requests.map((span) => [
    callOf(span),
    span.name,
    span.attributes["http.response.status_code"],
    span.status?.code,
    span.attributes["datarun.charged"],
  ]);
  assert.deepEqual(asked.toSorted(byName), [
    ["acme__down", "GET", 503n, 2, "unknown"],
    ["acme__people", "GET", 200n, undefined, "yes"],
  ]);
  const { hostname, port } = new URL(vendor.origin);
  for (const { attributes } of requests)
    assert.deepEqual([attributes["server.address"], attributes["server.port"]], [hostname, BigInt(port)]);
  const told = vendor.requests.map(({ headers }) => headers["traceparent"]!.split("-")[2]);
  assert.deepEqual(
    new Set(told),
    new Set(requests.map(({ spanId }) => spanId)),
    "the vendor is told of the span that asks it",
  );
  const sent = collector.requests.map(({ body }) => body.toString()).join();
  assert.ok(!sent.includes(name) && !sent.includes("acme__mistyped"), "no inputs, and nothing that callers make up");
});

test("a run without a trace has one of its own, a function's run is one, and a caller's word not to sample is kept", async (t) => {
  const collector = await startVendor(t, { otherwise: json({}) });
  const service = await startService(t, { settings: { otlp_endpoint: `${collector.origin}/` } });
  await service.run({}, {}, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
  const own = await service.run({});
  const spans = await spansSent(collector, 2);
  const id = own.json().transaction_id;
  for (const { traceId } of spans) assert.equal(`trx_${traceId}`, id);
  assert.equal(spans.find(({ kind }) => kind === 2)!.parentSpanId, undefined);
});

test("a collector that is away costs a run nothing, and the metrics say so", async (t) => {
  const service = await startService(t, { settings: { otlp_endpoint: await refusingOrigin() } });
  for (let count = 0; count < 5; count += 1) assert.equal((await service.run({})).statusCode, 200);
  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  assert.match(page, /^datarun_spans_sent_total 0$/m);
  await service.close();
  const lines = (await service.logLines()).filter(({ event }) => event === "spans_dropped");
  assert.deepEqual(
    lines.map(({ reason }) => reason),
    ["the service has ended"],
  );
});

test("spans that wait when a service stops are sent", async (t) => {
  const collector = await startVendor(t, { otherwise: json({}) });
  const service = await startService(t, { settings: { otlp_endpoint: collector.origin } });
  await service.run({});
  await service.close();
  assert.equal(readSpans(collector).length, 2);
});
