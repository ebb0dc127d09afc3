import assert from "node:assert/strict";
import { test } from "node:test";
import { compileXmlReader, XmlProblem } from "./read-xml.ts";

const read = (text: string, lists: readonly string[] = []) => compileXmlReader(lists)(Buffer.from(text, "utf8"));

test("elements, attributes, text and lists are read as text, without prefixes", () => {
  assert.deepEqual(read('<a:r x="1"><b>007</b><b> c </b><d y="2">t</d><e/></a:r>'), {
    r: { "@x": "1", b: ["007", "c"], d: { "#text": "t", "@y": "2" }, e: "" },
  });
});

test("an element named as a list is one even when it is alone", () => {
  assert.deepEqual(read("<r><b>1</b></r>", ["r.b"]), { r: { b: ["1"] } });
});

test("the five entities and character references are read once, and nothing else is", () => {
  assert.deepEqual(read("<r>&lt;&amp;lt;&#65;&#x42;&#xD800;&nope;</r>"), { r: "<&lt;AB\ufffd&nope;" });
});

for (const [what, text] of [
  ["a document type", '<!DOCTYPE r [<!ENTITY a "x">]><r>&a;</r>'],
  ["an external entity", '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>'],
  ["an unclosed element", "<r><b></r>"],
  ["no XML at all", "hello"],
  ["an endless nesting", `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`],
  ["an encoding that is not read", '<?xml version="1.0" encoding="UTF-16"?><r/>'],
] as const) {
  test(`${what} is not used`, () => assert.throws(() => read(text), XmlProblem));
}

test("bytes that are no UTF-8 are not used, and Latin 1 is read where it is declared", () => {
  assert.throws(() => compileXmlReader([])(Buffer.from([0x3c, 0x72, 0x3e, 0xff, 0x3c, 0x2f, 0x72, 0x3e])), XmlProblem);
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>\xe9</r>', "latin1");
  assert.deepEqual(compileXmlReader([])(latin), { r: "é" });
});

test("an element that is named like a part of every object is not used", () => {
  assert.throws(() => read("<r><constructor>1</constructor></r>"), XmlProblem);
});
