import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { adminPort } from "../rig/admin.ts";
import { API_KEY, answers } from "../rig/sources.ts";
import { startService } from "../rig/service.ts";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const RISK = (output: string) => `id: acme__risk
title: The risk of a company
inputs:
  type: object
  required: [number]
  properties: {number: {type: string, maxLength: 20}, country: {enum: [DE, FR]}}
credentials: {type: object, required: [api_key], properties: {api_key: {type: string}}}
origins: ['https://api.acme.example']
timeout_ms: 9000
request: {url: 'https://api.acme.example/risk/{{ inputs.number }}', headers: {X-Api-Key: '{{ credentials.api_key }}'}}
match: {record: body.score, no_record: body.nobody}
map: {score: body.score}
output: {type: object, required: [score], properties: {score: ${output}}}
charge: {model: per_match, amount: 0.25, currency: EUR}
`;

const SCORE = `import { defineFunction } from "datarun";
export default defineFunction({
  id: "dfunc_score",
  title: "A score",
  inputs: { type: "object", properties: { number: { type: "string" } } },
  output: { type: "object", properties: { verdict: { type: "string" } } },
  timeout_ms: 12_000,
  run: () => ({ output: { verdict: "good" } }),
});
`;

function acme(t: TestContext) {
  const folder = project(t, { "sources/acme/risk.yaml": RISK("{type: number}"), "functions/score.ts": SCORE });
  return { folder, ...shell(t, folder) };
}

interface Contract {
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
  readonly components: { readonly schemas: Readonly<Record<string, any>> };
}

test("the contract of a project has its sources and functions, with what they take, return and cost", async (t) => {
  const { run } = acme(t);
  const { code, stdout, stderr } = await run(["openapi"]);
  assert.equal(code, 0, stderr);
  const { schemas } = (JSON.parse(stdout) as Contract).components;
  assert.equal(schemas["acme__risk"].title, "The risk of a company");
  assert.equal(schemas["acme__risk"]["x-datarun-credential"], "required");
  assert.deepEqual(schemas["acme__risk"]["x-datarun-charge"].list_price, { amount: "0.25", currency: "EUR" });
  assert.equal(schemas["acme__risk"]["x-datarun-limits"].timeout_ms, 9000);
  assert.deepEqual(schemas["acme__risk.inputs"].required, ["number"]);
  assert.deepEqual(schemas["acme__risk.credentials"].required, ["api_key"]);
  assert.deepEqual(schemas["acme__risk.output"].properties, { score: { type: "number" } });
  assert.equal(schemas["dfunc_score"]["x-datarun-limits"].timeout_ms, 12_000);
  assert.deepEqual(schemas["dfunc_score.output"].properties, { verdict: { type: "string" } });
  assert.ok("google__phone_number.output" in schemas, "a source of the catalog that is on");
  assert.ok(!("gleif__lei_record" in schemas), "one that is off");
});

test("only the sources and functions that are named are in it, and one that cannot be used is refused", async (t) => {
  const { run, json } = acme(t);
  const named = async (...args: string[]) =>
    Object.keys(((await json(["openapi", ...args])) as Contract).components.schemas);
  const common = (await named("--source", "acme__risk")).filter((name) => !name.startsWith("acme__risk"));
  assert.ok(!common.some((name) => name.includes("__") || name.startsWith("dfunc_")));
  assert.deepEqual(
    (await named("--function", "dfunc_score")).filter((name) => !common.includes(name)),
    ["dfunc_score", "dfunc_score.inputs", "dfunc_score.output"],
  );
  for (const [args, says] of [
    [["--source", "acme__risc"], /There is no source "acme__risc"\. Did you mean acme__risk\?/],
    [["--function", "dfunc_scor"], /There is no function "dfunc_scor"\. Did you mean dfunc_score\b/],
    [["--source", "gleif__lei_record"], /gleif__lei_record is off.*The setting `catalog`/],
  ] as const) {
    const { code, stderr } = await run(["openapi", ...args]);
    assert.equal(code, 1);
    assert.match(stderr, says);
  }
});

test("what breaks a client of an earlier contract is listed, and the exit code tells it from a failure", async (t) => {
  const { folder, run } = acme(t);
  const [old, broken, other] = ["old.json", "broken.json", "other.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(old, (await run(["openapi"])).stdout);
  writeFileSync(broken, "{");
  writeFileSync(other, '{"swagger": "2.0"}');
  const same = await run(["openapi", "--against", old]);
  assert.deepEqual([same.code, same.stdout], [0, "Nothing breaks a client of the earlier contract.\n"]);

  writeFileSync(join(folder, "sources/acme/risk.yaml"), RISK("{type: string}"));
  const changed = await run(["openapi", "--against", old]);
  const path = "/components/schemas/acme__risk.output/properties/score";
  const change = "the type changed from number to string";
  assert.deepEqual([changed.code, changed.stdout], [2, `${path}: ${change}\n`]);
  const printed = await run(["openapi", "--against", old, "--json"]);
  assert.deepEqual([printed.code, JSON.parse(printed.stdout)], [2, { breaking: [{ path, change }] }]);

  for (const [file, says] of [
    [broken, /The earlier contract is not JSON\./],
    [other, /The earlier contract is not an OpenAPI 3 document/],
    [join(folder, "none.json"), /There is no such file|there is no such file/],
  ] as const) {
    const { code, stderr } = await run(["openapi", "--against", file]);
    assert.equal(code, 1);
    assert.match(stderr, says);
  }
});

test("a viewer gets the contract from the admin port, and the answers of the service are valid by it", async (t) => {
  const output = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
  const service = await startService(t, {
    sources: [answers("acme__person", { name: "Ada" }, { credentials: { ...API_KEY, required: [] }, output })],
  });
  const { call, result } = adminPort(t, service.adminUrl, service.secrets);
  const viewer = await service.operator.appoint("viewer");
  const contract = (await result("openapi", { source: ["acme__person"] }, viewer)) as Contract & object;
  assert.equal((await call("openapi", {})).statusCode, 401);
  const { breaking } = await result("openapi", { against: JSON.stringify(contract) }, viewer);
  assert.deepEqual(breaking, []);

  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(contract, "contract");
  const isRequest = ajv.compile({ $ref: "contract#/components/schemas/DataRequest" });
  const isAnswer = ajv.compile({ $ref: "contract#/components/schemas/DataResponse" });
  const reply = await service.run({ acme__person: true });
  assert.ok(isAnswer(reply.json()), JSON.stringify(isAnswer.errors));
  assert.ok(isRequest({ config: { sources: { acme__person: { credentials: { api_key: "x" } } } } }));
  assert.ok(!isRequest({ config: { sources: { acme__person: { credentials: { api_key: 1 } } } } }));
});
