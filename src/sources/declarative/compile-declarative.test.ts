import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { NoMatch } from "../../sdk/source.ts";
import { CONNECTION_HEADERS } from "../../terms/http/connection-headers.ts";
import type { Json } from "../../terms/json/json.ts";
import { compileDeclarative } from "./compile-declarative.ts";
import { DeclarationError } from "./format/declaration-error.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "./fake-call.kit.ts";
import { publishedSchema } from "./format/format.ts";

function refused(text: string): DeclarationError {
  try {
    compileDeclarative(text, "acme.yaml");
  } catch (error) {
    if (error instanceof DeclarationError) return error;
    throw error;
  }
  throw new Error("the file was taken");
}

async function outcome(parts: string, status: number, body: Json | Buffer = {}) {
  const { call } = fakeCall(() => replyOf(status, body), { inputs: { name: "Ada" } });
  return compileDeclarative(fileWith(parts), "acme.yaml").run(call);
}

const caseThat = (expects: string) => `cases: [{name: a, inputs: {}, expect: ${expects}}]`;

const WRONG: readonly (readonly [what: string, parts: string, code: string, hint?: RegExp])[] = [
  ["a misspelled key", "mapp: {a: body.a}", "format.unknown_key", /"map"/],
  ["a misspelled key further in", "match: {record: 'status', no_recrod: 'status'}", "format.unknown_key", /no_record/],
  ["polling outside of a step", "poll: {every: 1s}", "format.unknown_key", /belongs to a step/],
  ["paging", "pagination: {}", "format.unknown_key", /belongs to a step.*repeat/],
  ["several requests", "request: [{url: 'https://api.acme.example/x'}]", "format.value", /steps:/],
  ["no rule for no record", "match: {record: 'status'}", "format.missing_key"],
  ["a case that says nothing of a match", caseThat("{output: {a: 1}}"), "format.missing_key"],
  ["a case of two ends", caseThat("{failure: input, match: true}"), "format.unknown_key", /known are failure, field/],
  ["a case of a field alone", caseThat("{match: false, field: name}"), "format.unknown_key", /known are match, output/],
  ["a value that is none of those allowed", "charge: per_cal", "format.value", /per_call/],
  ["a kind of authentication that does not exist", "auth: {kind: baisc}", "format.value", /"basic"/],
  [
    "an input that is not declared",
    "request: {url: 'https://api.acme.example/{{ inputs.nmae }}'}",
    "template.unknown_name",
    /name/,
  ],
  [
    "a credential that is not declared",
    "auth: {kind: bearer, token: '{{ credentials.kee }}'}",
    "template.unknown_name",
    /key/,
  ],
  [
    "a filter that does not exist",
    "request: {url: 'https://api.acme.example/{{ inputs.name | uper }}'}",
    "template.unknown_filter",
    /upper/,
  ],
  [
    "a filter without its argument",
    "request: {url: 'https://api.acme.example/{{ inputs.name | zero_pad }}'}",
    "template.syntax",
  ],
  ["half a template", "request: {url: 'https://api.acme.example/{{ inputs.name'}", "template.syntax"],
  ["a template in the host", "request: {url: 'https://{{ inputs.name }}.acme.example/x'}", "url.invalid"],
  ["a template beside the host", "request: {url: 'https://api.acme.example{{ inputs.name }}/x'}", "url.invalid"],
  [
    "a query in the address",
    "request: {url: 'https://api.acme.example/x?a={{ inputs.name }}'}",
    "url.invalid",
    /query/,
  ],
  ["dots in the address", "request: {url: 'https://api.acme.example/a/../b'}", "url.invalid"],
  ["an origin that is not declared", "request: {url: 'https://other.example/x'}", "url.origin", /declared/],
  ["an origin with a path", "origins: ['https://api.acme.example/v1']", "url.origin"],
  [
    "a template as a parameter's name",
    "request: {url: 'https://api.acme.example/', query: {'{{ inputs.name }}': x}}",
    "template.misplaced",
  ],
  [
    "a header that is not the file's",
    "request: {url: 'https://api.acme.example/', headers: {Host: evil.example}}",
    "request.header",
  ],
  ...[...CONNECTION_HEADERS, "Content-Type", "content-encoding"].map(
    (name) =>
      [
        `the header ${name}`,
        `request: {url: 'https://api.acme.example/', headers: {${name}: x}}`,
        "request.header",
      ] as const,
  ),
  [
    "two headers of one name",
    "request: {url: 'https://api.acme.example/', headers: {A: x, a: y}}",
    "request.duplicate",
  ],
  [
    "a header that auth sets too",
    "auth: {kind: bearer, token: x}\nrequest: {url: 'https://api.acme.example/', headers: {Authorization: x}}",
    "request.duplicate",
  ],
  [
    "two bodies",
    "request: {method: POST, url: 'https://api.acme.example/', body: {json: {}, text: x}}",
    "request.body",
  ],
  ["a body of a GET", "request: {url: 'https://api.acme.example/', body: {json: {}}}", "request.body", /POST/],
  ["an expression that is none", "match: {record: 'status ==', no_record: 'status'}", "expression.syntax"],
  [
    "an expression about nothing there is",
    "match: {record: 'boddy.x', no_record: 'status'}",
    "expression.unknown_name",
    /body/,
  ],
  ["a function that does not exist", "map: {n: 'lenght(body)'}", "expression.unknown_function", /length/],
  ["a schema that is none", "output: {type: objct}", "schema.invalid"],
  [
    "an identifier that lost its zeros",
    "cases: [{name: x, inputs: {name: 00012}, expect: {match: true}}]",
    "yaml.leading_zero",
    /"00012"/,
  ],
  [
    "an identifier that is rounded",
    "cases: [{name: x, inputs: {n: 12345678901234567890}, expect: {match: true}}]",
    "yaml.number_too_large",
  ],
  [
    "a fraction with more digits than are kept",
    "cases: [{name: x, inputs: {n: 0.1234567890123456789}, expect: {match: true}}]",
    "yaml.number_too_large",
  ],
  [
    "a version that would lose its zero",
    "request: {url: 'https://api.acme.example/', query: {version: 2.0}}",
    "yaml.number_form",
    /write 2, or "2.0" with its quotes/,
  ],
  [
    "a number that is written in another way than it is sent",
    "request: {method: POST, url: 'https://api.acme.example/', body: {json: {flags: 0x1F}}}",
    "yaml.number_form",
    /31/,
  ],
  [
    "a content type of two lines",
    'request: {method: POST, url: "https://api.acme.example/", body: {text: a, content_type: "text/plain\\r\\nX: 1"}}',
    "request.header",
  ],
  [
    "a client certificate for plain HTTP",
    "origins: ['http://api.acme.example']\nauth: {kind: mtls, cert: '{{ credentials.key }}', key: '{{ credentials.key }}'}\nrequest: {url: 'http://api.acme.example/'}",
    "url.origin",
    /https/,
  ],
  ["broken YAML", "description: {a: [}", "yaml.syntax"],
  [
    "an expression that begins as a tag does",
    "match: {record: body}\nmap:\n  a: !body.ok",
    "yaml.syntax",
    /^put the value in quotes: a: '!body\.ok'$/,
  ],
  [
    "an expression that makes an object",
    "map: body.{a: b, c: 'd'}",
    "yaml.syntax",
    /^put the value in quotes: map: 'body\.\{a: b, c: ''d''\}'$/,
  ],
  ["an expression that begins as an alias does", "map: *.x", "yaml.syntax", /^put the value in quotes: map: '\*\.x'$/],
  ["an expression that begins with a literal", "map: `1`", "yaml.syntax", /^put the value in quotes: map: '`1`'$/],
  ["such an expression inside braces", "map: {a: !body.ok}", "yaml.syntax", /^inside \{ \} and \[ \], put/],
  [
    "a template without quotes inside braces",
    "request: {url: 'https://api.acme.example/', query: {name: {{ inputs.name | upper }}}}",
    "yaml.syntax",
    /^write '\{\{ inputs\.name \| upper \}\}'$/,
  ],
  [
    "a template without quotes after a key",
    "request:\n  url: 'https://api.acme.example/'\n  query:\n    name: {{ inputs.name }}",
    "yaml.syntax",
    /^write '\{\{ inputs\.name \}\}'$/,
  ],
  ["a key given twice", "title: A\ntitle: B", "yaml.syntax"],
  [
    "inputs in a login call",
    "auth: {kind: token_exchange, token: body.t, request: {url: 'https://api.acme.example/{{ inputs.name }}'}}",
    "template.unknown_name",
  ],
  ["an error by a redirect", "errors: [{when: {status: 302}, kind: credential}]", "format.value", /redirects/],
  ["an error by a class that is not an answer", "errors: [{when: {status: 1xx}, kind: contract}]", "format.value"],
  [
    "a charge by an input that there is not",
    "charge: {model: per_call, when: inputs.tagss}",
    "expression.unknown_name",
    /tags/,
  ],
  ["a charge by nothing there is", "charge: {model: per_call, when: boddy.x}", "expression.unknown_name", /body/],
  ["XML that is to go through unchanged", "reply: {format: xml}", "format.missing_key", /unchanged/],
];

