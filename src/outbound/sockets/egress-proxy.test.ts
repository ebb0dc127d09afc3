import assert from "node:assert/strict";
import { test } from "node:test";
import { issueCertificate, makeAuthority } from "../../../test/vendor/certificate.ts";
import { startProxy } from "../../../test/vendor/egress-proxy.ts";
import { startVendor } from "../../../test/vendor/scripted-vendor.ts";
import { readProxy } from "./egress-proxy.ts";
import { faultOf, openTestClient } from "../http-client.kit.ts";

const LOGIN = `Basic ${Buffer.from("ada:s@crt").toString("base64")}`;

test("HTTPS goes through a tunnel whose other end is the vendor itself", async (t) => {
  const authority = makeAuthority();
  const vendor = await startVendor(t, { tls: issueCertificate({ names: ["api.acme.example"], authority }) });
  const proxy = await startProxy(t, vendor.port);
  const door = openTestClient(t, {
    proxy: proxy.url,
    extraAuthorities: authority.cert,
    resolve: () => Promise.reject(new Error("the proxy resolves names")),
  });
  const { call, http } = door.call("https://api.acme.example");

  const reply = await http.get("https://api.acme.example/json", { headers: { "x-api-key": "s3cret" } });

  assert.equal(reply.json().name, "Ada");
  assert.match(proxy.heads[0]!, /^CONNECT api\.acme\.example:443 HTTP\/1\.1\r\nhost: api\.acme\.example:443\r\n/);
  assert.ok(proxy.heads[0]!.includes(LOGIN));
  assert.doesNotMatch(proxy.heads[0]!, /s3cret/);
  assert.equal(vendor.requests[0]!.headers["proxy-authorization"], undefined);
  assert.equal(call.attempts.length, 1);
});

test("plain HTTP asks the proxy for the whole address", async (t) => {
  const vendor = await startVendor(t);
  const proxy = await startProxy(t, vendor.port);
  const { http } = openTestClient(t, { proxy: proxy.url }).call("http://api.acme.example");

  await http.get("http://api.acme.example/json", { query: { a: 1 } });

  assert.equal(vendor.requests[0]!.target, "http://api.acme.example/json?a=1");
  assert.equal(vendor.requests[0]!.headers["host"], "api.acme.example");
  assert.ok(proxy.heads[0]!.includes(LOGIN));
});

for (const [what, answer, problem] of [
  ["refuses", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "the egress proxy refused the connection"],
  ["closes the connection", "", "the egress proxy closed the connection"],
  ["speaks another language", "SSH-2.0\r\n\r\n", "the egress proxy refused the connection"],
  ["says more than it may", "HTTP/1.1 200 OK\r\n\r\nmore", "the egress proxy sent more than its answer"],
  ["never comes to an end", "x".repeat(20_000), "the egress proxy answered with too much"],
] as const) {
  test(`a proxy that ${what} makes the vendor unreachable, with nothing sent`, async (t) => {
    const proxy = await startProxy(t, 0, answer);
    const { call, http } = openTestClient(t, { proxy: proxy.url }).call("https://api.acme.example");

    const fault = await faultOf(http.post("https://api.acme.example/", { json: {} }));

    assert.equal(fault.code, "source.unreachable");
    assert.equal(call.attempts.length, 0);
    assert.deepEqual(fault.detail, { problem });
    assert.doesNotMatch(String(fault.cause), /s%40crt|s@crt/);
  });
}

test("a proxy must be an http address, and a bad one is not repeated", () => {
  for (const text of ["https://proxy:1", "proxy:3128", "http://", "http://h/path", "socks5://user:s3cret@h:1"]) {
    assert.throws(
      () => readProxy(text),
      (error: Error) => !error.message.includes("s3cret"),
    );
  }
  assert.deepEqual(readProxy("http://[::1]:3128"), { hostname: "::1", port: 3128, authorization: null });
});
