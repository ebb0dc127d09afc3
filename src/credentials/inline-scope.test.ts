import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { createInlineScopes, createKeyedHash, scopeKeyOf } from "./inline-scope.ts";

test("the keyed hash is HMAC-SHA-256", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: "binary" }), (key, text) => {
      assert.equal(createKeyedHash(key)(text), createHmac("sha256", key).update(text).digest("base64url"));
    }),
  );
});

test("a key that is longer than a block is refused and not cut", () => {
  assert.throws(() => createKeyedHash(new Uint8Array(65)), RangeError);
});

test("processes with the same root key name a scope alike, and others do not", () => {
  const fields = { api_key: "x" };
  const [one, two] = [1, 2].map((byte) => ({ id: "root", bytes: Buffer.alloc(32, byte) }));
  const scope = (key: Uint8Array) => createInlineScopes(key)("org_1", fields);
  assert.equal(scope(scopeKeyOf(one!)), scope(scopeKeyOf(one!)));
  assert.notEqual(scope(scopeKeyOf(one!)), scope(scopeKeyOf(two!)));
  assert.notEqual(createInlineScopes()("org_1", fields), createInlineScopes()("org_1", fields));
});

test("an organization cannot obtain another's scope through its fields", () => {
  const scope = createInlineScopes();
  assert.notEqual(scope("org_1", { a: "org_2" }), scope("org_2", { a: "org_1" }));
  assert.match(scope("org_1", {}), /^org_1\/inline\/[\w-]{43}$/);
});
