import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Reply } from "../sdk/http.ts";
import type { Json } from "../terms/json/json.ts";
import { readXml } from "../terms/xml/read-xml.ts";
import { compareShapes } from "./compare-shapes.ts";
import { maskReply } from "./mask-reply.ts";
import { createMasking } from "./mask-values.ts";

const WORDS = { texts: new Set(["FOUND"]), names: new Set(["Record", "Name", "x-total", "status"]) };

function replyOf(body: string | Buffer, headers: Record<string, string> = {}): Reply {
  const bytes = Buffer.from(body as string);
  return {
    status: 200,
    headers,
    bytes: () => bytes,
    text: () => String(bytes),
    json: () => JSON.parse(String(bytes)),
    xml: () => readXml(bytes, []),
    chargedAs: () => {},
  };
}

const masked = (body: string | Buffer, headers: Record<string, string> = {}) =>
  maskReply(replyOf(body, headers), createMasking(WORDS.texts, WORDS.names), WORDS);

test("of XML nothing is left but its elements, in whatever way a value is written", () => {
  const xml = `<?xml version="1.0" encoding="utf-8"?><!-- for Grace Hopper --><?note Ada?><Record id='SSN-123-45-6789' version="Ada 2" xmlns:a='urn:words'>
    <Name><![CDATA[Ada <Lovelace>, 12 Secret Street]]></Name><a:Name>Ada &amp; Gr&#97;ce</a:Name><Ada_Lovelace/><s>FOUND</s><n>1862-05-01</n></Record>`;
  assert.equal(
    masked(xml).body,
    `<?xml version="1.0" encoding="UTF-8"?><Record id="XXX-123-45-6789" version="Xxx 1" xmlns:a="urn:words">
    <Name>Xxx &#60;Xxxxxxxx&#62;, 12 Xxxxxx Xxxxxx</Name><a:Name>Xxx &#38; Xxxxx</a:Name><Xxx_Xxxxxxxx/><s>FOUND</s><n>2001-02-03</n></Record>`,
  );
  assert.equal(
    masked(Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><r>Ærø</r>', "latin1")).body,
    '<?xml version="1.0" encoding="UTF-8"?><r>Xxx</r>',
  );
});

test("a masked reply has the charset of the case, and an element that is null stays null", () => {
  const xsi = 'xmlns:XSI="http://www.w3.org/2001/XMLSchema-instance"';
  const nil = masked(`<r ${xsi}><died XSI:nil="true"/><born XSI:nil="1" XSI:type="Ada"/></r>`).body as string;
  assert.deepEqual(readXml(Buffer.from(nil), []), { r: { died: null, born: null } });
  const json = Buffer.from('\ufeff{"name":"Ærø"}', "utf16le");
  assert.deepEqual(masked(json), { body: { name: "Xxx" } });
  const type = { "content-type": "text/csv; charset=shift_jis" };
  assert.equal(masked(Buffer.from([0x93, 0x8c, 0x3b, 0x31]), type).body, "x;1");
});

test("what is written in no way that is known loses every letter", () => {
  assert.equal(masked("<!DOCTYPE html><h1 class=Ada>Ada</h1>").body, "<!XXXXXXX xxxx><x1 xxxxx=Xxx>Xxx</x1>");
  assert.equal(masked("<r><unclosed Ada").body, "<x><xxxxxxxx Xxx");
  assert.throws(() => masked(Buffer.from([0xff, 0xfe, 0x41])), /not text that can be masked/);
  const type = { "content-type": "text/csv; charset=iso-8859-1" };
  assert.equal(masked(Buffer.from("Ærø;1", "latin1"), type).body, "Xxx;1");
});

test("names of members that may be data are masked, and none of them is lost", () => {
  const json =
    '{"Ada_Lovelace": 3, "Eda_Lovelace": 12345678901234567891, "status": "FOUND", "companyName": [true, "x@y.example"]}';
  assert.deepEqual(masked(json).body, {
    Xxx_Xxxxxxxx: 3,
    Xxx_Xxxxxxxx_2: 123456789123456,
    status: "FOUND",
    companyName: [true, "x@x.xxxxxxx"],
  });
});

test("a table keeps the words of the source's file, a form its fields; header fields that are read are masked", () => {
  const csv = masked('status;Name\r\nFOUND;Ada Lovelace\n1862-05-01;"Grace, H."\n', {
    "content-type": 'text/csv; name="Ada.csv"',
  });
  assert.deepEqual(csv, {
    headers: { "content-type": "text/csv; charset=utf-8" },
    body: 'status;Name\r\nFOUND;Xxx Xxxxxxxx\n2001-02-03;"Xxxxx, X."\n',
  });
  assert.equal(masked("status: Name\nName = status\nAda: 1").body, "status: Name\nName = xxxxxx\nXxx: 1");
  const form = masked("status=FOUND&Name=Ada%20%C3%84&ada.lovelace%40x.example=1", {
    "content-type": "application/x-www-form-urlencoded",
    "x-total": "Ada 17",
    "x-id": "Ada",
    "content-length": "9",
  });
  assert.deepEqual(form, {
    headers: { "content-type": "application/x-www-form-urlencoded", "x-total": "Xxx 12" },
    body: "status=FOUND&Name=Xxx+X&xxx.xxxxxxxx%40x.xxxxxxx=1",
  });
});

test("no value of an XML answer survives, and the source's reader finds the same shape", () => {
  const texts = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .map((text) => text.replaceAll(/[<>&"'\]\p{C}]/gu, "é"));
  const value = texts.chain((text) =>
    fc.constantFrom(
      text,
      `<![CDATA[${text}<]]>`,
      [...text].map((letter) => `&#${letter.codePointAt(0)};`).join(""),
      `<!-- ${text.replaceAll("-", "")} -->${text}`,
    ),
  );
  const tree = fc.letrec<{ xml: string }>((tie) => ({
    xml: fc
      .tuple(
        fc.constantFrom("Record", "ns:Name", "a"),
        texts,
        texts,
        fc.oneof(
          { maxDepth: 3 },
          value,
          fc.array(tie("xml"), { maxLength: 3 }).map((parts) => parts.join(" ")),
        ),
      )
      .map(([name, one, other, inside]) => `<${name} id='${one}' status = "${other}">${inside}</${name}>`),
  })).xml;
  const read = (bytes: Buffer) => readXml(bytes, []);
  fc.assert(
    fc.property(tree, (xml) => {
      const made = read(Buffer.from(String(masked(xml).body)));
      assert.deepEqual(compareShapes(read(Buffer.from(xml)), made), []);
      for (const text of textsIn(made))
        if (!/^https:|^2001-|^1{8}-/.test(text)) assert.match(text, /^(?:[Xx]|[^\p{L}])*$/u);
    }),
  );
});

function textsIn(value: Json): string[] {
  if (typeof value === "string") return value === "FOUND" ? [] : [value];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((part) => textsIn(part as Json))
    : [];
}