for (const [what, parts, code, hint] of WRONG) {
  test(`a file is refused for ${what}`, () => {
    const error = refused(fileWith(parts));
    assert.equal(error.code, code, error.message);
    assert.ok(error.line >= 1 && error.column >= 1);
    if (hint !== undefined) assert.match(error.hint ?? "", hint);
  });
}

test("an error says file, line and column of what is wrong", () => {
  const text = fileWith("match:\n  record: 'status == `200`'\n  no_record: 'stats == `404`'");
  const error = refused(text);
  const line = text.split("\n").findIndex((each) => each.includes("stats")) + 1;
  assert.equal(error.message.startsWith(`acme.yaml:${line}:14: `), true, error.message);
});

test("the published schema is the one that files are checked by", () => {
  const published = readFileSync(new URL("source.schema.json", import.meta.url), "utf8");
  assert.deepEqual(JSON.parse(published), publishedSchema(), "npm run docs");
});

test("annotations stay and the recipe does not", () => {
  const declaration = compileDeclarative(
    fileWith("x-region: eu\nlimits: {rate: [{per: source, max: 1, every: 2s}]}"),
    "a.yaml",
  );
  assert.equal((declaration as unknown as Record<string, unknown>)["x-region"], "eu");
  assert.deepEqual(declaration.limits, { rate: [{ per: "source", max: 1, every_ms: 2000 }] });
  assert.equal("request" in declaration, false);
});

