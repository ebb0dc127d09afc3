import assert from "node:assert/strict";
import { test } from "node:test";
import { toUtf8 } from "../text/charset.ts";
import { XML_NAMES_MAX, XML_VALUES_MAX, XmlProblem } from "./parse-xml.ts";
import { type ListPath, readXml, XML_BYTES_MAX } from "./read-xml.ts";

const read = (text: string, lists: readonly ListPath[] = []) => readXml(Buffer.from(text, "utf8"), lists);

test("elements, attributes, text and lists are read as text, without prefixes", () => {
  assert.deepEqual(read('<a:r x="1"><b>007</b><b> c </b><d y="2">t</d><e/></a:r>'), {
    r: { "@x": "1", b: ["007", "c"], d: { "#text": "t", "@y": "2" }, e: "" },
  });
});

test("an element named as a list is one even when it is alone", () => {
  assert.deepEqual(read("<r><b>1</b></r>", ["r.b"]), { r: { b: ["1"] } });
});

test("a list of names reaches an element whose name has a dot", () => {
  const text = "<service.response><debts><debt>1</debt></debts></service.response>";
  const found = { "service.response": { debts: { debt: ["1"] } } };
  assert.deepEqual(read(text, [["service.response", "debts", "debt"]]), found);
  assert.deepEqual(read("<r><b>1</b></r>", [["r", "b"]]), { r: { b: ["1"] } });
});

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

test("an element with nil of the schema-instance namespace and no content is null, whatever its prefix", () => {
  for (const [text, value] of [
    [`<r ${XSI}><p xsi:nil="true"/></r>`, { p: null }],
    [`<r ${XSI}><p xsi:nil=" 1 "> <!-- none --></p></r>`, { p: null }],
    [`<r ${XSI}><p xsi:type="date" xsi:nil='true' code="7"></p></r>`, { p: null }],
    [`<r><p i:nil="true" ${XSI.replace("xsi", "i")}/></r>`, { p: null }],
    [`<r ${XSI}><p xsi:nil="true"/><p>1</p></r>`, { p: [null, "1"] }],
    ['<r><p xsi:nil="true"/></r>', { p: null }],
    [`<r ${XSI}><p xsi:nil="false"/></r>`, { p: { "@nil": "false" } }],
    [`<r ${XSI}><p xsi:nil="true">1</p></r>`, { p: { "@nil": "true", "#text": "1" } }],
    [`<r ${XSI}><p xsi:nil="true"><q/></p></r>`, { p: { "@nil": "true", q: "" } }],
    [`<r ${XSI}><p nil="true"/></r>`, { p: { "@nil": "true" } }],
    ['<r xmlns:a="urn:vendor"><p a:nil="true"/></r>', { p: { "@nil": "true" } }],
    [`<r ${XSI}><p xmlns:xsi="urn:vendor" xsi:nil="true"/></r>`, { p: { "@nil": "true" } }],
  ] as const)
    assert.deepEqual(read(text), { r: value }, text);
  assert.deepEqual(read(`<r ${XSI} xsi:nil="true"/>`), { r: null });
  assert.deepEqual(read(`<r ${XSI}><p xsi:nil="true"/></r>`, ["r.p"]), { r: { p: [null] } });
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
] as const) {
  test(`${what} is not used`, () => assert.throws(() => read(text), XmlProblem));
}

/** The body that a source gets of a reply whose bytes are the characters of `text`. */
function bodyOf(text: string, type: string) {
  return readXml(toUtf8(Buffer.from(text, "latin1"), type), []);
}

const JOSÉ = "<r>Jos\u00e9</r>";
const JOSÉ_IN_UTF_8 = "<r>Jos\u00c3\u00a9</r>";
const SAYS_LATIN = '<?xml version="1.0" encoding="ISO-8859-1"?>';
const SAYS_UTF_8 = '<?xml version="1.0" encoding="UTF-8"?>';

