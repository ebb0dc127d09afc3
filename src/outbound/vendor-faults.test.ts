import assert from "node:assert/strict";
import { test } from "node:test";
import { refusingOrigin, startVendor } from "../../test/vendor/scripted-vendor.ts";
import type { FaultCode } from "../terms/fault.ts";
import { faultOf, openDoor } from "./test-door.ts";

/** Behaviour of the vendor, and what it must lead to. Each is one request that reached the vendor, and one attempt. */
const BROKEN: readonly (readonly [path: string, code: FaultCode])[] = [
  ["/close-before-headers", "source.connection_lost"],
  ["/reset-before-headers", "source.connection_lost"],
  ["/close-mid-headers", "source.connection_lost"],
  ["/reset-mid-headers", "source.connection_lost"],
  ["/close-mid-body", "source.connection_lost"],
  ["/reset-mid-body", "source.connection_lost"],
  ["/short-length", "source.connection_lost"],
  ["/missing-last-chunk", "source.connection_lost"],
  ["/reset-without-length", "source.connection_lost"],
  ["/reset-mid-chunk", "source.connection_lost"],
  ["/endless", "source.contract"],
  ["/huge-length", "source.contract"],
  ["/gzip-bomb/64", "source.contract"],
  ["/not-gzip", "source.contract"],
  ["/truncated-gzip", "source.contract"],
  ["/double-gzip", "source.contract"],
  ["/deflate", "source.contract"],
  ["/br", "source.contract"],
  ["/huge-headers", "source.contract"],
  ["/bad-header", "source.contract"],
  ["/two-lengths", "source.contract"],
  ["/garbage", "source.contract"],
  ["/upgrade", "source.contract"],
  ["/continue-flood", "source.contract"],
  ["/hints-flood", "source.contract"],
  ["/status/301", "source.contract"],
  ["/status/400", "source.vendor_4xx"],
  ["/status/401", "source.credential_rejected"],
  ["/status/403", "source.credential_rejected"],
  ["/status/404", "source.vendor_4xx"],
  ["/status/422", "source.vendor_4xx"],
  ["/status/429", "source.rate_limited"],
  ["/status/500", "source.vendor_5xx"],
  ["/status/503", "source.vendor_5xx"],
  ["/status/600", "source.contract"],
];

const CHARGED: Partial<Record<FaultCode, string>> = {
  "source.contract": "yes",
  "source.credential_rejected": "no",
  "source.rate_limited": "no",
};

for (const [path, code] of BROKEN) {
  for (const method of ["GET", "POST"]) {
    test(`${method} ${path} is ${code}, and one request only`, async (t) => {
      const vendor = await startVendor(t);
      const { call, http } = openDoor(t).call(vendor.origin);

      const fault = await faultOf(
        http.request(method, vendor.origin + path, { body: method === "POST" ? "x" : undefined }),
      );

      assert.equal(fault.code, code);
      assert.equal(fault.charged, CHARGED[code] ?? "unknown");
      assert.equal(vendor.count(), 1);
      assert.equal(call.attempts.length, 1);
      assert.notEqual(call.attempts[0]!.tookMs, null);
    });
  }
}

/** What arrives whole and is found wanting when it is read. */
for (const path of [
  "/html",
  "/empty",
  "/no-content",
  "/truncated-json",
  "/invalid-utf8",
  "/utf16",
  "/deep/5000",
  "/infinite-number",
  "/hidden-double-gzip",
]) {
  test(`${path} is a reply, but not JSON that can be used`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openDoor(t).call(vendor.origin);

    const reply = await http.get(vendor.origin + path);

    assert.throws(() => reply.json(), { code: "source.contract", charged: "yes" });
    assert.equal(call.attempts.length, 1);
    assert.equal(vendor.count(), 1);
  });
}

test("bytes after the announced length are no part of any reply", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openDoor(t).call(vendor.origin);

  const first = await http.get(`${vendor.origin}/longer-than-length`);
  const second = await http.get(`${vendor.origin}/json`);

  assert.equal(first.text(), '{"a":1}');
  assert.equal(second.json().name, "Ada");
  assert.deepEqual(
    vendor.requests.map(({ connection }) => connection),
    [1, 2],
  );
});

test("a refused connection is unreachable at once, and nothing was sent", async (t) => {
  const origin = await refusingOrigin();
  const { call, http } = openDoor(t).call(origin);

  const fault = await faultOf(http.post(origin, { json: {} }));

  assert.equal(fault.code, "source.unreachable");
  assert.equal(fault.charged, "no");
  assert.equal(call.attempts.length, 0);
});

test("a vendor that accepts and closes without a word was still sent a request", async (t) => {
  const vendor = await startVendor(t, { onConnection: (socket) => socket.end() });
  const { call, http } = openDoor(t).call(vendor.origin);

  const fault = await faultOf(http.get(vendor.origin));

  // Which of the two it is depends on whether the end was seen before the request went out; the ledger says which.
  assert.equal(fault.code, call.attempts.length === 1 ? "source.connection_lost" : "source.unreachable");
  assert.equal(fault.charged, call.attempts.length === 1 ? "unknown" : "no");
});

for (const path of ["/hang", "/drip/5", "/delay/5000"]) {
  test(`${path} ends at the deadline, and its connection is closed`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openDoor(t).call(vendor.origin, { timeoutMs: 150 });
    const startedAt = performance.now();

    const fault = await faultOf(http.get(vendor.origin + path));

    assert.equal(fault.code, "source.timeout");
    assert.equal(fault.charged, "unknown");
    assert.deepEqual(fault.detail, { afterMs: 150 });
    assert.ok(performance.now() - startedAt >= 140);
    assert.equal(call.attempts.length, 1);
  });
}

test("a connection that never comes about ends at the deadline with nothing sent", async (t) => {
  const door = openDoor(t, { resolve: () => new Promise(() => {}), limits: { lookupMaxMs: 100 } });
  const { call, http } = door.call("https://slow.example", { timeoutMs: 50 });

  const fault = await faultOf(http.get("https://slow.example/"));

  assert.equal(fault.code, "source.timeout");
  assert.equal(fault.charged, "no");
  assert.equal(call.attempts.length, 0);
});

test("connecting has a limit of its own, below the deadline", async (t) => {
  const door = openDoor(t, { resolve: () => new Promise(() => {}), limits: { connectMaxMs: 30, lookupMaxMs: 100 } });
  const { http } = door.call("https://slow.example");

  const fault = await faultOf(http.get("https://slow.example/"));

  assert.equal(fault.code, "source.unreachable");
  assert.equal(fault.charged, "no");
});

test("an unwanted status settles at once, though its body never ends", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/slow-error", (socket) => socket.write("HTTP/1.1 503 No\r\ncontent-length: 100\r\n\r\npartial"));
  const { call, http } = openDoor(t).call(vendor.origin, { timeoutMs: 5_000 });

  const fault = await faultOf(http.get(`${vendor.origin}/slow-error`));

  assert.equal(fault.code, "source.vendor_5xx");
  assert.deepEqual(fault.detail, { status: 503 });
  assert.equal(call.attempts[0]!.status, 503);
});

test("no bytes of the vendor's answer hang on a fault", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openDoor(t).call(vendor.origin);

  const fault = await faultOf(http.get(`${vendor.origin}/garbage`));

  const cause = fault.cause as Error;
  assert.deepEqual(Object.keys(cause), []);
  assert.doesNotMatch(`${cause.stack} ${JSON.stringify(fault)}`, /SMTP|hello/);
});
