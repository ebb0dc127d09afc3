import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { until } from "../rig/until.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { LAUNCHER, verb, type Environment } from "./operator-verb.ts";
import { project } from "./project-folder.ts";

/** A command that goes on while others are given. */
function given(t: TestContext, env: Environment, ...args: string[]) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env: { PATH: process.env["PATH"], ...env } });
  t.after(() => child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => (printed[stream] += text));
  return { printed, ended: once(child, "close").then(([code]) => code as number | null) };
}

test("commands that run a workflow while no service runs run one after the other, and all get their answers", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-once-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const vendor = await startVendor(t);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  vendor.on("/x", (...request) => void mayAnswer.then(() => json({ name: "Ada" })(...request)));
  const source = `export default { id: "acme__one", title: "One", inputs: {}, origins: ["${vendor.origin}"],
    charge: "free", timeout_ms: 60_000, run: ({ http }) => http.get("${vendor.origin}/x").then((reply) => reply.json()) };`;
  const env = { DATARUN_DATA_DIR: dataDir, DATARUN_PROJECT: project(t, { "sources/one.mjs": source }) };
  const org = verb(env, "org", "create", "A")["organization_tuid"]!;
  const workflow = verb(env, "workflow", "create", "--org", org)["workflow"]!;
  const run = () => given(t, env, "workflow", "run", workflow, "--source", "acme__one", "--json");

  const first = run();
  await until(() => vendor.count() === 1);
  const second = run();
  await until(() => second.printed.stderr !== "");
  assert.match(second.printed.stderr, /waiting for it/);
  answer();
  for (const { printed, ended } of [first, second]) {
    assert.equal(await ended, 0, printed.stderr);
    assert.match(printed.stdout, /"name": ?"Ada"/);
    assert.match(printed.stderr, /one was started for this command/);
  }
  assert.equal(vendor.count(), 2);
});
