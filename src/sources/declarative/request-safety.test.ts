import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fault } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { compileDeclarative } from "./compile-declarative.ts";
import { fakeCall, faultOf, fileWith, replyOf, type Asked } from "./fake-call.kit.ts";

const EVERYWHERE = `
inputs: {type: object, properties: {a: {}, b: {}, c: {}}}
credentials: {type: object, properties: {key: {}}}
auth:
  - {kind: api_key, header: X-Key, value: 'Key {{ credentials.key }}'}
  - {kind: api_key, query: key, value: '{{ credentials.key }}'}
request:
  method: POST
  url: https://api.acme.example/v1/CIK{{ inputs.a }}.json/{{ inputs.b }}
  query: {q: '{{ inputs.a }}', 'filter[x]': '{{ inputs.c }}', fixed: '1'}
  headers: {X-A: 'a {{ inputs.a }}'}
  body: {json: {a: '{{ inputs.a }}', list: ['{{ inputs.b }}', 'x {{ inputs.c }}']}}
`;

/** Values with which an attacker might try to reach another address. */
const NASTY = [
  ".", "..", "%2e%2e", "%252e%252e", "../x", "..\\x", "a/b", "a%2fb", "a%252Fb", "a\\b", "", " ", "?x=1", "#x", "&y=2", "a&key=1",
  "@evil.example", "//evil.example", "https://evil.example/", "\r\nX-Evil: 1", "a\nb", "a\0b", "é", "😀", "\ud800", '"', "'", "{{ inputs.b }}",
  "127.0.0.1", "0x7f.1", "[::1]", ";v=1", "a+b", "a b", "%", "%zz", "\u202e", "\u2028", "__proto__",
]; // oxfmt-ignore

const value = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.integer(),
  fc.boolean(),
);
const values = fc.record({ a: value, b: value, c: value }, { requiredKeys: ["a", "b"] });

async function ask(file: string, inputs: JsonObject, credentials: JsonObject): Promise<Asked | Fault> {
  const { call, asked } = fakeCall(() => replyOf(200), { inputs, credentials });
  try {
    await compileDeclarative(fileWith(file), "a.yaml").run(call);
  } catch (thrown) {
    assert.ok(thrown instanceof Fault, String(thrown));
    assert.equal(asked.length, 0, "a value that cannot be sent is found before anything is");
    return thrown;
  }
  return asked[0]!;
}

test("whatever the values, host, path shape, header set and parameter names are those of the file", async () => {
  const compiled = compileDeclarative(fileWith(EVERYWHERE), "a.yaml");
  await fc.assert(
    fc.asyncProperty(values, value, async (inputs, key) => {
      const { call, asked } = fakeCall(() => replyOf(200), { inputs, credentials: { key } });
      try {
        await compiled.run(call);
      } catch (thrown) {
        assert.ok(thrown instanceof Fault);
        assert.ok(["source.input_invalid", "source.credential_missing"].includes(thrown.code));
        assert.match(thrown.says, /\b(a|b|c|key)\b/);
        assert.equal(asked.length, 0);
        return;
      }
      const { url, method, options } = asked[0]!;
      const parsed = new URL(url);
      assert.equal(parsed.href, url, "nothing is left for a parser to change");
      assert.deepEqual(
        [method, parsed.origin, parsed.username, parsed.hash],
        ["POST", "https://api.acme.example", "", ""],
      );
      const segments = parsed.pathname.split("/");
      assert.equal(segments.length, 4);
      assert.equal(decodeURIComponent(segments[2]!), `CIK${String(inputs.a)}.json`);
      assert.equal(decodeURIComponent(segments[3]!), String(inputs.b));
      const names = ["q", ...("c" in inputs ? ["filter[x]"] : []), "fixed", "key"];
      assert.deepEqual([...parsed.searchParams.keys()], names);
      assert.equal(parsed.searchParams.get("q"), String(inputs.a));
      assert.deepEqual(Object.keys(options.headers ?? {}).sort(), ["accept", "content-type", "x-a", "x-key"]);
      for (const field of Object.values(options.headers ?? {})) assert.match(String(field), /^[\x20-\x7e\t]*$/);
      const list = "c" in inputs ? [inputs.b, `x ${String(inputs.c)}`] : [inputs.b];
      assert.deepEqual(JSON.parse(String(options.body)), { a: inputs.a, list });
    }),
    { numRuns: 2000 },
  );
});

