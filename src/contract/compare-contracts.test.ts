import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../terms/json/json.ts";
import { resolve } from "./compare-schemas.ts";
import { breakingChanges } from "./compare-contracts.ts";
import { deploymentContract } from "./deployment-contract.ts";
import type { ContractFunction, ContractSource } from "./ports.ts";

const acme: ContractSource = {
  id: "acme__person",
  title: "A person",
  description: undefined,
  inputs: {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 100 },
      born: { type: "string", format: "date" },
      country: { enum: ["DE", "FR"] },
      address: { $ref: "#/$defs/address" },
    },
    required: ["name"],
    anyOf: [{ required: ["born"] }, { required: ["country"] }],
    $defs: { address: { type: "object", properties: { city: { type: "string" } } } },
  },
  output: {
    type: "object",
    properties: {
      score: { type: "number" },
      state: { enum: ["alive", "dead"] },
      tags: { type: "array", items: { type: "object", properties: { key: { type: "string" } } } },
      parent: { $ref: "#" },
    },
    required: ["score"],
  },
  credentials: { type: "object", properties: { api_key: { type: "string" } } },
  credential: "optional",
  charge: { model: "per_call" },
  limits: { timeout_ms: 15_000 },
  resumeInput: undefined,
};
const score: ContractFunction = {
  id: "dfunc_score",
  title: "A score",
  description: undefined,
  inputs: { type: "object", properties: { name: { type: "string" } } },
  output: { type: "object", properties: { verdict: { type: "string" } }, required: ["verdict"] },
  limits: { timeout_ms: 30_000, memory_mb: 64 },
};

const before = deploymentContract([acme, { ...acme, id: "acme__firm" }], [score]);

/** What breaks after the later contract was changed. */
function broken(change: (document: JsonObject) => void): readonly string[] {
  const after = JSON.parse(JSON.stringify(before)) as JsonObject;
  change(after);
  return breakingChanges(before, after).map(({ path, change: says }) => `${path}: ${says}`);
}

/** Changes the object at a pointer. */
function edit(pointer: string, change: (object: JsonObject) => void) {
  return (document: JsonObject) => change(resolve(document, pointer) as JsonObject);
}
const set = (pointer: string, name: string, value: unknown) =>
  edit(pointer, (object) => void ((object as Record<string, unknown>)[name] = value));
const remove = (pointer: string, name: string) =>
  edit(pointer, (object) => void delete (object as Record<string, unknown>)[name]);

const SCHEMAS = "/components/schemas";
const INPUTS = `${SCHEMAS}/acme__person.inputs`;
const OUTPUT = `${SCHEMAS}/acme__person.output`;

test("a contract breaks nothing of itself, of the one without sources, or of one to which something was added", () => {
  assert.deepEqual(
    broken(() => {}),
    [],
  );
  assert.deepEqual(breakingChanges(deploymentContract([], []), before), []);
  const additions = [
    set(`${INPUTS}/properties`, "extra", { type: "string" }),
    set(`${INPUTS}/properties/country`, "enum", ["DE", "FR", "IT"]),
    set(`${INPUTS}/properties/name`, "maxLength", 200),
    set(`${INPUTS}/properties/name`, "type", ["string", "null"]),
    set(INPUTS, "required", []),
    set(`${OUTPUT}/properties`, "extra", { type: "string" }),
    set(`${OUTPUT}/properties/state`, "enum", ["alive", "dead", "unknown"]),
    set(`${OUTPUT}/properties/score`, "type", "integer"),
    set(OUTPUT, "required", ["score", "state"]),
    set("/paths", "/more", { get: {} }),
    set("/paths/~1data/post/responses", "418", { description: "" }),
    set(SCHEMAS, "Other", { type: "object" }),
  ];
  for (const add of additions) assert.deepEqual(broken(add), [], String(add));
});

