import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { body } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { shell } from "./project-shell.ts";

/** A double would make 12345678901234567000 of it. */
const LONG = "12345678901234567891";

const source = (origin: string) => `id: acme__people
title: Acme people
inputs: {type: object, properties: {id: {type: integer}}}
origins: ['${origin}']
request: {url: '${origin}/people'}
match: {record: body.name, no_record: 'status == \`404\`'}
map: {id: body.id, kind: "to_number('${LONG}')"}
charge: free
`;

const CASES = `[
  {
    "name": "found",
    "inputs": {"id": ${LONG}},
    "reply": {"body": {"name": "Ada", "id": ${LONG}, "account": 7}},
    "expect": {"match": true, "output": {"id": ${LONG}, "kind": ${LONG}}}
  }
]
`;

test("a recorded case leaves every digit of the author's own, and a long number is of the type of a short one", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/people", body(`{"name":"Eve","id":8,"account":${LONG}}`));
  const files = { "sources/acme/people.yaml": source(vendor.origin), "sources/acme/people.cases.json": CASES };
  const folder = project(t, files);
  const { run, json } = shell(t, folder);
  await json(["org", "create", "Acme"]);
  const live = await run(["source", "test", "acme__people", "--live", "--record"]);
  assert.equal(live.code, 0, live.stderr);
  assert.match(live.stdout, /nothing differs from the case in its shape/);

  const text = readFileSync(join(folder, "sources/acme/people.cases.json"), "utf8");
  const [own, recorded] = text.split(/^ {2}\},$/m);
  assert.equal(own!.replaceAll(/\s/g, ""), CASES.slice(0, CASES.lastIndexOf("}")).replaceAll(/\s/g, ""));
  assert.ok(recorded!.includes(`"kind": ${LONG}`), text);
  const { stdout } = await run(["source", "test", "acme__people"]);
  assert.match(stdout, /ok {5}as the vendor answered on/);
});
