import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { batchShell } from "./batch-command.ts";

async function started(t: TestContext) {
  const vendor = await startVendor(t, { paths: { "/quick": json({ quick: true }), "/slow": json({ slow: true }) } });
  const project = vendorProject(t, vendor, { quick: "/quick", slow: "/slow" });
  const deployment = await deploy(t, { project });
  const service = await deployment.start();
  return { vendor, deployment, service, shell: batchShell(t, deployment, project, service.url) };
}

const ids = (count: number) =>
  `ID,Note\n${Array.from({ length: count }, (_, at) => `${at + 1},=1+${at}`).join("\n")}\n`;

test("every row of a file is asked once and recorded, and the same command asks nothing again", async (t) => {
  const { vendor, shell } = await started(t);
  shell.write("in.csv", ids(50));
  const args = ["in.csv", "--sources", "acme__quick,acme__slow", "--keep", "Note", "--out", "out.jsonl", "--json"];
  const first = await shell.run(args);
  assert.equal(first.code, 0, first.stderr);
  const result = JSON.parse(first.stdout) as { answered: number; cost: string[] };
  assert.deepEqual([result.answered, result.cost], [50, ["7.00 EUR"]]);
  assert.equal(vendor.count(), 100);
  const records = shell.records("out.jsonl");
  assert.deepEqual(
    records.map(({ row }) => row),
    Array.from({ length: 50 }, (_, at) => at + 1),
  );
  const [record] = records;
  assert.deepEqual(record!.inputs, { id: "1" });
  assert.deepEqual(record!.kept, { Note: "=1+0" });
  assert.equal(record!.sources!["acme__quick"]!.charged, "yes");
  assert.deepEqual(record!.sources!["acme__quick"]!.cost, { amount: "0.07", currency: "EUR" });
  for (const file of ["out.jsonl", "out.jsonl.state"]) assert.equal(statSync(shell.path(file)).mode & 0o777, 0o600);
  assert.ok(!existsSync(shell.path("out.jsonl.failed")));
  const second = await shell.run(args);
  assert.equal(second.code, 0, second.stderr);
  assert.equal(vendor.count(), 100);
  assert.equal(readFileSync(shell.path("out.jsonl"), "utf8").split("\n").length, 51);
});
