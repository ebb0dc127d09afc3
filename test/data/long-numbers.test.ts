import assert from "node:assert/strict";
import { after, test } from "node:test";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { project } from "../start/project-folder.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const ID = "12345678901234567891";
const AMOUNT = "0.1234567890123456789";
const FOUND = `{"id": ${ID}, "amount": ${AMOUNT}, "small": 7, "list": [9007199254740993]}`;

const vendor = await startVendor({ after });
vendor.on("/json", body(FOUND));
vendor.on("/xml", body(`<r><id>${ID}</id><empty/></r>`));

const declared = (id: string, rest: string) =>
  compileDeclarative(
    `id: ${id}
title: Numbers
inputs: {type: object, properties: {id: {type: integer, minimum: 1}}}
origins: ['${vendor.origin}']
match: {record: 'status == \`200\`', no_record: 'status == \`404\`'}
${rest}`,
    `${id}.yaml`,
  );
const mapped = (id: string, map: string, more = "") =>
  declared(id, `request: {url: '${vendor.origin}/json'}\nmap: ${map}\n${more}`);

const service = await startService(
  { after },
  {
    vendors: [vendor],
    sources: [
      mapped("acme__mapped", "{id: body.id, amount: body.amount, list: body.list, text: to_string(body.id)}"),
      mapped("acme__checked", "{id: body.id}", "output: {type: object, properties: {id: {type: integer}}}"),
      mapped("acme__reckoned", "{sum: 'body.id + `1`'}"),
      mapped("acme__overflowing", "{sum: 'body.small + `9007199254740990`'}"),
      mapped("acme__infinite", "{sum: 'body.small * `1e308` * `10`'}"),
      mapped("acme__fraction", "{half: 'body.amount > `0.1`', twice: 'floor(body.amount * `20`)'}"),
      declared(
        "acme__xml",
        `request: {url: '${vendor.origin}/xml'}\nreply: {format: xml}\nmap: {id: to_number(body.r.id), none: to_number(body.r.empty)}`,
      ),
      declared(
        "acme__asks",
        `request: {method: POST, url: '${vendor.origin}/asks/{{ inputs.id }}', query: {id: '{{ inputs.id }}'}, body: {json: {id: '{{ inputs.id }}', text: 'no. {{ inputs.id }}'}}}`,
      ),
      source("acme__picks", async ({ http }) => ({ picked: (await http.get(`${vendor.origin}/json`)).json().id }), {
        origins: [vendor.origin],
      }),
      source("acme__adds", async ({ http }) => ({ next: (await http.get(`${vendor.origin}/json`)).json().id + 1 }), {
        origins: [vendor.origin],
      }),
    ],
    project: project(
      { after },
      {
        "functions/numbers.mjs": `export default { id: "dfunc_numbers", title: "Numbers", async run({ inputs, run, pipe }) {
          const found = await pipe("asked", () => run("acme__mapped", {}));
          const asked = await run("acme__asks", { id: inputs.id });
          let sum; try { sum = found.output.id + 1; } catch (thrown) { sum = thrown.message; }
          return { output: { same: found.output.id, text: String(inputs.id), sum, asked: asked.success } };
        } };`,
      },
    ),
  },
);

const outputOf = async (id: string, inputs: object = {}) => {
  const { text } = await service.run({ [id]: true }, inputs);
  return new RegExp(`"${id}":(\\{.*?\\})`).exec(text)![1]!;
};

test("a number of a vendor reaches the answer with every digit, by a map as without one", async () => {
  const mappedText = `{"id":${ID},"amount":${AMOUNT},"list":[9007199254740993],"text":"${ID}"}`;
  assert.equal(await outputOf("acme__mapped"), mappedText);
  assert.equal(await outputOf("acme__checked"), `{"id":${ID}}`);
  assert.equal(await outputOf("acme__picks"), `{"picked":${ID}}`);
  assert.equal(await outputOf("acme__xml"), `{"id":${ID}}`);
});

test("what a double cannot say is never the result of a reckoning", async () => {
  for (const id of ["acme__reckoned", "acme__overflowing", "acme__infinite", "acme__adds"]) {
    const { status } = (await service.run({ [id]: true })).json();
    assert.equal(status[id].success, false, id);
  }
  assert.equal(await outputOf("acme__fraction"), '{"half":true,"twice":2}');
});

test("a caller's 64-bit identifier reaches a vendor and the answer's config as it was sent", async () => {
  const sent = `{"config": {"sources": {"acme__asks": true}, "note": ${ID}}, "inputs": {"id": ${ID}}}`;
  const reply = await service.post("/data", sent);
  assert.equal(reply.json().status.acme__asks.message, "Record found");
  assert.match(reply.text, new RegExp(`"note":${ID}`));
  const { path, query, body: bytes } = vendor.requests.at(-1)!;
  assert.deepEqual([path, String(query)], [`/asks/${ID}`, `id=${ID}`]);
  assert.equal(String(bytes), `{"id":${ID},"text":"no. ${ID}"}`);
});

test("a function hands on what it is handed, and what it reckons with is refused to it", async () => {
  const reply = await service.post("/func", `{"config": {"data_func": "dfunc_numbers"}, "inputs": {"id": ${ID}}}`);
  const { outputs } = reply.json();
  const { output } = outputs.dfunc_numbers;
  assert.match(output.sum, /cannot calculate with this number/);
  assert.deepEqual([output.text, output.asked], [ID, true]);
  assert.match(reply.text, new RegExp(`"same":${ID},`));
  assert.match(reply.text, new RegExp(`"pipes":\\{"asked":.*"id":${ID},"amount":${AMOUNT},`));
  assert.equal(vendor.requests.at(-1)!.path, `/asks/${ID}`);
});
