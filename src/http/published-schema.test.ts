import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAjv } from "../terms/ajv.ts";
import type { JsonObject } from "../terms/json.ts";
import { ROUTES } from "./app.ts";
import { createBodyChecks } from "./check-body.ts";
import { openApiDocument } from "./openapi.ts";

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

test("the contract and the service agree on which bodies are valid", () => {
  const { components } = openApiDocument() as { components: { schemas: Record<string, object> } };
  const ajv = createAjv({});
  const checkOf = createBodyChecks();
  const counts = { valid: 0, refused: 0 };
  for (const route of ROUTES) {
    if (route.method !== "POST") continue;
    const isPublished = ajv.compile(components.schemas[route.body.name]!);
    const check = checkOf(route.body.schema);
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
        assert.equal(isPublished(body), taken);
      }),
      { numRuns: 500 },
    );
  }
  assert.ok(counts.valid > 20 && counts.refused > 20, JSON.stringify(counts));
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
