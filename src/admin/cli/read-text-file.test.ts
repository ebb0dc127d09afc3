import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeText } from "./read-text-file.ts";

test("the text of a file is read as Excel and others encode it, and another encoding is refused", () => {
  assert.equal(decodeText(Buffer.from("\ufeffGebühr;1", "utf8")), "Gebühr;1");
  const utf16 = Buffer.from("\ufeffGebühr\t1", "utf16le");
  assert.equal(decodeText(utf16), "Gebühr\t1");
  assert.equal(decodeText(Buffer.from(utf16).swap16()), "Gebühr\t1");
  assert.throws(() => decodeText(Buffer.from("Gebühr;1", "latin1")), /not UTF-8/);
});
