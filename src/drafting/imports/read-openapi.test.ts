import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../terms/json/json.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { DeclarationError } from "../../sources/declarative/format/declaration-error.ts";
import { draftSource, writeDraft } from "../draft-source.ts";
import { ImportProblem } from "./import-problem.ts";
import { draftCaptured } from "./captured-request.ts";
import type { Imported } from "./imported.ts";
import { readHar } from "./read-har.ts";
import { readOpenApi } from "./read-openapi.ts";

const CHOICES = { fixed: new Set<string>(), examples: {}, mask: (value: Json) => value };

function read(document: Json, operation = "find", auth?: string): Imported {
  return readOpenApi(JSON.stringify(document, null, 1), "api.json", operation, auth, CHOICES);
}

function drafted(
  { sample = { name: "Ada" }, title = "t", ...imported }: Imported,
  nobody: { status: number } = { status: 404 },
) {
  return draftSource({ id: "acme__find", docs: undefined, charge: "per_call", nobody, sample, ...imported, title });
}

const OPENAPI: Json = {
  openapi: "3.0.3",
  info: { title: "Register", version: "1" },
  servers: [{ url: "https://{at}.acme.example/v1", variables: { at: { default: "api" } } }],
  security: [{ key: [] }, { login: ["read"] }],
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      login: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } },
    },
    parameters: { Lang: { name: "lang", in: "query", schema: { type: "string", enum: ["en", "de"] } } },
    schemas: {
      Company: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", pattern: "^[A-Z]", example: "Ada" },
          size: { type: "integer", minimum: 1, maximum: 9 },
          parent: { $ref: "#/components/schemas/Company" },
        },
      },
    },
  },
  paths: {
    "/companies/{id}": {
      parameters: [{ $ref: "#/components/parameters/Lang" }],
      post: {
        operationId: "find",
        summary: "A company",
        externalDocs: { url: "https://acme.example/docs" },
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string", minLength: 1 }, example: "a1" },
          { name: "tags", in: "query", explode: false, schema: { type: "array", items: { type: "string" } } },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Company" } } },
        },
        responses: {
          "200": {
            description: "x",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Company" } } },
          },
          "404": { description: "none" },
        },
      },
    },
  },
};

const SWAGGER: Json = {
  swagger: "2.0",
  info: { title: "Register", version: "1" },
  host: "api.acme.example",
  basePath: "/v1",
  schemes: ["http", "https"],
  consumes: ["application/json"],
  produces: ["application/json"],
  securityDefinitions: {
    user: { type: "basic" },
    key: { type: "apiKey", in: "query", name: "api_key" },
    login: { type: "oauth2", flow: "application", tokenUrl: "https://login.acme.example/token", scopes: { read: "x" } },
  },
  security: [{ login: ["read"] }],
  parameters: {
    Lang: { name: "lang", in: "query", type: "string", enum: ["en", "de"] },
    Body: { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Search" } },
  },
  responses: { Found: { description: "x", schema: { $ref: "#/definitions/Company" } } },
  definitions: {
    Search: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 2 },
        born: { type: "string", format: "date", "x-nullable": true },
      },
    },
    Company: { type: "object", properties: { number: { type: "string" }, name: { type: "string" } } },
  },
  paths: {
    "/companies/{id}": {
      parameters: [{ name: "id", in: "path", required: true, type: "string", "x-example": "a1" }],
      get: {
        operationId: "get",
        parameters: [
          { $ref: "#/parameters/Lang" },
          { name: "tags", in: "query", type: "array", items: { type: "string" } },
          { name: "kinds", in: "query", type: "array", collectionFormat: "pipes", items: { type: "string" } },
          { name: "more", in: "query", type: "array", collectionFormat: "multi", items: { type: "string" } },
          { name: "odd", in: "query", type: "array", collectionFormat: "tsv", items: { type: "string" } },
        ],
        responses: {
          "200": {
            description: "x",
            schema: { $ref: "#/definitions/Company" },
            examples: { "application/json": { number: "1", name: "Ada" } },
          },
          "404": { description: "none" },
        },
      },
      post: {
        operationId: "find",
        schemes: ["https"],
        security: [{ user: [] }],
        parameters: [{ $ref: "#/parameters/Body" }],
        responses: { "200": { $ref: "#/responses/Found" } },
      },
      put: {
        operationId: "form",
        security: [{ key: [] }],
        consumes: ["application/x-www-form-urlencoded"],
        parameters: [
          { name: "q", in: "formData", required: true, type: "string", minLength: 2, description: "The name" },
          { name: "page", in: "formData", type: "integer", minimum: 0 },
        ],
        responses: { "201": { description: "x", schema: { $ref: "#/definitions/Company" } } },
      },
      patch: {
        operationId: "upload",
        parameters: [{ name: "file", in: "formData", required: true, type: "file" }],
        responses: {},
      },
    },
  },
};

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

