import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { hang, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("what an operator asks for one organization holds nothing of another", async (t) => {
  const vendor = await startVendor(t, { paths: { "/people": json({ ok: true }), "/hung": hang } });
  const project = vendorProject(t, vendor, { people: "/people", hung: "/hung" });
  const deployment = await deploy(t, { project });
  const { verb } = deployment;
  const a = deployment.access;
  const b = await deployment.operate((operator) => operator.createOrganization("B"));
  const org = b.id;

  const service = await deployment.start({ args: ["--limits-shutdown-grace-ms", "100"] });
  const sources = { acme__people: true };
  for (const as of [a, b, b])
    assert.equal((await service.post("/data", { config: { sources } }, { as })).statusCode, 200);
  const hung = [a, b].map((as) => service.post("/data", { config: { sources: { acme__hung: true } } }, { as }));
  await vendor.received(5);
  service.signal("SIGTERM");
  for (const reply of await Promise.all(hung)) assert.equal(reply.statusCode, 200);
  await service.ended;

  const ofB = ["--org", org];
  const ledgerOfB = await verb("ledger", "list", ...ofB);
  assert.deepEqual(new Set(ledgerOfB.runs.map((run: Row) => run["organization_tuid"])), new Set([org]));
  assert.equal(ledgerOfB.runs.length, 3);
  for (const [args, count] of [
    [["token", "list"], 1],
    [["workflow", "list"], 1],
    [["credential", "list"], 0],
    [["audit", "list"], 3],
  ] as const) {
    const shown = Object.values(await verb(...args, ...ofB))[0] as Row[];
    const text = JSON.stringify(shown);
    assert.equal(shown.length, count, text);
    for (const theirs of [a.id, a.workflow, a.tokenId])
      assert.ok(!text.includes(theirs), `${args.join(" ")} shows ${theirs}`);
    deployment.secrets.assertAbsent(args.join(" "), text);
  }
  const file = join(deployment.dataDir, "b.jsonl");
  await verb("ledger", "export", file, ...ofB, "--format", "jsonl");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => line.includes(org) && !line.includes(a.id) && !line.includes(a.tokenId)));
});

type Row = Readonly<Record<string, unknown>>;
