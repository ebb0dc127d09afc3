import assert from "node:assert/strict";
import { test } from "node:test";
import { refusingOrigin, startVendor } from "../../test/vendor/scripted-vendor.ts";
import { type AnswerOptions, head, raw } from "../../test/vendor/behaviours.ts";
import { chargesOf } from "../terms/money/charge.ts";
import { type Charged, Fault, type FaultCode } from "../terms/fault.ts";
import { faultOf, openTestClient } from "./http-client.kit.ts";

/** What a vendor has charged for one request, if it bills each call, each completed call, or each record. */
type Charges = readonly [perCall: Charged, perSuccess: Charged, perMatch: Charged];

const NOTHING: Charges = ["no", "no", "no"];
const NOBODY_KNOWS: Charges = ["unknown", "unknown", "unknown"];
/** The vendor completed the call, and it is unknown whether its reply contained a record. */
const COMPLETED: Charges = ["yes", "yes", "unknown"];
const ERROR: Charges = ["unknown", "no", "no"];

/** The vendor's behaviour, and the expected outcome. Each is one request that reached the vendor, and one attempt. */
const BROKEN: readonly (readonly [path: string, code: FaultCode, charges: Charges])[] = [
  ["/close-before-headers", "source.connection_lost", NOBODY_KNOWS],
  ["/reset-before-headers", "source.connection_lost", NOBODY_KNOWS],
  ["/close-mid-headers", "source.connection_lost", NOBODY_KNOWS],
  ["/reset-mid-headers", "source.connection_lost", NOBODY_KNOWS],
  ["/close-mid-body", "source.connection_lost", NOBODY_KNOWS],
  ["/reset-mid-body", "source.connection_lost", NOBODY_KNOWS],
  ["/short-length", "source.connection_lost", NOBODY_KNOWS],
  ["/missing-last-chunk", "source.connection_lost", NOBODY_KNOWS],
  ["/reset-without-length", "source.connection_lost", NOBODY_KNOWS],
  ["/reset-mid-chunk", "source.connection_lost", NOBODY_KNOWS],
  ["/endless", "source.contract", COMPLETED],
  ["/huge-length", "source.contract", COMPLETED],
  ["/gzip-bomb/64", "source.contract", COMPLETED],
  ["/not-gzip", "source.contract", COMPLETED],
  ["/truncated-gzip", "source.contract", COMPLETED],
  ["/double-gzip", "source.contract", COMPLETED],
  ["/deflate", "source.contract", COMPLETED],
  ["/br", "source.contract", COMPLETED],
  ["/bad-chunk", "source.contract", COMPLETED],
  ["/huge-headers", "source.contract", NOBODY_KNOWS],
  ["/bad-header", "source.contract", NOBODY_KNOWS],
  ["/two-lengths", "source.contract", NOBODY_KNOWS],
  ["/garbage", "source.contract", NOBODY_KNOWS],
  ["/banner", "source.contract", NOBODY_KNOWS],
  ["/upgrade", "source.contract", NOBODY_KNOWS],
  ["/continue-flood", "source.contract", NOBODY_KNOWS],
  ["/hints-flood", "source.contract", NOBODY_KNOWS],
  ["/status/301", "source.contract", NOTHING],
  ["/status/304", "source.contract", NOTHING],
  ["/status/400", "source.vendor_4xx", ERROR],
  ["/status/401", "source.credential_rejected", NOTHING],
  ["/status/403", "source.credential_rejected", NOTHING],
  ["/status/404", "source.vendor_4xx", ERROR],
  ["/status/422", "source.vendor_4xx", ERROR],
  ["/status/429", "source.rate_limited", NOTHING],
  ["/status/500", "source.vendor_5xx", ERROR],
  ["/status/503", "source.vendor_5xx", ERROR],
  ["/status/600", "source.contract", NOBODY_KNOWS],
];

for (const [path, code, charges] of BROKEN) {
  for (const method of ["GET", "POST"]) {
    test(`${method} ${path} is ${code}, and one request only`, async (t) => {
      const vendor = await startVendor(t);
      const { call, http } = openTestClient(t).call(vendor.origin);

      const fault = await faultOf(
        http.request(method, vendor.origin + path, { body: method === "POST" ? "x" : undefined }),
      );

      assert.equal(fault.code, code);
      assert.equal(vendor.count(), 1);
      assert.equal(call.attempts.length, 1);
      assert.notEqual(call.attempts[0]!.tookMs, null);
      const told = (["per_call", "per_success", "per_match"] as const).map((model) =>
        chargesOf(call.attempts, model, fault),
      );
      assert.deepEqual(told.flat(), charges);
    });
  }
}

/** An error page, for example of a proxy, instead of the vendor's own error. */
const PAGES: Readonly<Record<string, AnswerOptions["headers"]>> = {
  "in an encoding that nobody asked for": { "content-encoding": "br" },
  "that claims to be gzip": { "content-encoding": "gzip" },
  "that is too large": { "content-length": String(2 ** 30) },
};

for (const [what, headers] of Object.entries(PAGES)) {
  test(`a page ${what} changes nothing of what its status says`, async (t) => {
    const vendor = await startVendor(t);
    for (const status of [401, 404, 429, 500, 503]) {
      vendor.on("/page", raw(`${head(status, { "content-length": "4", ...headers })}page`));
      const { call, http } = openTestClient(t).call(vendor.origin);

      const reply = await http.get(`${vendor.origin}/page`, { answers: [status] });

      assert.deepEqual([reply.status, reply.bytes().length], [status, 0]);
      assert.equal(call.attempts[0]!.status, status);
    }
  });
}

