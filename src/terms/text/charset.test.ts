import assert from "node:assert/strict";
import { test } from "node:test";
import { CharsetError, toUtf8 } from "./charset.ts";

const decoded = (bytes: readonly number[] | Buffer, type = "") => toUtf8(Buffer.from(bytes), type).toString("utf8");
const json = (charset: string) => `application/json; charset=${charset}`;

/** The text in UTF-16 with its bytes in either order. */
function utf16(text: string, isBigEndian: boolean): Buffer {
  const bytes = Buffer.from(text, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
}

test("bytes that are UTF-8 stay the same bytes, whatever they declare", () => {
  for (const type of ["", "application/json", json("utf-8"), json("iso-8859-1"), json("shift_jis"), json("nonsense")]) {
    const bytes = Buffer.from('{"name":"José"}');
    assert.equal(toUtf8(bytes, type), bytes, type);
  }
});

test("other bytes are decoded as the label says, with the labels of the Encoding Standard", () => {
  for (const [label, bytes, text] of [
    ["ISO-8859-1", [0x4f, 0x92, 0x42], "O’B"],
    ["latin1", [0xe9], "é"],
    ['"windows-1252"', [0x80], "€"],
    ["iso-8859-15", [0xa4], "€"],
    ["iso-8859-2", [0xb1], "ą"],
    ["Shift_JIS", [0x93, 0x8c, 0x8b, 0x9e], "東京"],
    ["euc-kr", [0xc7, 0xd1], "한"],
    ["iso-2022-jp", [0x1b, 0x24, 0x42, 0x45, 0x6c, 0x1b, 0x28, 0x42], "東"],
  ] as const)
    assert.equal(decoded(bytes, json(label)), text, label);
  assert.equal(decoded([...Buffer.from('<?xml version="1.0" encoding="windows-1250"?>'), 0x9a]).at(-1), "š");
});

test("UTF-16 is recognised by its mark or its first character, and the mark is dropped", () => {
  for (const isBigEndian of [true, false]) {
    for (const text of ['{"a":"é"}', '<?xml version="1.0" encoding="UTF-16"?><r>é</r>']) {
      assert.equal(decoded(utf16(`\ufeff${text}`, isBigEndian), json("utf-8")), text);
      assert.equal(decoded(utf16(text, isBigEndian), json("utf-16")), text);
    }
  }
});

test("what cannot be decoded is refused, and what declares nothing is left as it is", () => {
  for (const [type, bytes, message] of [
    [json("shift_jis"), [0x93], "it is not valid shift_jis"],
    [json("x-unknown"), [0xe9], "it has an encoding that is not supported"],
    [json("utf-16"), [0x7b, 0xe9], "it has an encoding that is not supported"],
    ["", [0xff, 0xfe, 0x00, 0xd8], "it is not valid utf-16le"],
  ] as const)
    assert.throws(() => decoded(bytes, type), new CharsetError(message));
  const bytes = Buffer.from([0x7b, 0xe9]);
  assert.equal(toUtf8(bytes, json("utf-8")), bytes);
  assert.equal(toUtf8(Buffer.alloc(0)).length, 0);
});
