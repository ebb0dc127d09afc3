import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const file = (id: string, origin: string, regions: string) => `
id: ${id}
title: People
inputs: {type: object, properties: {}}
credentials: {type: object, properties: {api_key: {type: string}}, required: [api_key]}
origins: ['${origin}']
${regions}
auth: {kind: api_key, header: X-Key, value: '{{ credentials.api_key }}'}
request: {url: '${origin}/people'}
match: {record: body.name, no_record: status == \`404\`}
verify: {request: {url: '${origin}/ping'}}
charge: free
cases:
  - {name: found, inputs: {}, reply: {body: {name: Ada}}, expect: {match: true}}
`;

const FUNCTION = `export default { id: "dfunc_asks", title: "T", async run({ run }) {
  return { output: { message: (await run("acme__eu", {})).message } };
} };`;

test("no verb that asks a vendor asks one outside its regions, and what shows a source or a credential shows them", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/people", json({ name: "Ada" })).on("/ping", json({}));
  const folder = project(t, {
    "datarun.config.ts": `export default { region: "us" };`,
    "sources/acme.yaml": file("acme__eu", vendor.origin, "regions: [eu, uk]"),
    "sources/bell.yaml": file("bell__any", vendor.origin, ""),
    "functions/asks.mjs": FUNCTION,
  });
  const { run, json: ask } = shell(t, folder);
  const { organization_tuid: org } = await ask(["org", "create", "Acme"]);
  const { workflow } = await ask(["workflow", "create", "--org", org]);
  const store = async (source: string, ...more: string[]) =>
    (await ask(["credential", "create", "--org", org, "--source", source, "--set", "api_key=k", "--default", ...more]))
      .cred_id as string;
  const ofSource = await store("acme__eu");
  const ofEu = await store("bell__any", "--region", "eu", "--region", "uk");
  const source = /this source may only be used in eu or uk, and the region of this service is us/;
  const credential = /the credential may only be used in eu or uk, and the region of this service is us/;

  const lived = async (id: string) => ask(["source", "test", id, "--live", "--org", org]);
  assert.match((await lived("acme__eu")).message, source);
  assert.match((await lived("bell__any")).message, credential);
  assert.match((await ask(["credential", "verify", ofSource])).reason, source);
  assert.match((await ask(["credential", "verify", ofEu])).reason, credential);
  assert.match((await run(["source", "run", "acme__eu", "--workflow", workflow])).stdout, source);
  assert.match((await run(["source", "run", "bell__any", "--workflow", workflow])).stdout, credential);
  assert.match((await run(["function", "run", "dfunc_asks", "--workflow", workflow])).stdout, source);
  assert.equal(vendor.count(), 0);

  assert.equal((await run(["source", "test", "acme__eu", "--case", "found"])).code, 0, "cases are played everywhere");
  assert.deepEqual((await ask(["source", "show", "acme__eu"])).regions, ["eu", "uk"]);
  const { credentials } = await ask(["credential", "list", "--org", org]);
  assert.deepEqual(credentials.map((each: { regions: unknown }) => each.regions).sort(), [["eu", "uk"], ["every"]]);
  const told = await ask(["credential", "explain", "--workflow", workflow, "--source", "bell__any"]);
  assert.equal(told.usable, false);
  assert.match(
    told.steps.at(-1).reason,
    /default .*, but it may only be used in eu or uk, and the region of this service is us/,
  );
});
