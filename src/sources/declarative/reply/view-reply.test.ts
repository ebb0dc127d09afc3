import assert from "node:assert/strict";
import { test } from "node:test";
import { XML_NAMES_MAX, XML_VALUES_MAX, XmlProblem } from "./parse-xml.ts";
import { compileXmlReader, XML_BYTES_MAX } from "./view-reply.ts";

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

test("any name is a plain name, and finds nothing that stands behind every object", () => {
  const text =
    '<r constructor="1"><toString/><__proto__><admin>yes</admin></__proto__><valueOf>&constructor;</valueOf></r>';
  const { r } = read(text) as { r: object };
  assert.equal(Object.getPrototypeOf(r), Object.prototype);
  assert.deepEqual(Object.keys(r), ["@constructor", "toString", "__proto__", "valueOf"]);
  assert.deepEqual(JSON.parse(JSON.stringify(r)).valueOf, "&constructor;");
});

test("what is in CDATA is not markup, and markup in a comment is none", () => {
  assert.deepEqual(read("<r> <![CDATA[ &amp;<b> ]]> </r>"), { r: " &amp;<b> " });
  assert.deepEqual(read("<r>a<!-- <b> & <![CDATA[ -->b</r>"), { r: "ab" });
  assert.deepEqual(read("<?xml version='1.0'?>\n<!-- x --><r>a<?b <c>?></r>\n<!-- y -->"), { r: "a" });
});

test("a document type is seen wherever it is hidden", () => {
  for (const hidden of [
    "<!-- <![CDATA[ --><!DOCTYPE r><!-- ]]> --><r/>",
    "<r><!DOCTYPE r></r>",
    "<r/><!ENTITY a 'b'>",
  ]) {
    assert.throws(() => read(hidden), { message: "it has a document type declaration" });
  }
});

test("the ends of lines are one, whatever system wrote them", () => {
  assert.deepEqual(read("<r>a\r\nb\rc\nd</r>"), { r: "a\nb\nc\nd" });
});

for (const text of [
  "",
  " ",
  "<r>",
  "</r>",
  "<r/><r/>",
  "<r/>x",
  "x<r/>",
  "<r a=1/>",
  "<r a/>",
  '<r a="1" a="2"/>',
  '<r a="1"b="2"/>',
  '<r a="<"/>',
  "<r a='1>",
  "< r/>",
  "<r/ >",
  "<1/>",
  "<a:b:c/>",
  "<a:/>",
  "<r>&</r>",
  "<r>& b;</r>",
  "<r>&;</r>",
  "<r>&#;</r>",
  "<r>&#xZ;</r>",
  "<r><![CDATA[</r>",
  "<r><!--</r>",
  "<r><?a</r>",
  "<a:r></b:r>",
  "<r",
  "<",
]) {
  test(`${text || "nothing"} is no XML`, () => assert.throws(() => read(text), XmlProblem));
}

test("elements, attributes, comments and references are counted as they come, over the whole document", () => {
  const problemOf = (text: string) => {
    try {
      read(text);
      return null;
    } catch (error) {
      return (error as XmlProblem).message;
    }
  };
  const many = XML_VALUES_MAX - 1;
  assert.equal(problemOf(`<r>${"<a/>".repeat(many)}</r>`), null);
  const counted = ["<a/>", "<!---->", "<?a?>", "&lt;", "<![CDATA[]]>"];
  for (const one of counted) assert.equal(problemOf(`<r>${one.repeat(many + 1)}</r>`), "it has too many values", one);
  const names = (count: number, write: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => write(at)).join(" ");
  for (const count of [XML_NAMES_MAX, XML_NAMES_MAX + 1]) {
    const problem = count > XML_NAMES_MAX ? "an element in it has too many different names" : null;
    assert.equal(problemOf(`<r ${names(count, (at) => `a${at}='1'`)}/>`), problem);
    assert.equal(problemOf(`<r>${names(count, (at) => `<a${at}/><a${at}/>`)}</r>`), problem);
  }
  assert.equal(problemOf(`<r>${"x".repeat(XML_BYTES_MAX)}</r>`), "it is too large for an XML reply");
});
