import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../terms/json/json.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { writeDraft } from "../draft-source.ts";
import { CHOICES, drafted, read } from "./openapi-documents.kit.ts";
import { readOpenApi } from "./read-openapi.ts";

/** An operation `find` with these parameters and this reply. */
function operation(
  parameters: Json,
  reply: Json = { content: { "application/json": { example: { name: "Ada" } } } },
): Json {
  return {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: "https://api.acme.example" }],
    paths: {
      "/x": {
        get: { operationId: "find", parameters, responses: { "200": { description: "x", ...(reply as object) } } },
      },
    },
  };
}

const inQuery = (name: string, schema: Json, more: object = {}): Json => ({ name, in: "query", schema, ...more });

test("what a schema of an input has in another dialect, or too large to be written, is left out with its place", () => {
  for (const [schema, left, kept] of [
    [{ type: "string", pattern: "(?i)^[a-z]+$" }, "pattern of this schema cannot be used", { type: "string" }],
    [{ type: "string", pattern: "\\A[0-9]+\\z" }, "pattern of this schema cannot be used", { type: "string" }],
    [{ type: "string", pattern: "[[:alnum:]]+" }, "pattern of this schema cannot be used", { type: "string" }],
    [{ type: "query", minLength: 1 }, "type of this schema cannot be used", { minLength: 1 }],
    [{ type: "string", required: true }, "required of this schema cannot be used", { type: "string" }],
    [
      { type: "integer", maximum: 9223372036854775807n },
      "maximum has more digits than a file can hold",
      { type: "integer" },
    ],
    [{ type: "string", $anchor: "a" }, "$anchor of a schema cannot be imported", { type: "string" }],
    [
      { type: "array", items: { type: "string", pattern: "(" } },
      "pattern of this schema cannot be used",
      { type: "array", items: { type: "string" } },
    ],
  ] as const) {
    const text = JSON.stringify(operation([inQuery("q", "SCHEMA")]), null, 1).replace(
      '"SCHEMA"',
      JSON.stringify(schema, (_, value: unknown) => (typeof value === "bigint" ? `#${value}#` : value)).replaceAll(
        /"#|#"/g,
        "",
      ),
    );
    const imported = readOpenApi(text, "api.json", "find", undefined, CHOICES);
    assert.deepEqual(imported.request.inputs[0]!.schema, kept);
    const note = imported.notes.find((one) => one.includes(left)) ?? imported.notes.join();
    assert.match(note, /^api\.json:\d+:\d+: .*, so it is left out\.$/);
    compileDeclarative(writeDraft(drafted(imported), "s.json"), "a.yaml");
  }
});

test("a parameter that a file cannot express is left out if it is optional, and refused at its place if not", () => {
  const object = { type: "object", additionalProperties: true };
  const imported = read(operation([inQuery("AddOnsData", object), inQuery("q", { type: "string" })]));
  assert.deepEqual(Object.keys(imported.request.query), ["q"]);
  assert.match(imported.notes.join("\n"), /The optional parameter AddOnsData is left out\. api\.json:\d+:\d+: /);
  assert.throws(
    () => read(operation([inQuery("AddOnsData", object, { required: true })])),
    /^ImportProblem: api\.json:\d+:\d+: the parameter AddOnsData is serialized/,
  );
});

test("a parameter is sent whatever its name is", () => {
  const { request } = read(
    operation([inQuery("__proto__", { type: "string" }), inQuery("constructor", { type: "string" })]),
  );
  assert.deepEqual(Object.keys(request.query), ["__proto__", "constructor"]);
});

test("a reply goes without what it refers to elsewhere, and what is wrong with other operations does not matter", () => {
  const elsewhere = { $ref: "common.yaml#/Company" };
  const shown = read(
    operation([inQuery("q", { type: "string" })], {
      content: { "application/json": { schema: elsewhere, example: { name: "Ada" } } },
    }),
  );
  assert.deepEqual(shown.sample, { name: "Ada" });
  assert.match(shown.notes.join("\n"), /api\.json:\d+:\d+: it refers to another file, so it is left out/);
  const schema = { type: "object", properties: { name: { type: "string" }, address: elsewhere } };
  const partly = read(operation([inQuery("q", { type: "string" })], { content: { "application/json": { schema } } }));
  assert.deepEqual(partly.sample, { name: "Example", address: null });
  const document = operation([inQuery("q", { type: "string" })]) as { paths: object };
  assert.equal(
    read({ ...document, paths: { "/a": elsewhere, "/b": { get: 1 }, "/c": null, ...document.paths } }).title,
    "t",
  );
});

test("a key that a scheme and a member of the body have is one field of the credential", () => {
  const document = {
    ...(operation([]) as object),
    components: {
      securitySchemes: {
        id: { type: "apiKey", in: "header", name: "PLAID-CLIENT-ID" },
        secret: { type: "apiKey", in: "header", name: "PLAID-SECRET" },
      },
    },
    security: [{ id: [], secret: [] }],
    paths: {
      "/x": {
        post: {
          operationId: "find",
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: { client_id: { type: "string" }, secret: { type: "string" }, user: { type: "string" } },
                },
              },
            },
          },
          responses: {},
        },
      },
    },
  };
  const { auth, request } = read(document);
  assert.deepEqual(Object.keys(auth.fields), ["plaid_client_id", "plaid_secret"]);
  assert.deepEqual(request.body, {
    json: {
      client_id: "{{ credentials.plaid_client_id }}",
      secret: "{{ credentials.plaid_secret }}",
      user: "{{ inputs.user }}",
    },
  });
});

test("documents of OpenAPI 3.2 are read, and others are refused with their place", () => {
  const document = operation([inQuery("q", { type: "string" })]) as object;
  assert.equal(read({ ...document, openapi: "3.2.0" }).title, "t");
  for (const version of [{ openapi: "4.0.0" }, { openapi: "2" }, { swagger: "1.2", openapi: null }, { openapi: null }])
    assert.throws(
      () => read({ ...document, ...version }),
      /^ImportProblem: api\.json:\d+:\d+: this is neither OpenAPI/,
    );
  assert.equal(read({ ...document, openapi: 3 }).title, "t", "3.0 without quotes");
  const yaml = (text: string) => () => readOpenApi(text, "api.json", "find", undefined, CHOICES);
  for (const text of ["openapi: 3.0.0\npaths: &a {x: *a}\n", "openapi: 3.0.0\npaths: *a\n"])
    assert.throws(yaml(text), /^ImportProblem: api\.json:\d+:\d+: /, text);
  assert.throws(() => read([]), /^ImportProblem: api\.json:1:1: this is not an OpenAPI document/);
});
