import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { adminPort } from "../rig/admin.ts";
import { startService } from "../rig/service.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** A double would make 12345678901234567000 of it. */
const LONG = "12345678901234567891";

async function begin(t: TestContext) {
  const vendor = await startVendor(t);
  vendor.on("/people", body(`{"name":"Ada","id":${LONG}}`));
  const text = `
id: acme__people
title: Acme people
inputs: {type: object, properties: {id: {type: integer}}}
credentials: {type: object, properties: {subscriber: {type: integer}}}
origins: ['${vendor.origin}']
request:
  method: POST
  url: '${vendor.origin}/people'
  headers: {X-Subscriber: '{{ credentials.subscriber }}'}
  body: {json: {id: '{{ inputs.id }}'}}
match: {record: body.name, no_record: 'status == \`404\`'}
map: {id: body.id}
`;
  const service = await startService(t, { sources: [compileDeclarative(text, "people.yaml")], vendors: [vendor] });
  const { call } = adminPort(t, service.adminUrl, service.secrets);
  const ada = await service.operator.appoint("operator", "ada");
  return { vendor, service, ask: async (verb: string, input: string) => call(verb, input, { as: ada }) };
}

test("an operator's run has every digit of a long number, in what is sent and in what is answered", async (t) => {
  const { vendor, service, ask } = await begin(t);
  const { workflow } = service.a;
  const reply = await ask("source run", `{"source":"acme__people","workflow":"${workflow}","inputs":{"id":${LONG}}}`);
  service.expectRunWithoutAnswer();
  assert.equal(vendor.requests[0]!.body.toString(), `{"id":${LONG}}`);
  assert.ok(reply.text.includes(`"output":{"id":${LONG}}`), reply.text);
});

test("a stored credential has every digit of a long number, as one that is sent inline has", async (t) => {
  const { vendor, service, ask } = await begin(t);
  const fields = `{"subscriber":${LONG}}`;
  const made = await ask("credential create", `{"org":"${service.a.id}","source":"acme__people","fields":${fields}}`);
  await service.run({ acme__people: { cred_id: made.json().cred_id } });
  await service.post("/data", `{"config":{"sources":{"acme__people":{"credentials":${fields}}}},"inputs":{}}`);
  assert.deepEqual(
    vendor.requests.map(({ headers }) => headers["x-subscriber"]),
    [LONG, LONG],
  );
});
