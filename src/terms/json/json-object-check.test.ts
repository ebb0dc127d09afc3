import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BUILT, builtFile } from "../../../tools/build-wasm.ts";
import { canKeepNumbers } from "./exact-json.ts";
import { parseJson, type JsonLimits } from "./json.ts";
import { CHECKED_BYTES_MAX, isSurelyObject, openCheck } from "./json-object-check.ts";
import { assertAgrees, makeDocuments } from "./json-object-check.kit.ts";

const LIMITS: JsonLimits = { depthMax: 64, keysPerObjectMax: 100_000 };
const accepts = (text: string, limits = LIMITS): boolean => isSurelyObject(Buffer.from(text), limits);

test("the built file in the repository matches its source, byte for byte", async () => {
  assert.equal(readFileSync(BUILT, "utf8"), await builtFile(), "run: npm run wasm");
});

test("without the necessary instructions there is no check and no error", () => {
  const unknownInstruction = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 5, 1, 3, 0, 0xff, 0x0b];
  assert.equal(openCheck(Uint8Array.from(unknownInstruction)), null);
});

test("nothing is accepted that the parser refuses, and all ordinary documents are accepted", () => {
  const documents = makeDocuments(1);
  const tight = { depthMax: 3, keysPerObjectMax: 2, valuesMax: 6 };
  let accepted = 0;
  for (let index = 0; index < 20_000; index += 1) {
    const document = documents.next().value;
    if (assertAgrees(document, LIMITS)) accepted += 1;
    assertAgrees(document, tight);
  }
  assert.ok(accepted > 4_000 && accepted < 16_000, String(accepted));
});

test("each limit allows its exact value and no more", () => {
  const lists = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join()}}`;
  for (const [what, most, make, limits] of [
    ["depth", 7, lists, { ...LIMITS, depthMax: 7 }],
    ["levels, whatever is asked for", 1024, lists, { ...LIMITS, depthMax: 100_000 }],
    ["keys", 9, members, { ...LIMITS, keysPerObjectMax: 9 }],
    [
      "keys of a second object",
      3,
      (count: number) => `{"a":${members(3)},"b":${members(count)}}`,
      { ...LIMITS, keysPerObjectMax: 3 },
    ],
    [
      "commas and containers",
      12,
      (count: number) => `{"a":[${"0,".repeat(count - 2)}0]}`,
      { ...LIMITS, valuesMax: 12 },
    ],
    [
      "containers",
      12,
      (count: number) => `{"a":${"[".repeat(count - 1)}${"]".repeat(count - 1)}}`,
      { ...LIMITS, valuesMax: 12 },
    ],
    ["bytes of a number", 200, (count: number) => `{"a":-${"9".repeat(count - 1)}}`, LIMITS],
    ["digits of an exponent", 2, (count: number) => `{"a":1e-${"0".repeat(count)}}`, LIMITS],
  ] as const) {
    assert.ok(accepts(make(most), limits), what);
    assert.ok(!accepts(make(most + 1), limits), what);
  }
});

test("a document made so that its long numbers cannot be kept is left to the parser", () => {
  const marks = Array.from({ length: 10 }, (_, index) => String.fromCharCode(0xe000 + index));
  for (const text of [
    `{"a":"${marks.join("")}","b":9999999999999999}`,
    `{"a":"${marks.map((mark) => `\\u${mark.charCodeAt(0).toString(16)}`).join("")}","b":9999999999999999}`,
  ]) {
    assert.throws(() => parseJson(Buffer.from(text), LIMITS), { problem: "not_exact" });
    assert.ok(!accepts(text));
    assert.ok(accepts(text.replace("9999999999999999", "999999999999999")));
  }
  assert.ok(canKeepNumbers(20_000, "") && !canKeepNumbers(20_001, ""));
  assert.ok(accepts('{"latitude":74.15393832798765}'));
});

test("strings, escapes and numbers end correctly at every position in a vector or a page", () => {
  const pieces = ['\\"', "\\\\", "\\u00e9", "é", "😀", '"', "\\", "\n", "\u001f"];
  for (let offset = 0; offset <= 34; offset += 1)
    for (const piece of pieces)
      for (const rest of ['"}', '":1}', "}", ""]) {
        assertAgrees(Buffer.from(`${" ".repeat(offset)}{"${"x".repeat(34 - offset)}${piece}${rest}`), LIMITS);
        assertAgrees(Buffer.from(`{"a":"${"x".repeat(offset)}${piece}${rest}`), LIMITS);
      }
  for (const page of [1, 2, 3])
    for (let offset = -40; offset <= 24; offset += 1)
      for (const end of ['{"a":"\\u00e9é","b":[-1.5e3,true]}', '{"a":"\\u00e', '{"a":1.', '{"a":fals']) {
        const document = Buffer.from(`${" ".repeat(page * 65_536 - 4_096 + offset)}${end}`);
        assert.equal(isSurelyObject(document, LIMITS), end.endsWith("}"), `${page} ${offset} ${end}`);
      }
});

test("the largest document is checked to its end, and a larger one not at all", () => {
  const whole = (bytes: number) => `{"a":"${"x".repeat(bytes - 8)}"}`;
  for (const cut of [0, 1, 2, 15, 16, 17]) {
    const text = whole(CHECKED_BYTES_MAX - cut);
    assert.ok(accepts(text));
    assert.ok(!accepts(text.slice(0, -1)));
    assert.ok(!accepts(`${text.slice(0, -2)}\\}`));
  }
  assert.ok(!accepts(whole(CHECKED_BYTES_MAX + 1)));
});

test("a previous document is never taken for a part of the current one", () => {
  const whole = Buffer.from(
    '{"a":"some text of more than one vector","b":[1234,-0.5e7,true,false,null,{}],"c":{"d":"\\u00e9"}} ',
  );
  const ends = ['"', '"}', "}", "]}", "0}", '\\"}', "rue}", "}}", '":1}', "]", " ".repeat(40)];
  for (let cut = 0; cut < whole.length - 1; cut += 1)
    for (const end of ends) {
      // The memory behind the document has bytes that would complete it, many times.
      isSurelyObject(Buffer.concat([whole.subarray(0, cut), Buffer.from(end.repeat(60))]), LIMITS);
      assert.ok(!isSurelyObject(whole.subarray(0, cut), LIMITS), `${cut} ${end}`);
    }
  assert.ok(isSurelyObject(whole, LIMITS));
});

test("infinite limits do not make the check accept more", () => {
  const none = { depthMax: Infinity, keysPerObjectMax: Infinity, valuesMax: Infinity };
  for (const text of ['{"a":}', `{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`, "{}}"])
    assert.ok(!accepts(text, none), text.slice(0, 20));
});
