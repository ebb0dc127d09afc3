import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceCall } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";
import { answers, source } from "../rig/sources.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const CALLERS = "Charles Babbage 1791-12-26";
const VENDORS = "Ada Lovelace 1815-12-10";

const ANY_NAMES = { type: "object", additionalProperties: { type: "string" } };

/** What the log has of the one call of this source: its fault and the detail. */
async function loggedOf(service: Awaited<ReturnType<typeof startService>>, id: string) {
  const calls = (await service.runLines()).flatMap((line) => line["calls"] as Readonly<Record<string, unknown>>[]);
  const { fault, detail } = calls.find((call) => call["source"] === id)!;
  const lines = JSON.stringify(await service.logLines());
  assert.doesNotMatch(lines, /Babbage|Lovelace/);
  return { fault, detail };
}

test("the name of a member that a caller sent is in its answer, and not in the log", async (t) => {
  const inputs = { type: "object", properties: { people: ANY_NAMES } };
  const service = await startService(t, { sources: [answers("acme__people", {}, { inputs })] });

  const reply = await service.run({ acme__people: true }, { people: { [CALLERS]: 5 } });

  assert.equal(reply.json().status.acme__people.message, `Adapter error: input people.${CALLERS} must be a string`);
  assert.deepEqual(await loggedOf(service, "acme__people"), {
    fault: "source.input_invalid",
    detail: { field: "people.*", problem: "must be a string" },
  });
});

test("the name of a field of a credential that a caller sent is in its answer, and not in the log", async (t) => {
  const vendor = await startVendor(t);
  const send = async ({ http, credentials }: SourceCall) => {
    const [key = ""] = Object.values(credentials as Readonly<Record<string, string>>);
    return http.get(`${vendor.origin}/people`, { headers: { "x-key": key } });
  };
  const changes = { credentials: ANY_NAMES, origins: [vendor.origin] };
  const declared = { ...changes, credentials: { type: "object", properties: { api_key: {} } } };
  const sources = [
    source("acme__unfit", send, changes),
    source("acme__unsent", send, changes),
    source("acme__declared", send, declared),
  ];
  const service = await startService(t, { sources, vendors: [vendor] });

  const reply = await service.run({
    acme__unfit: { credentials: { [CALLERS]: 5 } },
    acme__unsent: { credentials: { [CALLERS]: "k\u0007" } },
    acme__declared: { credentials: { api_key: "k\u0007" } },
  });

  const { acme__unfit: one, acme__unsent: two } = reply.json().status;
  assert.equal(one.message, `Adapter error: credential field ${CALLERS} must be a string`);
  assert.equal(two.message, `Adapter error: credential field ${CALLERS} holds a character that cannot be sent`);
  for (const [id, problem] of [
    ["acme__unfit", "* must be a string"],
    ["acme__unsent", "* holds a character that cannot be sent"],
    ["acme__declared", "api_key holds a character that cannot be sent"],
  ] as const)
    assert.deepEqual(await loggedOf(service, id), {
      fault: "source.credential_missing",
      detail: { problem: `credential field ${problem}` },
    });
});

test("the name of a member that a vendor sent is neither in the log nor in a failure", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/people", json({ people: { [VENDORS]: {} } }));
  const declared = compileDeclarative(
    `
id: acme__people
title: People
inputs: {type: object, properties: {name: {type: string}}}
origins: ['${vendor.origin}']
request: {url: '${vendor.origin}/people'}
match: {record: body.people, no_record: 'status == \`404\`'}
output: {type: object, properties: {people: {type: object, additionalProperties: {type: object, required: [age]}}}}
`,
    "people.yaml",
  );
  const service = await startService(t, { sources: [declared], vendors: [vendor] });

  const reply = await service.run({ acme__people: true });

  const problem = "field people.*.age is missing";
  assert.equal(
    reply.json().status.acme__people.message,
    `Adapter error: the vendor's answer cannot be used: ${problem}`,
  );
  assert.deepEqual(await loggedOf(service, "acme__people"), {
    fault: "source.contract",
    detail: { problem, field: "people.*.age" },
  });
});
