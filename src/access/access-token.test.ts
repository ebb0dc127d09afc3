import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { hasTokenShape, makeAccessToken, tokenDigest, TOKEN_LENGTH_MAX } from "./access-token.ts";

test("a token has its prefix, 43 digits of secret and 6 of checksum, and fits the limit", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret) => {
      const token = makeAccessToken(secret);
      assert.match(token, /^drt_[0-9A-Za-z]{49}$/);
      assert.ok(token.length <= TOKEN_LENGTH_MAX);
      assert.ok(hasTokenShape(token));
    }),
  );
});

test("every bit of the secret is in the token", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(255), (secret, bit) => {
      const other = Uint8Array.from(secret);
      other[bit >> 3]! ^= 1 << (bit & 7);
      assert.notEqual(makeAccessToken(other).slice(0, 47), makeAccessToken(secret).slice(0, 47));
    }),
  );
});

test("the two ends of the secret's range keep their length", () => {
  assert.equal(makeAccessToken(new Uint8Array(32)).slice(4, 47), "0".repeat(43));
  assert.equal(makeAccessToken(new Uint8Array(32).fill(255)).length, 53);
});

test("a known token stays a token: the format is stored in other people's systems", () => {
  assert.equal(
    makeAccessToken(Uint8Array.from({ length: 32 }, (_, index) => index)),
    "drt_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0RbAR9",
  );
});

test("a secret of another length is refused", () => {
  assert.throws(() => makeAccessToken(new Uint8Array(16)), RangeError);
});

test("one mistyped character is noticed without a look-up", () => {
  const token = makeAccessToken();
  for (let at = 0; at < token.length; at += 1) {
    for (const typo of ["0", "a", "_", "é", "\0", "\n"]) {
      if (token[at] !== typo) assert.equal(hasTokenShape(token.slice(0, at) + typo + token.slice(at + 1)), false);
    }
  }
});

test("neighbours that were swapped are noticed", () => {
  const token = makeAccessToken();
  for (let at = 4; at + 1 < token.length; at += 1) {
    const swapped = token.slice(0, at) + token[at + 1]! + token[at]! + token.slice(at + 2);
    if (swapped !== token) assert.equal(hasTokenShape(swapped), false);
  }
});

test("what is not a token is refused, whatever it is", () => {
  for (const text of [
    "",
    "drt_",
    "__proto__",
    `${makeAccessToken()}\n`,
    ` ${makeAccessToken()}`,
    "drt_".repeat(3_000),
  ]) {
    assert.equal(hasTokenShape(text), false);
  }
  fc.assert(fc.property(fc.string(), (text) => assert.equal(hasTokenShape(text), false)));
});

test("the digest is SHA-256 in lower-case hex", () => {
  const token = makeAccessToken();
  assert.equal(tokenDigest(token), createHash("sha256").update(token).digest("hex"));
});