const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  2 ** 63,
  1.5,
  "",
  "x",
  "(?i)a",
  "query",
  "object",
  "array",
  "{",
  "{{ inputs.x }}",
  "é\u0000",
  "%",
  "https://[",
  "__proto__",
  [],
  [null],
  ["a", "a"],
  {},
  { "": null },
  { type: "query" },
  { type: ["string", 1] },
  { enum: [] },
  { $ref: "#/paths" },
  { $ref: "#" },
  { $ref: "#/%E0%A4%A" },
  { $ref: "other.yaml" },
  { $ref: 1 },
  { toString: 1 },
  { schema: { type: "object" } },
];

/** The paths of all values of a document, as names from the root. */
function placesOf(value: Json, at: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [[...at]];
  return [[...at], ...Object.entries(value).flatMap(([name, part]) => placesOf(part as Json, [...at, name]))];
}

function changed(
  value: Json,
  [name, ...below]: readonly string[],
  change: (there: Json | undefined) => Json | undefined,
): Json {
  if (name === undefined) return change(value) ?? null;
  if (typeof value !== "object" || value === null) return value;
  const there = (value as Record<string, Json>)[name];
  const made = below.length === 0 ? change(there) : there === undefined ? undefined : changed(there, below, change);
  if (Array.isArray(value))
    return value.flatMap((part: Json, at) => (String(at) === name ? (made === undefined ? [] : [made]) : [part]));
  return Object.fromEntries(
    Object.entries({ ...value, [name]: made }).filter(([, part]) => part !== undefined),
  ) as Json;
}

/** A document with some parts replaced, removed or copied. */
function mutants(document: Json): fc.Arbitrary<Json> {
  const places = placesOf(document);
  const place = fc.constantFrom(...places);
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.constant(undefined), place);
  return fc.array(fc.tuple(place, odd), { minLength: 1, maxLength: 3 }).map((changes) =>
    changes.reduce((made, [at, part]) => {
      const copied = Array.isArray(part) && part.every((name) => typeof name === "string") && part.length > 0;
      const value = copied
        ? (part as string[]).reduce<Json | undefined>(
            (found, name) => (found as Record<string, Json> | undefined)?.[name],
            document,
          )
        : part;
      return changed(made, at, () => value as Json | undefined);
    }, document),
  );
}

/** Asserts that an import ends with a draft or with an intended refusal. */
function endsAsMeant(make: () => unknown): void {
  try {
    make();
  } catch (error) {
    if (error instanceof RangeError || error instanceof DeclarationError) return;
    if (!(error instanceof ImportProblem)) throw error;
    assert.match(error.message, /^api\.json:\d+:\d+: |^api\.har(?:, entry \d+)?: /);
  }
}

for (const [what, document, operations] of [
  ["an OpenAPI document", OPENAPI, ["find"]],
  ["a Swagger 2.0 document", SWAGGER, ["get", "find", "form"]],
] as const) {
  test(`${what} that is not as it should be is imported in part or refused with its place, and never fails otherwise`, () => {
    for (const one of operations)
      endsAsMeant(() => compileDeclarative(writeDraft(drafted(read(document, one)), "s.json"), "a.yaml"));
    fc.assert(
      fc.property(
        mutants(document),
        fc.constantFrom(...operations),
        fc.constantFrom(undefined, "bearer"),
        (mutant, one, auth) => endsAsMeant(() => writeDraft(drafted(read(mutant, one, auth)), "s.json")),
      ),
      { numRuns: 60 },
    );
  });
}

test("an HTTP archive that is not as it should be is imported in part or refused, and never fails otherwise", () => {
  const archive: Json = {
    log: {
      entries: [
        {
          request: {
            method: "POST",
            url: "https://api.acme.example/v1?a=1",
            headers: [{ name: "Accept", value: "application/json" }],
            cookies: [],
            postData: { mimeType: "application/json", text: '{"a":1}', params: [] },
          },
          response: { status: 200, content: { text: '{"name":"Ada"}', mimeType: "application/json", encoding: "" } },
        },
      ],
    },
  };
  fc.assert(
    fc.property(mutants(archive), (mutant) =>
      endsAsMeant(() => {
        for (const entry of readHar(JSON.stringify(mutant), "api.har")) {
          endsAsMeant(() => draftCaptured(entry.request(), CHOICES));
          endsAsMeant(() => entry.answer());
        }
      }),
    ),
    { numRuns: 60 },
  );
});

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
