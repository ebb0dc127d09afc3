import assert from "node:assert/strict";
import { test } from "node:test";
import { draftCaptured } from "./captured-request.ts";
import { CHOICES } from "./openapi-documents.kit.ts";
import { readHar } from "./read-har.ts";

test("an archive and its replies may have a byte order mark, and a body that was sent may be in base64", () => {
  const entry = {
    request: {
      method: "POST",
      url: "https://a.example/x",
      headers: [{ name: "Content-Type", value: "application/json" }],
      postData: {
        mimeType: "application/json",
        encoding: "base64",
        text: Buffer.from('{"name":"Ada"}').toString("base64"),
      },
    },
    response: { status: 200, content: { text: '\ufeff{"id":1}' } },
  };
  const [first] = readHar(`\ufeff${JSON.stringify({ log: { entries: [entry] } })}`, "api.har");
  assert.deepEqual(draftCaptured(first!.request(), CHOICES).request.body, { json: { name: "{{ inputs.name }}" } });
  assert.deepEqual(first!.answer().sample, { id: 1 });
  const latin = {
    ...entry,
    response: {
      status: 200,
      content: {
        encoding: "base64",
        mimeType: "application/json; charset=iso-8859-1",
        text: Buffer.from('{"name":"\u00c9va"}', "latin1").toString("base64"),
      },
    },
  };
  assert.deepEqual(readHar(JSON.stringify({ log: { entries: [latin] } }), "api.har")[0]!.answer().sample, {
    name: "Éva",
  });
});
