import assert from "node:assert/strict";
import { test } from "node:test";
import { printable, printableJson, printableLines, printableJsonText } from "./printable.ts";

/** Characters that move a cursor, end a line or reverse text on some terminal, and characters that are invisible. */
const UNSAFE =
  "\u0000\u0007\u001b[2J\u007f\u0080\u0085\u009b2J\u009d0;x\u009c\u00ad\u200b\u202e\u2028\u2029\ufeff\ud800";
const CONTROLS = /[\p{C}\u2028\u2029]/u;

test("nothing unsafe is printed, neither as text nor as JSON", () => {
  for (const shown of [printable(UNSAFE), printableLines(UNSAFE), printableJson({ [UNSAFE]: [UNSAFE] })])
    assert.doesNotMatch(shown, CONTROLS);
});

test("JSON that is safe to print reads back as what it was", () => {
  const values = { [UNSAFE]: [UNSAFE, "\u{e0041}", "é Ω 漢 👩‍🔬", "\\u009b", '"\\', 1.5, null] };
  assert.deepEqual(JSON.parse(printableJson(values)), values);
  assert.equal(printableJson({ name: "é Ω 漢" }), '{"name":"é Ω 漢"}');
});

test("the lines of a text of JSON stay lines", () => {
  assert.equal(printableJsonText('{"a":"\u009b"}\n{"a":"\u0085"}\n'), '{"a":"\\u009b"}\n{"a":"\\u0085"}\n');
});