test("a path segment is never empty, dots, or more than one, and the field is named", async () => {
  for (const nasty of ["", ".", "..", "%2e%2e", "%252E.", "a/b", "a%2Fb", "a\\b", "a%5cb", "x\0y", "\ud800"]) {
    const fault = await ask("request: {url: 'https://api.acme.example/people/{{ inputs.name }}'}", { name: nasty }, {});
    assert.ok(fault instanceof Fault, JSON.stringify(nasty));
    assert.equal(fault.code, "source.input_invalid");
    assert.match(fault.says, /input name/);
  }
});

test("a form has the fields of the file, whatever their values", async () => {
  const file =
    "request: {method: POST, url: 'https://api.acme.example/', body: {form: {name: '{{ inputs.name }}', n: '{{ inputs.n }}'}}}";
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "grapheme" })), async (name) => {
      const sent = await ask(file, { name, n: 1 }, {});
      if (sent instanceof Fault) return assert.equal(name.isWellFormed(), false);
      assert.deepEqual(
        [...new URLSearchParams(String(sent.options.body))],
        [
          ["name", name],
          ["n", "1"],
        ],
      );
    }),
    { numRuns: 200 },
  );
});

test("an absent optional input takes its parameter, header and member with it", async () => {
  const file = [
    "request:",
    "  method: POST",
    "  url: https://api.acme.example/",
    "  query: {name: '{{ inputs.name }}', all: 'x{{ inputs.name }}'}",
    "  headers: {X-Name: '{{ inputs.name }}'}",
    "  body: {json: {keep: 1, name: '{{ inputs.name }}', in: {name: '{{ inputs.name }}'}, list: ['{{ inputs.name }}'], empty: {}}}",
  ].join("\n");
  const sent = (await ask(file, {}, {})) as Asked;
  assert.equal(sent.url, "https://api.acme.example/");
  assert.equal("x-name" in (sent.options.headers ?? {}), false);
  assert.deepEqual(JSON.parse(String(sent.options.body)), { keep: 1, empty: {} });
});

test("a template that is one expression keeps the type of its value, and a list repeats its parameter", async () => {
  const file = [
    "request:",
    "  method: POST",
    "  url: https://api.acme.example/",
    "  query: {tag: '{{ inputs.tags }}'}",
    "  body: {json: {n: '{{ inputs.n }}', tags: '{{ inputs.tags }}', text: 'n={{ inputs.n }}'}}",
  ].join("\n");
  const sent = (await ask(file, { n: 7, tags: ["a", "b&c"] }, {})) as Asked;
  assert.equal(new URL(sent.url).search, "?tag=a&tag=b%26c");
  assert.deepEqual(JSON.parse(String(sent.options.body)), { n: 7, tags: ["a", "b&c"], text: "n=7" });
  const nested = await ask("request: {url: 'https://api.acme.example/{{ inputs.tags }}'}", { tags: ["a"] }, {});
  assert.ok(nested instanceof Fault);
});

test("an XML body says what the values say and has the elements of the file", async () => {
  const file = [
    "request:",
    "  method: POST",
    "  url: https://api.acme.example/",
    "  body: {xml: {'s:Envelope': {'@xmlns:s': 'urn:s', 's:Body': {name: '{{ inputs.name }}', gone: '{{ inputs.born }}', tag: ['{{ inputs.n }}', x]}}}}",
  ].join("\n");
  const sent = (await ask(file, { name: "<b/>&\"'", n: 1 }, {})) as Asked;
  assert.equal(
    sent.options.body,
    '<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="urn:s"><s:Body><name>&#60;b/&#62;&#38;&#34;&#39;</name><tag>1</tag><tag>x</tag></s:Body></s:Envelope>',
  );
  assert.equal(((await ask(file, { name: "\u0001", n: 1 }, {})) as Fault).code, "source.input_invalid");
});

test("a credential that cannot be in a header is named and never shown", async () => {
  const file = "auth: {kind: api_key, header: X-Key, value: '{{ credentials.key }}'}";
  const fault = await ask(file, {}, { key: "top-secret\r\nX-Evil: 1" });
  assert.ok(fault instanceof Fault);
  assert.equal(fault.code, "source.credential_missing");
  assert.match(fault.says, /key/);
  assert.doesNotMatch(fault.says, /top-secret/);
});

