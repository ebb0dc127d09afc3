import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { ADMIN_CONNECTIONS_MAX } from "../../src/operate/admin-server.ts";
import { exchange } from "../rig/raw-socket.ts";
import { startService } from "../rig/service.ts";
import { asksVendor, throws } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** Names, types and samples of a Prometheus page. */
async function metricsOf(adminUrl: string) {
  const reply = await fetch(`${adminUrl}/metrics`);
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  const lines = (await reply.text()).split("\n");
  const types = new Map(
    lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ").slice(2) as [string, string]),
  );
  const samples = new Map(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))] as const),
  );
  return { types, samples };
}

test("the metrics page counts runs, calls by outcome and charge, and refusals", async (t) => {
  const vendor = await startVendor(t);
  const sources = [
    asksVendor("acme__people", vendor, "/json", { charge: { model: "per_call", amount: 0.1, currency: "EUR" } }),
    asksVendor("acme__down", vendor, "/status/503", { charge: { model: "per_call", amount: 12, currency: "USD" } }),
    throws("acme__throws", new Error("x")),
  ];
  const service = await startService(t, { sources, vendors: [vendor] });
  await service.run({ acme__people: true, acme__down: true, acme__throws: true });
  await service.run({ acme__people: true });
  await service.post("/data", { config: { sources: { ok__echo: true } } }, { as: { token: "x", workflow: "y" } });
  await service.post("/data", { config: { sources: 1 } });

  const { types, samples } = await metricsOf(service.adminUrl);
  const expected: Record<string, number> = {
    'datarun_runs_total{kind="data",outcome="ok"}': 1,
    'datarun_runs_total{kind="data",outcome="with_failures"}': 1,
    'datarun_source_calls_total{source="acme__people",outcome="match"}': 2,
    'datarun_source_calls_total{source="acme__down",outcome="vendor_5xx"}': 1,
    'datarun_source_calls_total{source="acme__throws",outcome="adapter"}': 1,
    'datarun_source_charged_total{source="acme__people",charged="yes"}': 2,
    'datarun_source_charged_total{source="acme__down",charged="unknown"}': 1,
    'datarun_source_spend_total{source="acme__people",currency="EUR",charged="yes"}': 0.2,
    'datarun_source_spend_total{source="acme__down",currency="USD",charged="unknown"}': 12,
    'datarun_refusals_total{code="unauthenticated"}': 1,
    'datarun_refusals_total{code="invalid_request"}': 1,
    datarun_run_seconds_count: 2,
    'datarun_source_seconds_count{source="acme__people"}': 2,
    'datarun_run_seconds_bucket{le="+Inf"}': 2,
    datarun_runs_under_way: 0,
    datarun_breakers_open: 0,
  };
  for (const [sample, value] of Object.entries(expected)) assert.equal(samples.get(sample), value, sample);
  for (const name of [
    "ledger_pending_records",
    "ledger_lag_seconds",
    "ledger_undrained_runs",
    "journal_bytes",
    "journal_bytes_max",
    "journal_days_left",
    "vendor_calls_in_flight",
    "vendor_calls_waiting",
    "function_runs_under_way",
  ])
    assert.equal(types.get(`datarun_${name}`), "gauge", name);
  for (const name of [
    "journal_damage_met",
    "function_processes_killed",
    "shadow_processes_killed",
    "failed_logins",
    "spans_dropped",
  ])
    assert.equal(types.get(`datarun_${name}_total`), "counter", name);
  const bounds = [...samples.keys()].flatMap(
    (name) => /^datarun_run_seconds_bucket\{le="([\d.]+)"\}$/.exec(name)?.slice(1).map(Number) ?? [],
  );
  assert.deepEqual(
    bounds,
    bounds.toSorted((a, b) => a - b),
  );
  assert.ok(bounds[0]! <= 0.01 && bounds.at(-1)! >= 60, "from a few milliseconds to the longest deadline there is");
});

test("what callers make up becomes no label", async (t) => {
  const service = await startService(t);
  const madeUp = Array.from({ length: 90 }, (_, number) => [`made_up__${number}`, true]);
  for (let count = 0; count < 3; count += 1) await service.run(Object.fromEntries(madeUp));
  await service.post("/func", { config: { data_func: "dfunc_made_up" } });
  for (let count = 0; count < 5; count += 1) await service.send("GET", `/made-up-${count}`);
  const { samples } = await metricsOf(service.adminUrl);
  assert.ok(![...samples.keys()].some((name) => /made.up/.test(name)));
  assert.equal(samples.get('datarun_source_calls_total{source="(unknown)",outcome="unknown_source"}'), 270);
  assert.equal(samples.get('datarun_refusals_total{code="not_found"}'), 5);
});

