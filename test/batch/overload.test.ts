import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { batchShell } from "./batch-command.ts";

const ROWS = 40;
const RUNS = 2;

// The status of an overloaded service is a setting.
for (const status of ["500", "503"])
  test(`a batch at the limit of runs sends less, and asks no row twice: ${status}`, async (t) => {
    const vendor = await startVendor(t, { paths: { "/quick": later(50, json({ quick: true })) } });
    const project = vendorProject(t, vendor, { quick: "/quick" });
    const deployment = await deploy(t, { project });
    const service = await deployment.start({ args: ["--limits-runs", String(RUNS), "--overload-status", status] });
    const shell = batchShell(t, deployment, project, service.url);
    shell.write("in.csv", `id\n${Array.from({ length: ROWS }, (_, at) => `r${at + 1}`).join("\n")}\n`);
    const args = ["in.csv", "--sources", "acme__quick", "--out", "out.jsonl", "--concurrency", "16", "--json"];
    const { code, stdout, stderr } = await shell.run(args);
    assert.equal(code, 0, stderr);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([result["answered"], result["stopped"], result["cost"]], [ROWS, null, ["2.80 EUR"]]);
    const asked = vendor.requests.map(({ target }) => /id=(r\d+)/.exec(target)![1]);
    assert.equal(asked.length, ROWS);
    assert.equal(new Set(asked).size, ROWS);

    // A request that was refused as overloaded is `free` in the state: it has reached no run.
    const state = readFileSync(shell.path("out.jsonl.state"), "utf8").split("\n");
    const refused = state.filter((line) => line.startsWith("free ")).length;
    assert.ok(refused > 0, "the service was never overloaded");
    // Without pauses, 16 requests at a time would be refused hundreds of times meanwhile.
    assert.ok(refused < 3 * ROWS, `${refused} requests were refused`);
    assert.equal(state.filter((line) => line.startsWith("asked ")).length, ROWS + refused);
    assert.equal(deployment.ledger().length, ROWS);
  });
