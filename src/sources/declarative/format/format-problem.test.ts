import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parse } from "yaml";
import type { Json, JsonObject } from "../../../terms/json/json.ts";
import { fileWith } from "../fake-call.kit.ts";
import { formatProblem } from "./format-problem.ts";
import { publishedSchema } from "./format.ts";

const FORMAT = publishedSchema() as JsonObject;

/** A file that uses every part of the format. */
const WHOLE = parse(
  fileWith(`
$schema: x
description: d
docs: https://acme.example
x-note: 1
timeout_ms: 100
auth:
  - {kind: api_key, query: k, value: v}
  - {kind: basic, username: u, password: ''}
  - {kind: bearer, token: t}
  - {kind: hmac, algorithm: sha256, key: k, canonical: c, encoding: hex, header: h, headers: {a: b}}
  - {kind: mtls, cert: c, key: k, ca: a}
  - {kind: token_exchange, request: {url: u}, token: body.t, default_ttl: 5m, early: 1s, auth: {kind: bearer, token: t}}
request: {method: POST, url: u, query: {a: 1}, headers: {b: x}, body: {json: {a: [1]}, content_type: t}, redirects: 1}
steps: [{name: order, when: inputs.a, request: {url: u}, free: true, answers: [409], order_id: body.id, errors: [{when: {status: 409}, kind: input}], match: {no_record: status}, poll: {until: status, fail_when: status, first_after_ms: 0, every_ms: 50, backoff: 1.5, max_polls: 1}}]
resume: {step: order, input: a}
reply: {format: xml, lists: [a.b]}
errors: [{when: {status: 4xx, predicate: status}, kind: input, charged: no}, {when: {status: [1, 2]}, kind: contract}]
map: {a: body.a, b: {c: body.c}}
map_no_record: body
output: {type: object}
limits: {max_bytes: 1, concurrency: 1, rate: [{per: source, max: 1, every: 5s}]}
charge: {model: per_call, amount: 1.5, currency: EUR}
verify: {request: {url: u}, ok: status}
cases:
  - {name: n, inputs: {a: 1}, credentials: {k: v}, context: test, reply: {status: 200, headers: {a: b}, body: 1, delay_ms: 1, fault: hang}, request: [{method: GET, path: /, query: {a: [b]}, headers: {a: b}, body: x}], expect: {match: true, output: {}, includes: {}}}
  - {name: n, inputs: {}, expect: {failure: input, field: a}}
`),
) as Json;

const anything = fc.constantFrom<Json>(
  null,
  true,
  "",
  "x",
  "5m",
  "4xx",
  -1,
  0,
  1.5,
  200,
  99_999_999,
  [],
  [1],
  ["a"],
  {},
  { kind: "basic" },
  { a: 1 },
);

/** The paths of all values in a document. */
function placesOf(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesOf(member as Json, [...path, name]))];
}

function changed(document: Json, path: readonly string[], how: "replace" | "drop" | "add", value: Json): Json {
  const copy = structuredClone(document) as Record<string, Json>;
  let holder: Record<string, Json> = { root: copy };
  const steps = ["root", ...path];
  for (const step of steps.slice(0, -1)) holder = holder[step] as Record<string, Json>;
  const last = steps.at(-1)!;
  if (how === "replace") holder[last] = value;
  else if (how === "drop" && !Array.isArray(holder)) delete holder[last];
  else if (typeof holder[last] === "object" && holder[last] !== null && !Array.isArray(holder[last])) {
    (holder[last] as Record<string, Json>)["unknown_key"] = value;
  }
  return holder["root"] ?? null;
}

test("the walk over the format says yes and no where a full validator does", () => {
  const ajv = new Ajv2020({ strict: false, discriminator: true, logger: false });
  const fits = ajv.compile(publishedSchema());
  assert.equal(formatProblem(FORMAT, WHOLE, [], FORMAT), null);
  const places = placesOf(WHOLE);
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.constantFrom("replace", "drop", "add"), anything, (path, how, value) => {
      const document = path.length === 0 ? value : changed(WHOLE, path, how, value);
      assert.equal(
        formatProblem(FORMAT, document, [], FORMAT) === null,
        fits(document),
        JSON.stringify([path, how, value]),
      );
    }),
    { numRuns: 4000 },
  );
});

test("the keywords of the format are those that the walk reads", () => {
  const read = new Set(
    "$schema title $defs $ref description type const enum minLength pattern minimum maximum minItems maxItems items required minProperties properties patternProperties additionalProperties anyOf oneOf discriminator if then else".split(
      " ",
    ),
  );
  const met = new Set<string>();
  const walk = (schema: unknown, isSchema: boolean): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [name, value] of Object.entries(schema)) {
      if (isSchema) met.add(name);
      if (name === "enum" || name === "required" || name === "discriminator") continue;
      walk(value, !isSchema || !["properties", "patternProperties", "$defs", "anyOf", "oneOf"].includes(name));
    }
  };
  walk(FORMAT, true);
  assert.deepEqual(
    [...met].filter((name) => !read.has(name)),
    [],
  );
});
