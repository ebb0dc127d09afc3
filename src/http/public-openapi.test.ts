import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAjv } from "../terms/schema/ajv.ts";
import { FAULTS } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { ROUTES } from "./app.ts";
import { bodyCheckOf } from "./parse-body.ts";
import { openApiDocument } from "./public-openapi.ts";

const entry = fc.oneof(
  fc.constant(true),
  fc.record(
    {
      credentials: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      cred_id: fc.oneof(fc.string(), fc.jsonValue()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const config = fc.record(
  {
    context: fc.oneof(fc.constantFrom("prod", "test", "dev"), fc.jsonValue()),
    sources: fc.oneof({ weight: 3, arbitrary: fc.dictionary(fc.string(), entry) }, fc.jsonValue()),
    data_func: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
    datafunc_response_passthrough: fc.oneof(fc.boolean(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const bodies = fc.record(
  {
    access_token: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
    workflow: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
    inputs: fc.oneof({ weight: 3, arbitrary: fc.dictionary(fc.string(), fc.jsonValue()) }, fc.jsonValue()),
    config: fc.oneof({ weight: 9, arbitrary: config }, fc.jsonValue()),
    more: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** A body without a source matches the schema of the service, which answers it with 500; the contract refuses it. */
function namesNoSource(path: string, body: JsonObject): boolean {
  const { sources } = body["config"] as { readonly sources?: object };
  return path === "/data" && Object.keys(sources ?? {}).length === 0;
}

test("the contract and the service agree on which bodies are valid, except that the contract requires a source", () => {
  const { components } = openApiDocument() as { components: { schemas: Record<string, object> } };
  const ajv = createAjv({});
  const counts = { valid: 0, refused: 0 };
  for (const route of ROUTES) {
    if (route.method !== "POST") continue;
    const isPublished = ajv.compile(components.schemas[route.body.name]!);
    const check = bodyCheckOf(route.body.schema);
    const isTaken = (body: JsonObject) => {
      try {
        check(body);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(bodies, (body) => {
        const taken = isTaken(body as JsonObject);
        counts[taken ? "valid" : "refused"] += 1;
        assert.equal(isPublished(body), taken && !namesNoSource(route.path, body as JsonObject));
      }),
      { numRuns: 500 },
    );
  }
  assert.ok(counts.valid > 20 && counts.refused > 20, JSON.stringify(counts));
});

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples: Examples }>>;
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>;
type Operation = { readonly requestBody?: Body; readonly responses: Readonly<Record<string, Body>> };

test("every operation has examples of its requests and answers, and they match their schemas", () => {
  const document = JSON.parse(JSON.stringify(openApiDocument())) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const ajv = createAjv({});
  ajv.addSchema(document, "openapi");
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      if (method === "head") continue;
      assert.equal(requestBody !== undefined, method === "post");
      for (const [status, { content }] of [...Object.entries(responses), ["request", requestBody ?? {}] as const]) {
        for (const { schema, examples } of Object.values(content ?? {})) {
          assert.ok(Object.keys(examples).length > 0, `${method} ${path} ${status} has no example`);
          const matches = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
          for (const [name, { value }] of Object.entries(examples))
            assert.ok(matches(value), `${method} ${path} ${status} ${name}: ${ajv.errorsText(matches.errors)}`);
        }
      }
    }
  }
});

test("the contract lists each status by itself, because generators write what does not compile for a range", () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
  const statuses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.keys(responses)),
  );
  assert.deepEqual(
    statuses.filter((status) => !/^[1-5][0-9]{2}$/.test(status)),
    [],
  );
  for (const { surface, status } of Object.values(FAULTS))
    assert.ok(surface !== "request" || status === 404 || statuses.includes(String(status)), String(status));
});

test("the contract has no keyword of our own, and no default that would make a field required of a request", () => {
  const text = JSON.stringify((openApiDocument() as { components: object }).components);
  assert.doesNotMatch(text, /"(?:x-[^"]*|default|if|then|else|patternProperties)":/);
});

test("an object whose fields others name says that any are allowed; one whose fields we name leaves it open", () => {
  const { components } = openApiDocument() as { components: { schemas: Record<string, Described> } };
  const empty: string[] = [];
  const visit = (schema: Described, path: string): void => {
    if (schema.type === "object" && schema.properties === undefined && schema.additionalProperties === undefined)
      empty.push(path);
    assert.notEqual(schema.additionalProperties, false, `${path} may get fields later`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${path}.${name}`);
    if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${path}.*`);
    for (const inner of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) visit(inner, path);
  };
  for (const [name, schema] of Object.entries(components.schemas)) visit(schema, name);
  assert.deepEqual(empty, [], "generators take an object without either for one that is always empty");
});

interface Described {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: boolean | Described;
  readonly oneOf?: readonly Described[];
  readonly anyOf?: readonly Described[];
}