test("without map the vendor's reply itself is the record", async () => {
  const reply = replyOf(200, { big: 1 });
  const { call } = fakeCall(() => reply);
  assert.equal(await compileDeclarative(fileWith(""), "a.yaml").run(call), reply);
});

test("a reply that is judged by its status alone and goes on as it is is never made a value", async (t) => {
  const byStatus = "match: {record: 'status == `200`', no_record: 'status == `404` || headers.\"x-none\"'}";
  const failing = "errors: [{when: {status: 400}, kind: input}]";
  for (const [parts, asked] of [
    [byStatus, 0],
    [`${byStatus}\n${failing}`, 0],
    [`${byStatus}\nmap: {name: body.name}`, 1],
    [`${byStatus}\noutput: {type: object}`, 1],
    [`${byStatus}\nmap_no_record: {name: body.name}`, 1],
    [`${byStatus}\ncharge: {model: per_match, when: 'body.name'}`, 1],
    ["match: {record: 'status == `200` && \"bod\\u0079\".name', no_record: 'status == `404`'}", 1],
    ["match: {record: 'status == `200` && length(*) == `3`', no_record: 'status == `404`'}", 1],
    ["match: {record: 'status == `200` && @.\"body\"', no_record: 'status == `404`'}", 1],
    [`${byStatus}\nerrors: [{when: {predicate: body.error}, kind: input}]`, 1],
  ] as const) {
    const reply = replyOf(200, { name: "Ada" });
    const json = t.mock.method(reply, "json");
    const { call } = fakeCall(() => reply);
    const record = await compileDeclarative(fileWith(parts), "a.yaml").run(call);
    assert.equal(json.mock.callCount(), asked, parts);
    if (asked === 0) assert.equal(record, reply);
  }
  assert.equal((await faultOf(outcome(byStatus, 200, Buffer.from("{")))).code, "source.contract");
  assert.equal(await outcome("match: {record: 'status == `404`', no_record: 'status == `200`'}", 200, [1]), null);
});

test("a map leaves out what comes to nothing, also in objects within", async () => {
  const parts = "map: {name: body.name, gone: body.gone, at: {street: body.street}, all: 'body.list[*].x'}";
  assert.deepEqual(await outcome(parts, 200, { name: "Ada", list: [{ x: 1 }, { x: 2 }] }), {
    name: "Ada",
    all: [1, 2],
  });
});

test("a map may be one expression", async () => {
  assert.deepEqual(await outcome("map: 'body.data'", 200, { data: { a: 1 } }), { a: 1 });
  assert.equal((await faultOf(outcome("map: 'body.data'", 200, { data: 3 }))).code, "source.contract");
});

test("no record may still say something", async () => {
  const none = await outcome("map_no_record: {why: body.reason}", 404, { reason: "unknown" });
  assert.ok(none instanceof NoMatch);
  assert.deepEqual(none.output, { why: "unknown" });
  assert.equal(await outcome("", 404), null);
});

test("a record that lacks a required field is off contract, and the field is named", async () => {
  const parts = "map: {name: body.name}\noutput: {type: object, required: [name]}";
  const fault = await faultOf(outcome(parts, 200, {}));
  assert.equal(fault.code, "source.contract");
  assert.match(fault.says, /name is missing/);
});