/** Replies that arrive completely, but turn out to be invalid when they are read. */
for (const path of [
  "/html",
  "/empty",
  "/no-content",
  "/truncated-json",
  "/invalid-utf8",
  "/deep/5000",
  "/infinite-number",
  "/hidden-double-gzip",
]) {
  test(`${path} is a reply, but not JSON that can be used`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openTestClient(t).call(vendor.origin);

    const reply = await http.get(vendor.origin + path);

    assert.throws(() => reply.json(), { code: "source.contract" });
    assert.deepEqual(chargesOf(call.attempts, "per_call", new Fault("source.contract")), ["yes"]);
    assert.equal(call.attempts.length, 1);
    assert.equal(vendor.count(), 1);
  });
}

test("bytes after the announced length are not a part of any reply", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const first = await http.get(`${vendor.origin}/longer-than-length`);
  const second = await http.get(`${vendor.origin}/json`);

  assert.equal(first.text(), '{"a":1}');
  assert.equal(second.json().name, "Ada");
  assert.deepEqual(
    vendor.requests.map(({ connection }) => connection),
    [1, 2],
  );
});

test("a refused connection is unreachable at once, with the reason for the log, and nothing was sent", async (t) => {
  const origin = await refusingOrigin();
  const { call, http } = openTestClient(t).call(origin);

  const fault = await faultOf(http.post(origin, { json: {} }));

  assert.equal(fault.code, "source.unreachable");
  assert.deepEqual(fault.detail, { problem: "no connection" });
  assert.equal((fault.cause as NodeJS.ErrnoException).code, "ECONNREFUSED");
  assert.equal(call.attempts.length, 0);
});

test("a vendor that accepts and closes without a word was still sent a request", async (t) => {
  const vendor = await startVendor(t, { onConnection: (socket) => socket.end() });
  const { call, http } = openTestClient(t).call(vendor.origin);

  const fault = await faultOf(http.get(vendor.origin));

  // The fault depends on whether the end was noticed before the request was sent; the ledger says which.
  assert.equal(fault.code, call.attempts.length === 1 ? "source.connection_lost" : "source.unreachable");
  assert.deepEqual(chargesOf(call.attempts, "per_call", fault), call.attempts.length === 1 ? ["unknown"] : []);
});

for (const path of ["/hang", "/drip/5", "/delay/5000"]) {
  test(`${path} ends at the deadline, and its connection is closed`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openTestClient(t).call(vendor.origin, { timeoutMs: 1_000 });
    const startedAt = performance.now();

    const fault = await faultOf(http.get(vendor.origin + path));

    assert.equal(fault.code, "source.timeout");
    assert.deepEqual(chargesOf(call.attempts, "per_call", fault), ["unknown"]);
    assert.deepEqual(fault.detail, { afterMs: 1_000 });
    assert.ok(performance.now() - startedAt >= 990);
    assert.equal(call.attempts.length, 1);
  });
}

test("a connection that never comes about ends at the deadline with nothing sent", async (t) => {
  const door = openTestClient(t, { resolve: () => new Promise(() => {}), limits: { lookupMaxMs: 100 } });
  const { call, http } = door.call("https://slow.example", { timeoutMs: 50 });

  const fault = await faultOf(http.get("https://slow.example/"));

  assert.equal(fault.code, "source.timeout");
  assert.equal(call.attempts.length, 0);
});

test("connecting has a limit of its own, below the deadline", async (t) => {
  const door = openTestClient(t, {
    resolve: () => new Promise(() => {}),
    limits: { connectMaxMs: 30, lookupMaxMs: 100 },
  });
  const { http } = door.call("https://slow.example");

  const fault = await faultOf(http.get("https://slow.example/"));

  assert.equal(fault.code, "source.unreachable");
  assert.deepEqual(fault.detail, { problem: "connecting took too long" });
});

test("an unwanted status settles at once, though its body never ends", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/slow-error", (socket) => socket.write("HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\npartial"));
  const { call, http } = openTestClient(t).call(vendor.origin, { timeoutMs: 5_000 });

  const fault = await faultOf(http.get(`${vendor.origin}/slow-error`));

  assert.equal(fault.code, "source.vendor_5xx");
  assert.deepEqual(fault.detail, { status: 503 });
  assert.equal(call.attempts[0]!.status, 503);
});

test("no bytes of the vendor's answer hang on a fault", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  const fault = await faultOf(http.get(`${vendor.origin}/garbage`));

  const cause = fault.cause as Error;
  assert.deepEqual(Object.keys(cause), []);
  assert.doesNotMatch(`${cause.stack} ${JSON.stringify(fault)}`, /SMTP|hello/);
});

test("a request that its adapter does not wait for may fail without anyone hearing of it", async (t) => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  t.after(() => process.off("unhandledRejection", hear));
  const vendor = await startVendor(t);
  const elsewhere = `${vendor.origin.replace("127.0.0.1", "localhost")}/`;
  vendor.on("/redirect", (socket) => {
    socket.write(`HTTP/1.1 302 Found\r\nlocation: ${elsewhere}\r\ncontent-length: 0\r\n\r\n`);
  });
  const { call, http } = openTestClient(t).call(vendor.origin);

  void http.get(`${vendor.origin}/status/500`);
  void http.get("https://not-declared.example/");
  void http.get(`${vendor.origin}/redirect`, { redirects: 2 });
  const { call: refused, http: refusedHttp } = openTestClient(t).call(vendor.origin);
  refused.takeBudgets({ reserve: () => Promise.reject(new Fault("source.budget_unknown")) });
  void refusedHttp.get(`${vendor.origin}/status/200`);
  await faultOf(http.get(`${vendor.origin}/status/503`));
  await new Promise((resolve) => setTimeout(resolve, 50));

  assert.deepEqual(unheard, []);
  assert.deepEqual(new Set(call.attempts.map(({ status }) => status)), new Set([302, 500, 503]));
});
