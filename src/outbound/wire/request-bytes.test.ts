import assert from "node:assert/strict";
import { test } from "node:test";
import { requestBytes, type WireRequest } from "./request-bytes.ts";

function bytesOf(changes: Partial<WireRequest>): { readonly text: string; readonly body: unknown } {
  const bodyBytes = changes.body == null ? 0 : Buffer.byteLength(changes.body);
  const request = {
    method: "GET",
    path: "/a?b=c",
    fields: ["X-Key", "k", "accept", "*/*"],
    body: null,
    bodyBytes,
    ...changes,
  };
  return requestBytes(request, "api.acme.example:8080");
}

test("a request without a body is its head", () => {
  assert.deepEqual(bytesOf({}), {
    text: "GET /a?b=c HTTP/1.1\r\nhost: api.acme.example:8080\r\nconnection: keep-alive\r\nX-Key: k\r\naccept: */*\r\n\r\n",
    body: null,
  });
});

test("a method that has a body says that it is empty, and others say nothing of it", () => {
  for (const [method, says] of [
    ["POST", true],
    ["PUT", true],
    ["PATCH", true],
    ["DELETE", false],
    ["HEAD", false],
  ] as const)
    for (const body of [null, "", Buffer.alloc(0)])
      assert.equal(bytesOf({ method, body }).text.includes("\r\ncontent-length: 0\r\n"), says, method);
});

test("a body of one byte a character goes out with its head, any other one behind it", () => {
  const plain = bytesOf({ method: "POST", body: '{"a":1}' });
  const [text, buffer] = [
    bytesOf({ method: "POST", body: "\u00e9" }),
    bytesOf({ method: "GET", body: Buffer.from([255]) }),
  ];

  assert.ok(plain.text.endsWith('\r\ncontent-length: 7\r\n\r\n{"a":1}'));
  assert.equal(plain.body, null);
  assert.ok(text.text.endsWith("\r\ncontent-length: 2\r\n\r\n"));
  assert.equal(text.body, "\u00e9");
  assert.ok(buffer.text.endsWith("\r\ncontent-length: 1\r\n\r\n"));
  assert.deepEqual(buffer.body, Buffer.from([255]));
});

test("an address that could end the request line, or lose bits on its way, is not an address", () => {
  for (const path of ["", "/a b", "/a\r\nx: y", "/a\u0000", "/\u00e9", "/\u010a", "/\u007f"])
    assert.throws(() => bytesOf({ path }), TypeError);
});
