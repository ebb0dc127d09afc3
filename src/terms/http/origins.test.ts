import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isDeclaredOrigin, OriginRules } from "./origins.ts";

const label = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,6}[a-z0-9])?$/);
const domain = fc.tuple(label, label).map((labels) => labels.join("."));

function match(declared: string, asked: string): string | null {
  return new OriginRules([declared]).match(new URL(asked));
}

test("an exact origin matches itself in any spelling, and no other scheme, host or port", () => {
  fc.assert(
    fc.property(domain, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
      assert.equal(match(`https://${host}`, `https://${host.toUpperCase()}:443/x?y`), "exact");
      assert.equal(match(`https://${host}:${port}`, `https://${host}:${port}/`), "exact");
      assert.equal(match(`https://${host}`, `http://${host}/`), null);
      assert.equal(match(`https://${host}`, `https://x.${host}/`), null);
      assert.equal(match(`https://${host}`, `https://x${host}/`), null);
      assert.equal(match(`https://${host}`, `https://${host}.evil.example/`), null);
      if (port !== 443) assert.equal(match(`https://${host}`, `https://${host}:${port}/`), null);
    }),
  );
});

test("a pattern matches whole labels", () => {
  fc.assert(
    fc.property(domain, label, label, (host, one, two) => {
      assert.equal(match(`https://*.${host}`, `https://${one}.${host}/`), "pattern");
      assert.equal(match(`https://*.${host}:443`, `https://${two}.${one}.${host.toUpperCase()}/`), "pattern");
      assert.equal(match(`https://*.${host}`, `https://${host}/`), null);
      assert.equal(match(`https://*.${host}`, `https://${one}${host}/`), null);
      assert.equal(match(`https://*.${host}`, `https://${one}.${host}.evil.example/`), null);
      assert.equal(match(`https://*.${host}`, `http://${one}.${host}/`), null);
      assert.equal(match(`https://*.${host}`, `https://${one}.${host}:8443/`), null);
      assert.equal(match(`https://*.${host}:8443`, `https://${one}.${host}:8443/`), "pattern");
    }),
  );
});

for (const text of [
  "*",
  "https://*",
  "https://*.com",
  "https://a.*.example",
  "https://*x.acme.example",
  "https://*.1.2",
  "https://*.0.0.1",
  "https://acme.example/path",
  "https://acme.example?x",
  "https://user@acme.example",
  "ftp://acme.example",
  "acme.example",
  "",
]) {
  test(`${JSON.stringify(text)} is not an origin`, () => {
    assert.throws(() => new OriginRules([text]), /is not an origin/);
  });
}

test("a pattern covers the hosts below it and not the name itself", () => {
  assert.equal(isDeclaredOrigin("https://a.x.example", ["https://*.x.example"]), true);
  for (const origin of ["https://x.example", "http://a.x.example", "https://ax.example", "https://a.x.example.evil"]) {
    assert.equal(isDeclaredOrigin(origin, ["https://*.x.example"]), false, origin);
  }
});
