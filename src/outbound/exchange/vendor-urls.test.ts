import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { startVendor } from "../../../test/vendor/scripted-vendor.ts";
import { OriginRules } from "../../terms/http/origins.ts";
import { openTestClient } from "../http-client.kit.ts";
import { readVendorUrl, VendorUrlCache } from "./vendor-urls.ts";

const addresses = () => new VendorUrlCache(new OriginRules(["https://api.acme.example", "https://*.bell.example"]));

test("an address that is known is not worked out again, and says the same", () => {
  const known = addresses();
  const first = known.read("https://API.acme.example:443/v1/person?a=1");
  assert.deepEqual(first, {
    url: {
      origin: "https://api.acme.example",
      protocol: "https:",
      hostname: "api.acme.example",
      port: "",
      pathname: "/v1/person",
      search: "?a=1",
    },
    match: "exact",
  });
  assert.equal(known.read("https://API.acme.example:443/v1/person?a=1"), first);
});

test("however many have been asked for, each is judged by itself", () => {
  const known = addresses();
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 20; index += 1) {
      assert.equal(known.read(`https://api.acme.example/${index}`).url.pathname, `/${index}`);
      assert.equal(known.read(`https://a${index}.bell.example/`).match, "pattern");
      assert.equal(known.read(`https://a${index}.other.example/`).match, null);
      assert.throws(() => known.read(`https://user@api.acme.example/${index}`), /user name/);
    }
  }
});

/** Contents of an input that an author may put into a URL without encoding it. */
const PAYLOADS = [
  "../../admin",
  "../../admin",
  "..",
  ".",
  "./x",
  "%2e%2e/admin",
  "%2E%2E",
  ".%2e",
  "%2e/x",
  "..\\admin",
  "\\\\other.example\\x",
  "x/../../admin",
  "x/..",
  "x#fragment",
  "#",
  "x\u0000",
  "x%00",
  "x\r\nHost: other.example",
  "x\nx-admin: 1",
  "x\ty",
  " x",
  "x ",
  "x y",
  "@other.example",
  "x@other.example/",
  "//other.example",
  "http://other.example/",
  "https://other.example",
  "javascript:alert(1)",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "[::ffff:7f00:1]",
  "127.0.0.1",
  "169.254.169.254/latest/meta-data",
  "x?y=1",
  "é",
  "💥",
  "\ud800",
  "%",
  "%zz",
  "x;y=1",
  "x&y=1",
] as const;

test(`${PAYLOADS.length} inputs put into a path reach the source's own origin and path, or nothing`, async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  for (const payload of PAYLOADS) {
    const before = vendor.count();
    const outcome = await http.get(`${vendor.origin}/company/${payload}`).then(
      () => "sent",
      (fault: unknown) => (fault as { code: string }).code,
    );
    if (outcome === "sent") assert.match(vendor.requests.at(-1)!.target, /^\/company\//, JSON.stringify(payload));
    else assert.equal(outcome, "source.adapter_raised", JSON.stringify(payload));
    assert.equal(vendor.count() - before, outcome === "sent" ? 1 : 0);
    for (const { path } of vendor.requests) assert.match(path, /^\/company\//);
  }
});

test("inputs put into a host or before a path reach only declared origins", async (t) => {
  const { http, call } = openTestClient(t).call(["https://api.acme.example", "https://*.acme.example"]);

  for (const payload of PAYLOADS) {
    for (const url of [`https://api.acme.example${payload}`, `https://${payload}.other.example/`, payload]) {
      const isDeclared = URL.canParse(url) && new URL(url).hostname.endsWith("acme.example");
      if (isDeclared) continue;
      await assert.rejects(http.get(url), { code: "source.adapter_raised" }, JSON.stringify(url));
    }
  }
  assert.equal(call.attempts.length, 0);
});

test("inputs put into the query, a header's value or a body arrive as they were", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  for (const payload of PAYLOADS) {
    await http.post(`${vendor.origin}/search`, { query: { q: payload }, form: { q: payload } });
    const { path, query, body } = vendor.requests.at(-1)!;
    assert.equal(path, "/search");
    assert.deepEqual([...query.keys()], ["q"]);
    assert.equal(query.get("q"), payload.toWellFormed());
    assert.equal(new URLSearchParams(body.toString()).get("q"), payload.toWellFormed());
  }
});

test("whatever is in the path, the origin and the leading path stay", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      let url: URL;
      try {
        url = readVendorUrl(`https://api.acme.example/v1/${text}`);
      } catch {
        return;
      }
      assert.equal(url.origin, "https://api.acme.example");
      assert.ok(url.pathname.startsWith("/v1/"));
      assert.equal(url.hash, "");
    }),
  );
});