test("the charset of the header field is used like the one that the document declares", () => {
  for (const type of ["text/xml; charset=ISO-8859-1", 'application/xml;profile=a; Charset="latin1"'])
    assert.deepEqual(bodyOf(JOSÉ, type), { r: "José" }, type);
  assert.deepEqual(bodyOf(JOSÉ_IN_UTF_8, "text/xml; charset=ISO-8859-1"), { r: "José" });
  assert.deepEqual(bodyOf(`${SAYS_LATIN}${JOSÉ}`, "text/xml"), { r: "José" });
  assert.throws(() => bodyOf(JOSÉ, "text/xml; charset=utf-8"), new XmlProblem("it is not UTF-8"));
  assert.throws(() => bodyOf(JOSÉ, "text/xml"), new XmlProblem("it is not UTF-8"));
});

test("a document whose header field contradicts it is read as UTF-8 if it is UTF-8, and as Latin 1 otherwise", () => {
  for (const [says, charset] of [
    [SAYS_LATIN, "utf-8"],
    [SAYS_LATIN, "us-ascii"],
    [SAYS_UTF_8, "iso-8859-1"],
    ["\u00ef\u00bb\u00bf", "iso-8859-1"],
  ] as const)
    assert.deepEqual(bodyOf(says + JOSÉ_IN_UTF_8, `text/xml; charset=${charset}`), { r: "José" }, `${says} ${charset}`);
  assert.deepEqual(bodyOf(SAYS_LATIN + JOSÉ, "text/xml; charset=utf-8"), { r: "José" });
  assert.deepEqual(bodyOf(SAYS_UTF_8 + JOSÉ, "text/xml; charset=iso-8859-1"), { r: "José" });
});

test("a charset that is not known loses no document that is UTF-8 all the same, or says what it is", () => {
  const unknown = "text/xml; charset=x-ebcdic";
  assert.deepEqual(bodyOf(JOSÉ_IN_UTF_8, unknown), { r: "José" });
  assert.deepEqual(bodyOf(SAYS_LATIN + JOSÉ, unknown), { r: "José" });
  assert.throws(() => bodyOf(JOSÉ, unknown), { message: "it has an encoding that is not supported" });
});

test("attributes that only their prefixes distinguish are all kept, in whatever order they come", () => {
  assert.deepEqual(read('<r><p xsi:type="Company" lang="en"/></r>'), {
    r: { p: { "@type": "Company", "@lang": "en" } },
  });
  const both = { "@xsi:type": "Company", "@type": "legal" };
  assert.deepEqual(read('<p xsi:type="Company" type="legal"/>'), { p: both });
  assert.deepEqual(read('<p type="legal" xsi:type="Company"/>'), { p: both });
  for (const text of [
    '<p a:x="1" b:x="2" c:x="3" x="4"/>',
    '<p x="4" c:x="3" b:x="2" a:x="1"/>',
    '<p a:x="1" x="4" b:x="2" c:x="3"/>',
  ])
    assert.deepEqual(read(text), { p: { "@a:x": "1", "@b:x": "2", "@c:x": "3", "@x": "4" } }, text);
  assert.deepEqual(read('<p a:x="1" b:x="2" c:x="3"/>'), { p: { "@a:x": "1", "@b:x": "2", "@c:x": "3" } });
});

test("white space between two parts of one text belongs to it, and between elements to nothing", () => {
  for (const [text, value] of [
    ["<a><![CDATA[12 High Street]]> <![CDATA[London]]></a>", "12 High Street London"],
    ["<a>12 High Street<!-- 1 -->\n<!-- 2 --> <?p?>London</a>", "12 High Street\n London"],
    ["<a><![CDATA[a]]> <![CDATA[b]]><![CDATA[c]]></a>", "a bc"],
    ["<a><![CDATA[]]> <![CDATA[London]]></a>", " London"],
    ["<a>\n  <![CDATA[London]]>\n  <!-- 1 -->\n</a>", "London"],
    ["<a>12<b/> <!-- 1 -->London</a>", { "#text": "12 London", b: "" }],
    ["<a><![CDATA[12]]> <b/>London</a>", { "#text": "12London", b: "" }],
    ["<a>\n  <b> </b>\n  <b/> </a>", { b: ["", ""] }],
  ] as const)
    assert.deepEqual(read(text), { a: value }, text);
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
  '<r n:a="1" n:a="2"/>',
  '<r a="1" n:a="2" a="3"/>',
  '<r a="1" n:a="2" n:a="3"/>',
  '<r m:a="1" n:a="2" m:a="3"/>',
  '<r n:a="1" a="2" n:a="3"/>',
  '<r n:a="1" a="2" a="3"/>',
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