test("plain text takes no second line", async () => {
  const file = "request: {method: POST, url: 'https://api.acme.example/', body: {text: 'name={{ inputs.name }}'}}";
  assert.equal(((await ask(file, { name: "Ada" }, {})) as Asked).options.body, "name=Ada");
  assert.ok((await ask(file, { name: "a\nrole=admin" }, {})) instanceof Fault);
  assert.equal((await faultOf(Promise.reject(await ask(file, {}, {})))).code, "source.input_invalid");
});

test("no value becomes an element or an attribute of an XML body, whatever its shape", async () => {
  const file = `${EVERYWHERE.slice(0, EVERYWHERE.indexOf("  body:"))}  body: {xml: {r: {'@at': '{{ inputs.b }}', p: '{{ inputs.c }}'}}}`;
  const ofXml = (c: JsonObject[string]) => ask(file, { a: 1, b: "x", c }, { key: "k" });
  for (const nasty of [
    { "x><admin>true</admin><x": "1" },
    { '@a="1" b': "2" },
    { "#text": "t" },
    [{ admin: true }],
    [["a", { b: 1 }]],
    {},
  ]) {
    const refused = await ofXml(nasty);
    assert.ok(refused instanceof Fault && refused.code === "source.input_invalid", JSON.stringify(nasty));
    assert.match(refused.says, /input c must be a single value/);
  }
  const sent = (await ofXml(["a<b", 2])) as Asked;
  assert.match(String(sent.options.body), /<r at="x"><p>a&#60;b<\/p><p>2<\/p><\/r>$/);
});

test("a text in an address or in XML is parsed as the same text, whatever it contains", async () => {
  const file = `inputs: {type: object, properties: {v: {}}}
request: {method: POST, url: 'https://api.acme.example/', query: {q: '{{ inputs.v }}'}, body: {xml: {a: '{{ inputs.v }}'}}}`;
  // oxlint-disable-next-line no-control-regex -- those that XML cannot say
  const unsayable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;
  const sayable = fc.string({ unit: "binary" }).filter((text) => !unsayable.test(text));
  await fc.assert(
    fc.asyncProperty(fc.oneof(sayable, fc.constantFrom("!'()*~-._", "&<>\"'\t\r\n&amp;", "é&漢<😀")), async (v) => {
      const asked = await ask(file, { v }, {});
      assert.ok(!(asked instanceof Fault));
      const query = asked.url.slice(asked.url.indexOf("?") + 1);
      assert.match(query, /^q=[A-Za-z0-9\-._~%]*$/);
      assert.equal(decodeURIComponent(query.slice(2)), v);
      const xml = String(asked.options.body);
      const inside = /<a>([^]*)<\/a>$/.exec(xml)![1]!;
      assert.doesNotMatch(inside, /[<>"'\t\r\n]/);
      assert.equal(
        inside.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
        v,
      );
    }),
  );
});

test("whatever a link to the next page says, it is followed to the origin of the file or not at all", async () => {
  const file = `steps: [{name: list, request: {url: 'https://api.acme.example/list'}, repeat: {next: body.next, max: 2}}]
map: {x: body.x}`;
  const source = compileDeclarative(fileWith(`auth: {kind: bearer, token: secret}\n${file}`), "a.yaml");
  const beginning = fc.constantFrom(
    "",
    "/",
    "//",
    "?",
    "https://",
    "https:",
    "http://api.acme.example",
    "https://api.acme.example",
    "<",
  );
  const link = fc.tuple(beginning, fc.oneof(fc.constantFrom(...NASTY), fc.webUrl(), fc.string({ unit: "binary" })));
  await fc.assert(
    fc.asyncProperty(link, async (parts) => {
      const { call, asked } = fakeCall((_, at) => replyOf(200, at === 0 ? { next: parts.join("") } : {}));
      try {
        await source.run(call);
      } catch (thrown) {
        assert.ok(thrown instanceof Fault && thrown.code === "source.contract");
      }
      for (const { url } of asked) {
        const { origin, username, hash, href } = new URL(url);
        assert.deepEqual([origin, username, hash, href], ["https://api.acme.example", "", "", url]);
      }
    }),
  );
});
