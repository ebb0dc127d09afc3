import assert from "node:assert/strict";
import { test } from "node:test";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { bare, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;

test("the caller's trace id is on the run's log line and goes to those origins that the operator names, and to no other", async (t) => {
  const told = await startVendor(t, { paths: { "/away": bare(307, { location: "/json" }) } });
  const other = await startVendor(t, { otherwise: json({ ok: true }) });
  told.on("/elsewhere", bare(307, { location: `${other.origin}/json` }));
  const redirects = { http: { redirects: 1 } };
  const service = await startService(t, {
    sources: [
      asksVendor("acme__told", told, "/json"),
      asksVendor("acme__away", told, "/away", redirects),
      asksVendor("acme__elsewhere", told, "/elsewhere", { ...redirects, origins: [told.origin, other.origin] }),
      asksVendor("acme__own", told, "/own", { http: { headers: { traceparent: "its-own" } } }),
      asksVendor("bell__other", other, "/json"),
    ],
    settings: { "outbound.trace_origins": told.origin },
    vendors: [told, other],
  });
  const sources = { acme__told: true, acme__away: true, acme__elsewhere: true, acme__own: true, bell__other: true };
  await service.run(sources, {}, { headers: { traceparent: SENT, tracestate: "vendor=secret-of-theirs" } });

  const fields = told.requests.filter(({ path }) => path !== "/own").map(({ headers }) => headers["traceparent"]!);
  assert.equal(fields.length, 4);
  for (const field of fields) assert.match(field, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  assert.equal(new Set([SENT, ...fields]).size, 5, "each request is a span of its own");
  assert.equal(told.requests.find(({ path }) => path === "/own")!.headers["traceparent"], "its-own");
  for (const { headers } of other.requests) assert.equal(headers["traceparent"], undefined);
  for (const { headers } of [...told.requests, ...other.requests]) assert.equal(headers["tracestate"], undefined);
  assert.equal((await service.runLines())[0]!["trace_id"], TRACE);
});

test("without the setting no vendor gets the trace, and an invalid trace is ignored", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, { sources: [asksVendor("acme__people", vendor, "/json")], vendors: [vendor] });
  await service.run({ acme__people: true }, {}, { headers: { traceparent: SENT } });
  const reply = await service.run({ acme__people: true }, {}, { headers: { traceparent: "00-nonsense" } });
  assert.equal(reply.statusCode, 200);
  for (const { headers } of vendor.requests) assert.equal(headers["traceparent"], undefined);
  const lines = await service.runLines();
  assert.deepEqual(
    lines.map((line) => line["trace_id"]),
    [TRACE, undefined],
  );
});