const BREAKING: Readonly<Record<string, readonly [change: (document: JsonObject) => void, ...lines: string[]]>> = {
  "a path": [remove("/paths", "/func"), "/paths/~1func: the path was removed"],
  "an operation": [remove("/paths/~1status", "head"), "/paths/~1status/head: the operation was removed"],
  "a response": [
    remove("/paths/~1data/post/responses", "503"),
    "/paths/~1data/post/responses/503: the response was removed",
  ],
  "a header": [
    remove("/paths/~1data/post/responses/200/headers", "X-Request-Id"),
    "/paths/~1data/post/responses/200/headers/X-Request-Id: the header was removed",
  ],
  "a form of access": [
    set("/paths/~1data/post", "security", [{ serviceToken: [] }, {}]),
    "/paths/~1data/post/security: the access by bearerToken was removed",
  ],
  "a parameter that is required": [
    set("/paths/~1data/post/parameters/1", "required", true),
    "/paths/~1data/post/parameters/1: the parameter X-Request-Id is required now",
  ],
  "a field of an answer": [
    remove(`${SCHEMAS}/DataResponse/properties`, "transaction_id"),
    `${SCHEMAS}/DataResponse/properties/transaction_id: the field was removed`,
  ],
  "a field of each entry of an answer": [
    remove(`${SCHEMAS}/DataResponse/properties/status/additionalProperties/properties/failure/properties`, "order_id"),
    `${SCHEMAS}/DataResponse/properties/status/additionalProperties/properties/failure/properties/order_id: the field was removed`,
  ],
  "a field that a request must have": [
    set(`${SCHEMAS}/DataRequest/properties/config`, "required", ["sources", "context"]),
    `${SCHEMAS}/DataRequest/properties/config: context is required now`,
  ],
  "a kind of failure": [
    edit(`${SCHEMAS}/SourceFailureKind`, (schema) => void (schema["enum"] as string[]).shift()),
    `${SCHEMAS}/DataResponse/properties/status/additionalProperties/properties/failure/properties/kind: the value "unknown_source" was removed`,
  ],
  "a source": [
    (document) => {
      const schemas = resolve(document, SCHEMAS) as Record<string, unknown>;
      for (const name of Object.keys(schemas)) if (name.startsWith("acme__firm")) delete schemas[name];
      for (const request of ["DataRequest", "FuncRequest"])
        remove(`${SCHEMAS}/${request}/properties/config/properties/sources/properties`, "acme__firm")(document);
      remove(`${SCHEMAS}/DataResponse/properties/outputs/properties`, "acme__firm")(document);
    },
    `${SCHEMAS}/acme__firm: the source was removed`,
  ],
  "a credential that is required": [
    set(`${SCHEMAS}/acme__person`, "x-datarun-credential", "required"),
    `${SCHEMAS}/acme__person/x-datarun-credential: a credential is required now`,
  ],
  "an input": [remove(`${INPUTS}/properties`, "address"), `${INPUTS}/properties/address: the field was removed`],
  "a nested input, behind a reference": [
    remove(`${INPUTS}.address/properties`, "city"),
    `${INPUTS}.address/properties/city: the field was removed`,
  ],
  "an input that is required": [set(INPUTS, "required", ["name", "address"]), `${INPUTS}: address is required now`],
  "an input that one alternative requires": [
    set(`${INPUTS}/anyOf/0`, "required", ["born", "address"]),
    `${INPUTS}: address is required now`,
  ],
  "an alternative": [set(INPUTS, "anyOf", [{ required: ["country"] }]), `${INPUTS}: country is required now`],
  "a value of an input": [
    set(`${INPUTS}/properties/country`, "enum", ["DE"]),
    `${INPUTS}/properties/country: the value "FR" was removed`,
  ],
  "a text of which only some are accepted": [
    set(`${INPUTS}/properties/name`, "enum", ["Ada"]),
    `${INPUTS}/properties/name: only listed values are accepted now: "Ada"`,
  ],
  "a shorter text": [
    set(`${INPUTS}/properties/name`, "maxLength", 50),
    `${INPUTS}/properties/name: maxLength changed from 100 to 50`,
  ],
  "a new bound": [set(`${INPUTS}/properties/name`, "minLength", 2), `${INPUTS}/properties/name: minLength 2 is new`],
  "another form of a text": [
    set(`${INPUTS}/properties/name`, "pattern", "^[A-Z]"),
    `${INPUTS}/properties/name: pattern "^[A-Z]" is new`,
  ],
  "the type of an input": [
    set(`${INPUTS}/properties/name`, "type", "integer"),
    `${INPUTS}/properties/name: the type changed from string to integer`,
  ],
  "an input that may not have further fields": [
    set(INPUTS, "additionalProperties", false),
    `${INPUTS}: further fields are not accepted any more`,
  ],
  "an output": [remove(`${OUTPUT}/properties`, "state"), `${OUTPUT}/properties/state: the field was removed`],
  "an output in a list": [
    remove(`${OUTPUT}/properties/tags/items/properties`, "key"),
    `${OUTPUT}/properties/tags/items/properties/key: the field was removed`,
  ],
  "an output that may be null": [
    set(`${OUTPUT}/properties/score`, "type", ["number", "null"]),
    `${OUTPUT}/properties/score: the type changed from number to null or number`,
  ],
  "an output that may be missing": [set(OUTPUT, "required", []), `${OUTPUT}: score is not always there any more`],
  "a value of an output": [
    set(`${OUTPUT}/properties/state`, "enum", ["alive"]),
    `${OUTPUT}/properties/state: the value "dead" was removed`,
  ],
  "the output of a function": [
    remove(`${SCHEMAS}/dfunc_score.output/properties`, "verdict"),
    `${SCHEMAS}/dfunc_score.output/properties/verdict: the field was removed`,
  ],
  "the schema of an output": [
    remove(SCHEMAS, "dfunc_score.output"),
    `${SCHEMAS}/dfunc_score.output/properties/verdict: the field was removed`,
  ],
};

for (const [what, [change, ...lines]] of Object.entries(BREAKING)) {
  test(`it finds ${what}, once`, () => assert.deepEqual(broken(change), lines));
}

test("references by $anchor lead to the component that has the anchor, also if two sources chose the same name", () => {
  const inputs = {
    type: "object",
    properties: {
      code: { $ref: "#code" },
      deep: { $ref: "#deep" },
      self: { $ref: "#" },
      "x/y": { $anchor: "deep", type: "integer" },
    },
    $defs: { named: { $anchor: "code", type: "string" } },
  };
  const document = deploymentContract(
    [
      { ...acme, inputs },
      { ...acme, id: "acme__firm", inputs },
    ],
    [],
  );
  for (const id of ["acme__person", "acme__firm"]) {
    const own = resolve(document, `/components/schemas/${id}.inputs`) as typeof inputs;
    assert.deepEqual(resolve(document, own.properties.code.$ref.slice(1)), { type: "string" });
    assert.deepEqual(resolve(document, own.properties.deep.$ref.slice(1)), { type: "integer" });
    assert.equal(own.properties.self.$ref, `#/components/schemas/${id}.inputs`);
  }
  assert.ok(!JSON.stringify(document).includes("$anchor"));
});
