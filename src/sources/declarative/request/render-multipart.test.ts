import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../terms/json/json.ts";
import { readMultipart } from "../../../simulation/received-request.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";

const BYTES = Buffer.from([0, 255, 13, 10, 45, 45, 128]);
const FILE = BYTES.toString("base64");
const UPLOAD = (more = "") => `
inputs: {type: object, properties: {kind: {}, tags: {}, page: {}, title: {}}}
request:
  method: POST
  url: https://api.acme.example/checks
  body:
    multipart:
      kind: '{{ inputs.kind }}'
      tag: '{{ inputs.tags }}'
      'ref"1': n-{{ nonce }}
      page: {file: '{{ inputs.page }}', name: '{{ inputs.title | default("page.png") }}', type: image/png}
${more}`;

async function sent(inputs: JsonObject, more?: string) {
  const { call, asked } = fakeCall(() => replyOf(200), { inputs });
  await compileDeclarative(fileWith(UPLOAD(more)), "a.yaml").run(call);
  const { headers, body } = asked[0]!.options;
  return { type: String(headers!["content-type"]), body: body as Buffer };
}

test("a multipart body has the fields and the bytes of the files, readable by the platform's own parser", async () => {
  const { type, body } = await sent({ kind: "a\r\nb", tags: ["x", "ä"], page: FILE, title: 'Seite "ä".png' });
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  assert.deepEqual(form.getAll("tag"), ["x", "ä"]);
  assert.equal(form.get("kind"), "a\r\nb");
  const file = form.get("page") as File;
  assert.deepEqual([file.name, file.type], ['Seite "ä".png', "image/png"]);
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), BYTES);
  const read = readMultipart(body, type)!;
  assert.deepEqual(read["page"], { file: FILE, name: 'Seite "ä".png', type: "image/png" });
  assert.deepEqual(read["tag"], ["x", "ä"]);
});

test("absent values leave their part out, and each request has a boundary of its own that no part contains", async () => {
  const [one, other] = [await sent({ kind: "a" }), await sent({ kind: "a" })];
  assert.deepEqual(Object.keys(readMultipart(one.body, one.type)!), ["kind", "ref%221"]);
  assert.notEqual(one.type, other.type);
  const boundary = one.type.split("boundary=")[1]!;
  assert.equal(one.body.toString().split(boundary).length, 4);
});

test("a value that is not Base64, or breaks out of its header, is refused before anything is sent", async () => {
  for (const inputs of [
    { page: "äöü=" },
    { page: "abc" },
    { page: `${FILE}\n` },
    { page: 1 },
    { page: FILE, title: 'a"\r\nX: 1' },
  ]) {
    const { call, asked } = fakeCall(() => replyOf(200), { inputs });
    const fault = await faultOf(compileDeclarative(fileWith(UPLOAD()), "a.yaml").run(call));
    assert.equal(fault.code, "source.input_invalid", JSON.stringify(inputs));
    assert.equal(asked.length, 0);
  }
});

test("files that cannot be sent are refused when they are compiled", () => {
  for (const [body, says] of [
    ["{multipart: {a: {file: 'x {{ inputs.page }}', name: a, type: b/c}}}", /a file is one template/],
    ["{multipart: {a: {file: '{{ inputs.page }}', name: a}}}", /type/],
    ["{multipart: {a: x}, content_type: text/plain}", /boundary/],
    ["{multipart: {'{{ inputs.kind }}': x}}", /name of a field/],
  ] as const) {
    const request = `{method: POST, url: 'https://api.acme.example/', body: ${body}}`;
    assert.throws(
      () => compileDeclarative(fileWith(`inputs: {properties: {page: {}, kind: {}}}\nrequest: ${request}`), "a.yaml"),
      says,
    );
  }
  const auth =
    "auth: {kind: hmac, algorithm: sha256, key: k, canonical: '{{ request.body }}', encoding: hex, header: X}";
  assert.throws(() => compileDeclarative(fileWith(UPLOAD(auth)), "a.yaml"), /auth signs the body/);
});
