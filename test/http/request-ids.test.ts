import assert from "node:assert/strict";
import { test } from "node:test";
import { LINES_MAX } from "../../src/operate/line-limit.ts";
import { type Clock, systemClock } from "../../src/terms/time/clock.ts";
import { adminPort } from "../rig/admin.ts";
import { startService, type ServiceOptions, type TestService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const RUN = { config: { sources: { acme__people: true } } };
const OF_RUN = /^trx_[0-9a-f]{32}$/;
const OF_NO_RUN = /^req_[0-9a-f]{32}$/;

/** A clock on which the second of a limit of log lines never ends. */
const withoutSeconds: Clock = {
  ...systemClock,
  after: (delayMs, callback, hold) =>
    delayMs === 1_000 && hold === "loose" ? () => {} : systemClock.after(delayMs, callback, hold),
};

function start(t: Parameters<typeof startService>[0], options: ServiceOptions = {}): Promise<TestService> {
  return startService(t, { sources: [answers("acme__people", { name: "Ada" })], ...options });
}

test("every response has a request id of its own: that of the run, if there is one", async (t) => {
  const service = await start(t);
  const impatient = await start(t, { settings: { "limits.expert.request_timeout_ms": 600 } });
  const ids = new Set<unknown>();
  const strange = { as: { token: "t", workflow: "w" } };
  const asked = {
    "/data 200": [await service.post("/data", RUN), 200, OF_RUN],
    "/data 401": [await service.post("/data", RUN, strange), 401, OF_NO_RUN],
    "/data 422": [await service.post("/data", { config: { context: "x" } }), 422, OF_NO_RUN],
    "/data 422 of JSON": [await service.post("/data", "{"), 422, OF_NO_RUN],
    "/data 500": [await service.post("/data", { config: {} }), 500, OF_NO_RUN],
    "/data 405": [await service.send("GET", "/data"), 405, OF_NO_RUN],
    "/func 200": [await service.post("/func", { config: {} }), 200, OF_RUN],
    "/func 200 of an unknown function": [
      await service.post("/func", { config: { data_func: "dfunc_no" } }),
      200,
      OF_RUN,
    ],
    "/func 401": [await service.post("/func", RUN, strange), 401, OF_NO_RUN],
    "/func 422": [await service.post("/func", { config: [] }), 422, OF_NO_RUN],
    "/func 405": [await service.send("HEAD", "/func"), 405, OF_NO_RUN],
    "/status 200": [await service.send("GET", "/status"), 200, OF_NO_RUN],
    "/status 200 again": [await service.send("GET", "/status"), 200, OF_NO_RUN],
    "/status 200 of HEAD": [await service.send("HEAD", "/status"), 200, OF_NO_RUN],
    "/status 405": [await service.send("POST", "/status"), 405, OF_NO_RUN],
    "404": [await service.send("POST", "/none", { body: "{}" }), 404, OF_NO_RUN],
  } as const;
  for (const [name, [reply, status, form]] of Object.entries(asked)) {
    assert.equal(reply.statusCode, status, name);
    assert.match(String(reply.headers["x-request-id"]), form, name);
    ids.add(reply.headers["x-request-id"]);
    if (reply.text === "") continue;
    const { error, transaction_id } = reply.json();
    if (status >= 400) assert.equal(error.request_id, reply.headers["x-request-id"], name);
    else if (form === OF_RUN) assert.equal(transaction_id, reply.headers["x-request-id"], name);
  }
  const raw: readonly (readonly [string, number])[] = [
    ["GARBAGE\r\n\r\n", 400],
    ["GET /status HTTP/1.1\r\n\r\n", 400],
    ["POST /data HTTP/1.1\r\nHost: test\r\n", 408],
    ["POST /data HTTP/1.1\r\nHost: test\r\nExpect: miracles\r\n\r\n", 417],
    [`GET /status HTTP/1.1\r\nHost: test\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [`GET /status HTTP/1.1\r\nHost: test\r\n${"X: y\r\n".repeat(200)}\r\n`, 431],
    ["CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", 405],
  ];
  for (const [text, status] of raw) {
    const [reply] = (await (status === 408 ? impatient : service).raw([text])).replies;
    assert.equal(reply?.statusCode, status, text.slice(0, 60));
    assert.match(String(reply.headers["x-request-id"]), OF_NO_RUN);
    assert.equal(JSON.parse(reply.text).error.request_id, reply.headers["x-request-id"]);
    ids.add(reply.headers["x-request-id"]);
  }
  assert.equal(ids.size, Object.keys(asked).length + raw.length, "no id comes twice");
});

test("a caller's own request id and its trace are on the run's log line and on the ledger, and decide nothing", async (t) => {
  const service = await start(t);
  const headers = { "X-Request-Id": "order 7/ä".replace("ä", "a"), traceparent: TRACEPARENT };
  const replies = [await service.post("/data", RUN, { headers }), await service.post("/data", RUN, { headers })];
  const ids = replies.map((reply) => reply.json().transaction_id as string);
  assert.equal(new Set(ids).size, 2, "the same id is two runs");
  for (const [at, reply] of replies.entries()) {
    assert.equal(reply.headers["x-request-id"], ids[at], "the caller's id does not take the place of ours");
    assert.ok(!JSON.stringify(reply.headers).includes("order 7"));
    const { run } = service.ledgerRows(ids[at]!);
    assert.deepEqual([run["client_request_id"], run["trace_id"]], ["order 7/a", TRACE]);
  }
  for (const line of await service.runLines())
    assert.deepEqual([line["client_request_id"], line["trace_id"]], ["order 7/a", TRACE]);
});

test("an id of the caller that is too long, not printable ASCII, empty or sent twice is ignored, and refuses nothing", async (t) => {
  const service = await start(t);
  const sent: readonly (readonly [string | readonly string[], string | null])[] = [
    ["x", "x"],
    ["x".repeat(64), "x".repeat(64)],
    ["~ !", "~ !"],
    ["x".repeat(65), null],
    ["", null],
    ["  ", null],
    ["a\tb", null],
    ["caf\u00e9", null],
    [["one", "two"], null],
  ];
  for (const [id, recorded] of sent) {
    const reply = await service.post("/data", RUN, { headers: { "X-Request-Id": id, traceparent: "00-nonsense" } });
    assert.equal(reply.statusCode, 200, `${JSON.stringify(id)} ${reply.text}`);
    const { run } = service.ledgerRows(reply.json().transaction_id as string);
    assert.deepEqual([run["client_request_id"], run["trace_id"]], [recorded, null], JSON.stringify(id));
  }
});

test("a refused request has a log line with its ids, path and code; of a flood only some, and the number of the others", async (t) => {
  const service = await start(t, { clock: withoutSeconds });
  const headers = { "X-Request-Id": "mine", traceparent: TRACEPARENT };
  const refused = [
    await service.post("/data", RUN, { as: null, headers }),
    await service.post("/func", { config: [] }, { headers }),
    await service.post("/data", { config: {} }, { headers }),
    await service.send("POST", "/somewhere?secret=1", { headers }),
  ];
  const linesOf = async (code: string) =>
    (await service.logLines()).filter((line) => line["event"] === "refused" && line["code"] === code);
  const codes = ["request.unauthenticated", "request.invalid", "request.no_sources", "request.not_found"];
  const paths = ["/data", "/func", "/data", "(other)"];
  for (const [at, reply] of refused.entries()) {
    const [line, ...others] = await linesOf(codes[at]!);
    assert.deepEqual(
      [line?.["level"], line?.["request_id"], line?.["path"], line?.["client_request_id"], line?.["trace_id"], others],
      [30, reply.headers["x-request-id"], paths[at], "mine", TRACE, []],
    );
  }
  await service.raw(["GARBAGE\r\n\r\n"]);
  assert.match(String((await linesOf("request.http"))[0]!["request_id"]), OF_NO_RUN);

  const FLOOD = 200;
  await Promise.all(Array.from({ length: FLOOD }, () => service.send("GET", "/none")));
  await service.close();
  const lines = (await linesOf("request.not_found")).filter(({ level }) => Number(level) >= 30);
  assert.equal(lines.filter((line) => line["request_id"] !== undefined).length, LINES_MAX);
  assert.deepEqual(
    lines.flatMap(({ count }) => count ?? []),
    [FLOOD + 1 - LINES_MAX],
  );
});

test("a run is found by the caller's request id and by its trace, among others, as list and by a search", async (t) => {
  const service = await start(t);
  const { result, call } = adminPort(t, service.adminUrl, service.secrets);
  const viewer = await service.operator.appoint("viewer", "ada");
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await service.post("/data", RUN, { headers })).json().transaction_id as string;
  const own = await ask({ "X-Request-Id": "Order-7", traceparent: TRACEPARENT });
  const same = await ask({ "X-Request-Id": "Order-7" });
  const trace = await ask({ traceparent: TRACEPARENT });
  const other = await ask({});
  const listed = async (filter: object): Promise<string[]> =>
    (await result("ledger list", filter, viewer)).runs.map((run: { transaction_id: string }) => run.transaction_id);
  assert.deepEqual(await listed({ client_request_id: "Order-7" }), [same, own]);
  assert.deepEqual(await listed({ client_request_id: "Order-7", trace_id: TRACE }), [own]);
  assert.deepEqual(await listed({ client_request_id: "order-7" }), []);
  assert.deepEqual(await listed({ client_request_id: "Order-7", source: "acme__people", org: service.a.id }), [
    same,
    own,
  ]);
  assert.deepEqual(await listed({ client_request_id: "Order-7", source: "ok__echo" }), []);
  assert.deepEqual(await listed({ client_request_id: "Order-7", org: service.b.id }), []);
  assert.deepEqual(await listed({ trace_id: TRACE }), [trace, own]);
  assert.equal((await call("ledger list", { trace_id: "nonsense" }, { as: viewer })).statusCode, 422);
  assert.equal((await call("ledger list", { client_request_id: "x".repeat(65) }, { as: viewer })).statusCode, 422);

  const found = async (text: string): Promise<(readonly [string, string | null])[]> =>
    (await result("object find", { text }, viewer)).matches.map(
      (match: { kind: string; id: string; name: string | null }) => [
        match.kind === "run" ? match.id : match.kind,
        match.name,
      ],
    );
  const [ofOwn, ofSame, ofTrace] = [
    [own, "Order-7"],
    [same, "Order-7"],
    [trace, null],
  ] as const;
  assert.deepEqual(await found("Order-7"), [ofSame, ofOwn]);
  assert.deepEqual(await found(TRACE), [ofTrace, ofOwn]);
  assert.deepEqual(await found(TRACE.toUpperCase()), [ofTrace, ofOwn]);
  assert.deepEqual(
    await found(other.slice(4)),
    [[other, null]],
    "a run without a trace has that of its own id in spans",
  );
  assert.deepEqual(await found("Order"), [], "part of an id is not looked for");

  const { run, timeline } = await result("ledger show", { transaction: own }, viewer);
  assert.deepEqual([run.client_request_id, run.trace_id], ["Order-7", TRACE]);
  assert.match(timeline, new RegExp(`request +Order-7\\n +trace +${TRACE}\\n`));
});
