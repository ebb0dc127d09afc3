import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { Fault } from "../terms/fault.ts";
import { type JsonObject, readJsonExactly } from "../terms/json/json.ts";
import { openFields, sealFields, unwrapDataKey, wrapDataKey, type NamedKey } from "./seal.ts";

const KEY: NamedKey = { id: "key_1", bytes: randomBytes(32) };
const ROOT: NamedKey = { id: "root_1", bytes: randomBytes(32) };
const PLACE = { id: "cred_1", organizationId: "org_1", source: "acme__people", version: 1 };

const anyText = fc.string({ unit: "binary" });
const anyPlace = fc.record({ id: anyText, organizationId: anyText, source: anyText, version: fc.nat() });
const anyFields = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((fields) => JSON.parse(JSON.stringify(fields)) as JsonObject);

function altered(reason: string) {
  return (thrown: unknown) =>
    thrown instanceof Fault && thrown.code === "source.credential_missing" && thrown.detail["reason"] === reason;
}

test("sealed fields open unchanged at the same place", () => {
  fc.assert(
    fc.property(anyPlace, anyFields, (place, fields) => {
      assert.deepEqual(openFields(KEY, place, sealFields(KEY, place, fields)), fields);
    }),
  );
});

test("a long number keeps its digits, also when the fields are sealed again with another key", () => {
  const written = '{"subscriber":12345678901234567891}';
  const other: NamedKey = { id: "key_2", bytes: randomBytes(32) };
  const sealed = sealFields(KEY, PLACE, readJsonExactly(written) as JsonObject);
  const again = sealFields(other, PLACE, openFields(KEY, PLACE, sealed));
  assert.equal(JSON.stringify(openFields(other, PLACE, again)), written);
});

test("moved to any other place, it does not open", () => {
  fc.assert(
    fc.property(anyPlace, anyPlace, (place, other) => {
      fc.pre(JSON.stringify(place) !== JSON.stringify(other));
      const sealed = sealFields(KEY, place, { api_key: "secret" });
      assert.throws(() => openFields(KEY, other, sealed), altered("altered"));
    }),
  );
});

test("each part of the place is bound", () => {
  const sealed = sealFields(KEY, PLACE, { api_key: "secret" });
  for (const other of [{ id: "cred_2" }, { organizationId: "org_2" }, { source: "acme__other" }, { version: 2 }])
    assert.throws(() => openFields(KEY, { ...PLACE, ...other }, sealed), altered("altered"), JSON.stringify(other));
});

test("moving a character from one part of the place to the next is noticed", () => {
  const sealed = sealFields(KEY, { ...PLACE, organizationId: "org_1c", id: "red" }, {});
  assert.throws(() => openFields(KEY, { ...PLACE, organizationId: "org_1", id: "cred" }, sealed), altered("altered"));
});

test("places that differ only in a lone surrogate are different places", () => {
  const sealed = sealFields(KEY, { ...PLACE, source: "acme__\ud800" }, {});
  assert.throws(() => openFields(KEY, { ...PLACE, source: "acme__\ud801" }, sealed), altered("altered"));
});

test("any flipped bit is noticed", () => {
  const sealed = Buffer.from(sealFields(KEY, PLACE, { api_key: "secret", n: 1 }), "base64");
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const flipped = Buffer.from(sealed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => openFields(KEY, PLACE, flipped.toString("base64")), altered("altered"));
  }
});

test("a shorter or longer text, and text that is not base64, is noticed", () => {
  const sealed = sealFields(KEY, PLACE, { api_key: "secret" });
  for (let end = 0; end < sealed.length; end += 1) {
    assert.throws(() => openFields(KEY, PLACE, sealed.slice(0, end)), altered("altered"));
  }
  for (const text of [`${sealed}=`, `${sealed}AAAA`, ` ${sealed}`, "", "ключ", "__proto__"]) {
    assert.throws(() => openFields(KEY, PLACE, text), altered("altered"));
  }
});

test("another key, or the same bytes under another id, does not open", () => {
  const sealed = sealFields(KEY, PLACE, {});
  assert.throws(() => openFields({ id: KEY.id, bytes: randomBytes(32) }, PLACE, sealed), altered("altered"));
  assert.throws(() => openFields({ id: "key_2", bytes: KEY.bytes }, PLACE, sealed), altered("altered"));
});

test("no nonce is used twice", () => {
  const nonces = new Set<string>();
  for (let seal = 0; seal < 20_000; seal += 1) nonces.add(sealFields(KEY, PLACE, {}).slice(0, 16));
  assert.equal(nonces.size, 20_000);
});

test("sealed text does not show its contents, and no failure repeats them", () => {
  const sealed = sealFields(KEY, PLACE, { api_key: "CANARY-SECRET" });
  for (const encoding of ["latin1", "utf8", "utf16le"] as const) {
    assert.ok(!Buffer.from(sealed, "base64").toString(encoding).includes("CANARY"));
  }
  try {
    openFields(KEY, { ...PLACE, version: 2 }, sealed);
    assert.fail("it opened");
  } catch (thrown) {
    assert.ok(thrown instanceof Fault);
    assert.doesNotMatch(JSON.stringify([thrown.detail, thrown.says, String(thrown.cause)]), /CANARY/);
    assert.equal(thrown.says, "Adapter error: the stored credential of this source cannot be used");
  }
});

test("a wrapped data key unwraps only with its root key, under its id, for its organization", () => {
  const row = wrapDataKey(ROOT, KEY, "org_1");
  assert.deepEqual(unwrapDataKey(ROOT, row), KEY);
  for (const wrong of [
    { ...row, id: "key_2" },
    { ...row, organizationId: "org_2" },
    { ...row, wrapped: wrapDataKey(ROOT, KEY, "org_2").wrapped },
  ]) {
    assert.throws(() => unwrapDataKey(ROOT, wrong), altered("data_key_altered"));
  }
  assert.throws(() => unwrapDataKey({ id: ROOT.id, bytes: randomBytes(32) }, row), altered("data_key_altered"));
  assert.throws(() => unwrapDataKey({ id: "root_2", bytes: ROOT.bytes }, row), altered("data_key_altered"));
});

test("a sealed credential cannot be used as a wrapped key or the reverse, even under one key", () => {
  const root = { id: KEY.id, bytes: KEY.bytes };
  const asKey = { id: "cred_1", organizationId: "org_1", rootKeyId: KEY.id, wrapped: sealFields(KEY, PLACE, {}) };
  assert.throws(() => unwrapDataKey(root, asKey), altered("data_key_altered"));
  assert.throws(() => openFields(KEY, PLACE, wrapDataKey(root, KEY, "org_1").wrapped), altered("altered"));
});
