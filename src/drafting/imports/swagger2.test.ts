import assert from "node:assert/strict";
import { test } from "node:test";
import { read, SWAGGER } from "./openapi-documents.kit.ts";

test("a Swagger 2.0 operation has its address, parameters, login and reply", () => {
  const imported = read(SWAGGER, "get");
  assert.equal(imported.request.address, "https://api.acme.example/v1/companies/{{ inputs.id }}");
  assert.deepEqual(imported.request.query, {
    lang: "{{ inputs.lang }}",
    tags: "{{ inputs.tags | join(',') }}",
    kinds: "{{ inputs.kinds | join('|') }}",
    more: "{{ inputs.more }}",
  });
  assert.match(imported.notes.join("\n"), /The optional parameter odd is left out\. api\.json:\d+:\d+: .* serialized/);
  assert.deepEqual(imported.request.inputs.find(({ name }) => name === "lang")?.schema, {
    type: "string",
    enum: ["en", "de"],
  });
  assert.deepEqual(imported.auth.origins, ["https://login.acme.example"]);
  assert.deepEqual([imported.sample, imported.otherStatuses], [{ number: "1", name: "Ada" }, ["404"]]);
});

test("bodies and forms of Swagger 2.0 come over, shared ones too, and a file is refused at its place", () => {
  const posted = read(SWAGGER, "find");
  assert.deepEqual(posted.request.body, { json: { name: "{{ inputs.name }}", born: "{{ inputs.born }}" } });
  assert.deepEqual(
    posted.request.inputs.map(({ name, required }) => [name, required]),
    [
      ["id", true],
      ["name", true],
      ["born", false],
    ],
  );
  assert.deepEqual(posted.request.inputs[2]!.schema["type"], ["string", "null"]);
  assert.equal(posted.auth.kinds[0]!["kind"], "basic");
  assert.deepEqual(posted.sample, { number: "Example", name: "Example" });
  const form = read(SWAGGER, "form");
  assert.deepEqual(form.request.body, { form: { q: "{{ inputs.q }}", page: "{{ inputs.page }}" } });
  assert.deepEqual(form.request.inputs[1], {
    name: "q",
    schema: { type: "string", minLength: 2, description: "The name" },
    required: true,
    example: "Example",
  });
  assert.equal(form.status, 201);
  assert.throws(() => read(SWAGGER, "upload"), /api\.json:\d+:\d+: a body of multipart\/form-data cannot be imported/);
});