test("an answer that is neither a record nor none is never a guess", async () => {
  const parts = "match: {record: 'body.ok', no_record: 'body.none'}";
  assert.equal((await faultOf(outcome(parts, 200, {}))).code, "source.contract");
  assert.equal((await faultOf(outcome(parts, 200, { ok: true, none: true }))).code, "source.contract");
});

test("a rule that cannot be worked out over an answer does not hold", async () => {
  const parts = "match: {record: 'length(body.list) > `0`', no_record: 'length(body.list) == `0`'}";
  assert.equal((await faultOf(outcome(parts, 200, {}))).code, "source.contract");
  assert.equal(await outcome(parts, 200, { list: [] }), null);
});

test("the author's errors come before match, in their order, and match before what statuses mean", async () => {
  const parts = [
    "errors:",
    `  - {when: {predicate: "body.error == 'busy'"}, kind: rate_limited}`,
    "  - {when: {status: 4xx, predicate: 'body.error'}, kind: input, charged: 'no'}",
    "  - {when: {status: [418, 200], predicate: 'body.late'}, kind: timeout}",
  ].join("\n");
  assert.equal((await faultOf(outcome(parts, 200, { error: "busy" }))).code, "source.rate_limited");
  const input = await faultOf(outcome(parts, 404, { error: "odd" }));
  assert.deepEqual([input.code, input.reported?.charged], ["source.vendor_input", "no"]);
  assert.equal((await faultOf(outcome(parts, 200, { late: true }))).code, "source.vendor_timeout");
  assert.equal(await outcome(parts, 404), null);
  const statuses = {
    401: "credential_rejected",
    403: "credential_rejected",
    429: "rate_limited",
    500: "vendor_5xx",
    418: "vendor_4xx",
  };
  for (const [status, code] of Object.entries(statuses)) {
    assert.equal((await faultOf(outcome(parts, Number(status)))).code, `source.${code}`);
  }
});

test("a success that cannot be read is off contract; a failure in HTML keeps its status's meaning", async () => {
  assert.equal((await faultOf(outcome("", 200, Buffer.from("<html>")))).code, "source.contract");
  assert.equal((await faultOf(outcome("", 502, Buffer.from("<html>")))).code, "source.vendor_5xx");
  const empty = "match: {record: 'body', no_record: 'status == `204`'}";
  assert.equal(await outcome(empty, 204, Buffer.alloc(0)), null);
});

test("a file may say that its vendor's replies are read leniently, and nothing else of them", () => {
  const source = compileDeclarative(fileWith("reply: {lenient: true}"), "a.yaml");
  assert.deepEqual(source.reply, { lenient: true });
  assert.equal(compileDeclarative(fileWith("reply: {format: json}"), "a.yaml").reply, undefined);
});

test("an XML answer is mapped like JSON", async () => {
  const parts = [
    "reply: {format: xml, lists: [Envelope.Body.person]}",
    "match: {record: 'body.Envelope.Body.person', no_record: 'body.Envelope.Body.none'}",
    "map: {names: 'body.Envelope.Body.person[*].name', id: 'body.Envelope.Body.person[0].\"@id\"'}",
  ].join("\n");
  const xml =
    '<?xml version="1.0"?><s:Envelope xmlns:s="urn:s"><s:Body><person id="007"><name>A &amp; B</name></person></s:Body></s:Envelope>';
  assert.deepEqual(await outcome(parts, 200, Buffer.from(xml)), { names: ["A & B"], id: "007" });
});

test("verify asks the cheap question and says what came of it", async () => {
  const text = fileWith(
    "verify: {request: {url: 'https://api.acme.example/me'}}\nauth: {kind: bearer, token: '{{ credentials.key }}'}",
  );
  const { verify } = compileDeclarative(text, "a.yaml");
  const good = fakeCall(() => replyOf(200), { credentials: { key: "k" } });
  assert.equal(await verify!(good.call), true);
  assert.equal(good.asked[0]?.url, "https://api.acme.example/me");
  const bad = fakeCall(() => replyOf(403), { credentials: { key: "k" } });
  assert.equal((await faultOf(verify!(bad.call))).code, "source.credential_rejected");
});

test("an XML reply in which the record is nil is no record, and a field that is nil is left out", async () => {
  const source = compileDeclarative(
    fileWith(
      "reply: {format: xml}\nmatch: {record: body.r.person, no_record: 'body.r && !(body.r.person)'}\nmap: {died: body.r.person.died, name: body.r.person.name}",
    ),
    "a.yaml",
  );
  const found = (inside: string) => {
    const xml = `<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${inside}</r>`;
    return source.run(fakeCall(() => replyOf(200, Buffer.from(xml))).call);
  };
  assert.equal(await found('<person i:nil="true"/>'), null);
  assert.deepEqual(await found('<person><name>A</name><died i:nil="1"/></person>'), { name: "A" });
});
