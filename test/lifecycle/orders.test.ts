import assert from "node:assert/strict";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const bureau = (origin: string) => `
id: bureau__report
title: Report
inputs: {type: object, properties: {name: {type: string}, order_id: {type: string}}}
origins: ['${origin}']
timeout_ms: 60000
steps:
  - {name: order, request: {method: POST, url: '${origin}/orders', body: {json: {name: '{{ inputs.name }}'}}}, order_id: body.id}
  - name: report
    free: true
    request: {url: '${origin}/orders/{{ order_id }}'}
    poll: {until: body.state == 'done', first_after_ms: 50000}
resume: {step: report}
match: {record: body.state == 'done', no_record: status == \`404\`}
map: {score: body.score}
`;

test("kill -9 between an order and its first poll leaves its number on the ledger, and a later run fetches the report", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/orders", json({ id: "o-1" }, { status: 201 })).on("/orders/o-1", json({ state: "done", score: 7 }));
  const deployment = await deploy(t, { project: project(t, { "sources/report.yaml": bureau(vendor.origin) }) });
  const first = await deployment.start();
  const lost = first.run({ bureau__report: true }, { name: "Ada" }).catch((error: Error) => error);
  await until(() => first.log().some(({ order_id: id }) => id === "o-1"));
  first.signal("SIGKILL");
  await first.ended;
  assert.ok((await lost) instanceof Error);

  const second = await deployment.start();
  const found = deployment.ledger().find(({ run }) => run["state"] === "unknown")!;
  assert.deepEqual(
    found.calls.map((call) => [call["order_id"], call["charged"]]),
    [["o-1", "unknown"]],
  );
  const shown = await deployment.verb("ledger", "show", String(found.run["transaction_id"]));
  assert.match(shown.timeline, /the vendor's order o-1/);

  const { outputs, transaction_id: id } = (await second.run({ bureau__report: true }, { order_id: "o-1" })).json();
  assert.deepEqual(outputs, { bureau__report: { score: 7 } });
  const resumed = deployment.ledger().find(({ run }) => run["transaction_id"] === id)!;
  assert.deepEqual(
    resumed.attempts.map(({ method, charged }) => [method, charged]),
    [["GET", "no"]],
  );
  assert.equal(vendor.count("/orders"), 1, "it was ordered once");
});

test("a poll that waits when the service stops ends as pending at once, and a later run fetches the report", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/orders", json({ id: "o-1" }, { status: 201 })).on("/orders/o-1", json({ state: "done", score: 7 }));
  const deployment = await deploy(t, { project: project(t, { "sources/report.yaml": bureau(vendor.origin) }) });
  const first = await deployment.start({ args: ["--limits-shutdown-grace-ms", "3600000"] });
  const waiting = first.run({ bureau__report: true }, { name: "Ada" });
  await until(() => first.log().some(({ order_id: id }) => id === "o-1"));
  first.signal("SIGTERM");
  // If it went on waiting, it would poll and find the report.
  const { status, transaction_id: id } = (await waiting).json();
  assert.equal(status.bureau__report.message, "Adapter error: the vendor had not finished in time");
  assert.equal((await first.ended).code, 0);
  const stopped = deployment.ledger().find(({ run }) => run["transaction_id"] === id)!;
  assert.deepEqual(
    stopped.calls.map((call) => [call["order_id"], call["charged"], call["fault_code"]]),
    [["o-1", "yes", "source.pending"]],
  );

  const second = await deployment.start();
  const { outputs } = (await second.run({ bureau__report: true }, { order_id: "o-1" })).json();
  assert.deepEqual(outputs, { bureau__report: { score: 7 } });
  assert.deepEqual([vendor.count("/orders"), vendor.count("/orders/o-1")], [1, 1]);
});
