import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { DeclarationError } from "../format/declaration-error.ts";
import type { ReadingFile } from "../format/exchange-format.ts";
import { compileView } from "./view-reply.ts";

const bodyOf = (file: ReadingFile, text: string): Json => compileView(file)(replyOf(200, Buffer.from(text))).body;

test("a reply of text, lines or a form is read into texts", () => {
  assert.equal(bodyOf({ format: "text" }, "OK 12\n"), "OK 12\n");
  assert.deepEqual(bodyOf({ format: "lines" }, "a:1\r\nb:2\n\nc"), ["a:1", "b:2", "", "c"]);
  assert.deepEqual(bodyOf({ format: "form" }, "a=1&b=%C3%A4+x&a=2&c="), { a: ["1", "2"], b: "ä x", c: "" });
  assert.equal(bodyOf({ format: "lines" }, ""), null);
});

test("CSV becomes rows, with the first line as names of the columns", () => {
  const csv = 'Number,"The ""Name""",Town\r\n1,"Example, Ltd\nHoldings",\r\n\r\n2,B,C';
  assert.deepEqual(bodyOf({ format: "csv" }, csv), [
    { Number: "1", 'The "Name"': "Example, Ltd\nHoldings", Town: null },
    { Number: "2", 'The "Name"': "B", Town: "C" },
  ]);
  assert.deepEqual(bodyOf({ format: "csv", delimiter: ";", header: false }, "1;a,b\n2;"), [
    ["1", "a,b"],
    ["2", null],
  ]);
  assert.deepEqual(bodyOf({ format: "csv" }, "a,b\n"), []);
});

test("a reply that is not CSV, or has too many cells, is a failure of kind contract", async () => {
  for (const text of ['{"cut": "of', "a,b\n1", "a,a\n1,2", 'a\n"open', 'a\n"x"y', "x\n".repeat(80_000)]) {
    const fault = await faultOf(Promise.resolve().then(() => bodyOf({ format: "csv" }, text)));
    assert.equal(fault.code, "source.contract", text.slice(0, 20));
  }
  const fault = await faultOf(Promise.resolve().then(() => bodyOf({ format: "lines" }, "\n".repeat(80_000))));
  assert.equal(fault.code, "source.contract");
  assert.equal(compileView({ format: "csv" })(replyOf(500, Buffer.from('<a "'))).body, null);
});

test("a source maps the rows of a CSV reply, and asks for CSV", async () => {
  const file = `reply: {format: csv, delimiter: ';'}
match: {record: 'body[?status == \`"active"\`]', no_record: 'body && !(body[?status == \`"active"\`])'}
map: {names: 'body[?status == \`"active"\`].name'}`;
  const { call, asked } = fakeCall(() => replyOf(200, Buffer.from("name;status\nA;active\nB;gone\nC;active\n")));
  assert.deepEqual(await compileDeclarative(fileWith(file), "acme.yaml").run(call), { names: ["A", "C"] });
  assert.equal(asked[0]!.options.headers?.["accept"], "text/csv, */*;q=0.1");
});

test("keys of another format are refused, and so is a reply without map that is not JSON", () => {
  for (const [parts, says] of [
    ["reply: {delimiter: ';'}\nmap: {a: body.a}", /belongs to CSV/],
    ["reply: {format: csv, delimiter: ab}\nmap: {a: body.a}", /delimiter/],
    ["reply: {format: lines}", /lines needs "map"/],
  ] as const) {
    assert.throws(
      () => compileDeclarative(fileWith(parts), "acme.yaml"),
      (error) => error instanceof DeclarationError && says.test(error.message),
    );
  }
});

test("a login replies with a form or with a text, and the call itself with JSON", async () => {
  for (const [reply, token, sent] of [
    ["format: form", "body.access_token", "access_token=t%2B1&expires=300"],
    ["format: text", "trim(body)", "t+1\n"],
    ["format: lines", "body[?starts_with(@, 'Auth=')] | [0] | replace(@, 'Auth=', '')", "SID=0\nAuth=t+1\n"],
  ] as const) {
    const login = `{kind: token_exchange, request: {method: POST, url: 'https://api.acme.example/login'}, reply: {${reply}}, token: "${token}"}`;
    const { call, asked } = fakeCall((_, at) => (at === 0 ? replyOf(200, Buffer.from(sent)) : replyOf(200, { a: 1 })));
    assert.deepEqual(await compileDeclarative(fileWith(`auth: ${login}\nmap: {a: body.a}`), "a.yaml").run(call), {
      a: 1,
    });
    assert.equal(asked[1]!.options.headers?.["authorization"], "Bearer t+1");
    assert.match(String(asked[0]!.options.headers?.["accept"]), /^(application\/x-www-form-urlencoded|text\/plain), /);
    assert.equal(asked[1]!.options.headers?.["accept"], "application/json");
  }
});
