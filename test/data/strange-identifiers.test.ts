import assert from "node:assert/strict";
import { after, test } from "node:test";
import { printable } from "../../src/terms/text/printable.ts";
import { NAUGHTY_STRINGS } from "../rig/naughty-strings.ts";
import { startService } from "../rig/service.ts";
import { answers, sendsCredential } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const sources = [answers("acme__people", { name: "Ada" }), sendsCredential("acme__keyed", vendor, "/keyed")];
const service = await startService({ after }, { sources, vendors: [vendor] });
const IDS = NAUGHTY_STRINGS.filter((text) => text.length <= 128);

test("strange strings as source identifiers are unknown sources, returned byte for byte, one line of the log a run", async () => {
  const before = (await service.runLines()).length;
  for (const id of IDS) {
    const entry = JSON.stringify(id);
    const reply = await service.post("/data", `{"config":{"sources":{${entry}:true,"acme__people":{}}}}`);
    assert.equal(reply.statusCode, 200, entry);
    const { status, outputs, config } = reply.json();
    for (const part of [status, outputs, config.sources])
      assert.deepEqual(Object.keys(part).sort(), [id, "acme__people"].sort());
    assert.equal(Object.getOwnPropertyDescriptor(status, id)!.value.message, `Adapter not found for ${id}`);
    assert.deepEqual(outputs.acme__people, { name: "Ada" });
    // As text too: what was sent is in the answer as the same characters.
    assert.ok(reply.text.includes(`"outputs":{${entry}:{}`) || /^\d+$/.test(id));
  }
  const lines = (await service.runLines()).slice(before);
  assert.equal(lines.length, IDS.length);
  const logged = lines.map((line) => (line["calls"] as { source: string }[])[0]!.source);
  // The log shows what cannot be seen, and no more of it than of any other identifier.
  for (const [at, id] of IDS.entries()) {
    const shown = printable(id);
    if (shown.length <= 128) assert.equal(logged[at], shown);
    else assert.ok(logged[at]!.length <= 128 && shown.startsWith(logged[at]!.slice(0, -1)), logged[at]);
  }
});

test("names that resemble a source are not that source", async () => {
  const near = [
    "acme__People",
    "ACME__PEOPLE",
    " acme__people",
    "acme__people ",
    "acme_people",
    "acme__people\0",
    "acme__people\u200b",
    "aсme__people",
    "acme",
    "people",
    "acme__",
  ];
  const { status } = (await service.run(Object.fromEntries(near.map((id) => [id, true])))).json();
  for (const id of near) assert.equal(status[id].success, false, JSON.stringify(id));
});

test("strange strings as cred_id name no credential, and no vendor is called", async () => {
  for (const credId of NAUGHTY_STRINGS) {
    const body = `{"config":{"sources":{"acme__keyed":{"cred_id":${JSON.stringify(credId)}}}}}`;
    const reply = await service.post("/data", body);
    assert.equal(
      reply.json().status.acme__keyed.message,
      "Adapter error: the credential named by cred_id cannot be used",
    );
    assert.equal(reply.json().config.sources.acme__keyed.cred_id, credId);
  }
  assert.equal(vendor.count(), 0);
});

test("strange strings as names and values of unknown config fields are kept and echoed", async () => {
  for (const text of NAUGHTY_STRINGS) {
    const key = JSON.stringify(`x${text}`);
    const value = JSON.stringify(text);
    const body = `{"config":{${key}:${value},"sources":{"acme__people":{${key}:${value}}}}}`;
    const { config } = (await service.post("/data", body)).json();
    assert.equal(config[`x${text}`], text);
    assert.equal(config.sources.acme__people[`x${text}`], text);
  }
});
