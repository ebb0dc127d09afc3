import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import * as fc from "fast-check";
import { VARIABLES } from "../terms/variables.ts";
import { formatRootKey, parseRootKeys, RootKeyError, rootKeyId } from "./root-key.ts";

const A = randomBytes(32);
const B = randomBytes(32);

test("a key has the id that it was given, or one derived from its hash", () => {
  assert.deepEqual(parseRootKeys(`2026-01:${A.toString("base64")}`, "X"), [{ id: "2026-01", bytes: A }]);
  assert.deepEqual(parseRootKeys(A.toString("base64"), "X"), [{ id: rootKeyId(A), bytes: A }]);
  assert.notEqual(rootKeyId(A), rootKeyId(B));
});

test("a list is newest first, with any blanks", () => {
  const keys = parseRootKeys(` new:${A.toString("base64")} ,\n ${B.toString("base64")},`, "X");
  assert.deepEqual(
    keys.map((key) => key.bytes),
    [A, B],
  );
});

test("base64 without padding and for URLs is the same key", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const key = Buffer.from(bytes);
      for (const text of [key.toString("base64"), key.toString("base64url"), formatRootKey({ id: "k", bytes: key })]) {
        assert.deepEqual(parseRootKeys(text, "X")[0]?.bytes, key);
      }
    }),
  );
});

const SECRET = A.toString("base64");
const WRONG: readonly [string, string, RegExp][] = [
  ["nothing", "", /DATARUN_ROOT_KEY is empty/],
  ["blanks and commas", " , ,", /DATARUN_ROOT_KEY is empty/],
  ["16 bytes", A.toString("base64", 0, 16), /must be 32 bytes in base64, and is 16/],
  ["33 bytes", Buffer.concat([A, B]).toString("base64", 0, 33), /is 33/],
  ["64 digits of hex", A.toString("hex"), /is 48/],
  ["no base64", `${SECRET.slice(0, 20)}!${SECRET.slice(21)}`, /is not base64/],
  ["a blank inside", `${SECRET.slice(0, 20)} ${SECRET.slice(20)}`, /is not base64/],
  ["an id with a blank", `my key:${SECRET}`, /has an id/],
  ["an empty id", `:${SECRET}`, /has an id/],
  ["one id twice", `k:${SECRET},k:${B.toString("base64")}`, /contains a key id twice/],
  ["a bad second key", `k:${SECRET},l:AAAA`, /DATARUN_ROOT_KEY, key 2, must be 32 bytes/],
];
for (const [what, text, message] of WRONG) {
  test(`${what} is refused in a sentence that names the variable and repeats nothing of the key`, () => {
    assert.throws(
      () => parseRootKeys(text, "DATARUN_ROOT_KEY"),
      (thrown) => {
        assert.ok(thrown instanceof RootKeyError);
        assert.match(thrown.message, message);
        assert.match(thrown.message, /DATARUN_ROOT_KEY/);
        assert.ok(text.length < 10 || !thrown.message.includes(text.slice(0, 10)));
        return true;
      },
    );
  });
}

test("no message suggests a new key in place of a damaged key file", () => {
  for (const text of ["", "!", "AAAA"]) {
    assert.throws(() => parseRootKeys(text, "/data/root-1.key"), /root-1\.key [^:]*: restore it from a copy/);
    assert.throws(() => parseRootKeys(text, VARIABLES.rootKey), /: make one with: openssl rand -base64 32$/);
  }
});