test("the probes distinguish liveness from readiness, and a service that stops is alive and not ready", async (t) => {
  const vendor = await startVendor(t, { paths: { "/slow": later(800, json({ ok: true })) } });
  const service = await startService(t, { sources: [asksVendor("acme__slow", vendor, "/slow")], vendors: [vendor] });
  const probe = async (path: string) => {
    const reply = await fetch(service.adminUrl + path);
    for (const [name, value] of [
      ["x-frame-options", "DENY"],
      ["content-security-policy", "frame-ancestors 'none'"],
      ["cache-control", "no-store"],
    ])
      assert.equal(reply.headers.get(name!), value);
    return [reply.status, await reply.json()];
  };
  assert.deepEqual(await probe("/live"), [200, { status: "OK" }]);
  assert.deepEqual(await probe("/ready"), [200, { status: "OK", reasons: [], warnings: [] }]);
  const running = service.run({ acme__slow: true });
  await vendor.received(1);
  const closing = service.close();
  assert.deepEqual(await probe("/live"), [200, { status: "OK" }]);
  assert.deepEqual(await probe("/ready"), [503, { status: "not ready", reasons: ["shutting down"], warnings: [] }]);
  assert.equal((await running).statusCode, 200);
  await closing;
  await assert.rejects(fetch(`${service.adminUrl}/live`));
});

test("the admin port has these pages and no others, to be read and nothing else", async (t) => {
  const { adminUrl } = await startService(t);
  const head = await fetch(`${adminUrl}/live`, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal((await fetch(`${adminUrl}/ready?since=1`)).status, 200);
  for (const [method, path] of [
    ["GET", "/consoles"],
    ["GET", "/live/"],
    ["GET", "/toString"],
    ["POST", "/live"],
    ["DELETE", "/metrics"],
  ] as const) {
    const reply = await fetch(adminUrl + path, { method });
    assert.equal(reply.status, 404, `${method} ${path}`);
    assert.equal(reply.headers.get("x-frame-options"), "DENY");
    assert.deepEqual(await reply.json(), {
      error: { code: "not_found", message: "There is nothing at this path." },
    });
  }
});

test("the public port has none of it", async (t) => {
  const service = await startService(t);
  for (const path of ["/metrics", "/live", "/ready"]) assert.equal((await service.send("GET", path)).statusCode, 404);
});

test("a client that ends its half after asking gets its answer", async (t) => {
  const service = await startService(t);
  for (const path of ["/live", "/metrics", "/metrics"]) {
    const ask = [`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, (socket: Socket) => socket.end()];
    const { replies } = await exchange(service.adminUrl, ask, { replies: 1 });
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200],
      path,
    );
  }
});

test("the admin port has a limited number of connections, and what is beyond it is seen in the log", async (t) => {
  const service = await startService(t);
  const { hostname, port } = new URL(service.adminUrl);
  const held = Array.from({ length: ADMIN_CONNECTIONS_MAX + 20 }, () =>
    connect(Number(port), hostname).on("error", () => {}),
  );
  t.after(() => held.forEach((socket) => socket.destroy()));
  await until(() => held.filter(({ closed }) => closed).length === 20);
  const lines = (await service.logLines()).filter(({ event }) => event === "admin_connections_dropped");
  assert.deepEqual(
    lines.map(({ reason, count }) => [reason, count]),
    [["connection_limit", 1]],
    "a flood is one line, then a number",
  );
  for (const socket of held) socket.destroy();
  await until(async () => (await fetch(`${service.adminUrl}/live`).catch(() => null))?.status === 200);
});

test("a client of the admin port that sends requests ahead of their answers is cut off", async (t) => {
  const service = await startService(t);
  const ask = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  const { replies, closed } = await exchange(service.adminUrl, [ask.repeat(1_000)]);
  assert.ok(closed && replies.length <= 1);
  const { replies: both } = await exchange(service.adminUrl, [ask, 100, ask], { replies: 2 });
  assert.equal(both.length, 2);
});
