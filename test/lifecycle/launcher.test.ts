import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { until } from "../rig/until.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "./vendor-project.ts";

/** The command as two processes, the launcher and the service, with one run under way. */
async function launched(t: TestContext) {
  const vendor = await startVendor(t, { paths: { "/slow": later(1_000, json({ slow: true })) } });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { slow: "/slow" }) });
  const service = await deployment.start({ byLauncher: true });
  const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(service.pid)], { encoding: "utf8" });
  const pids = stdout.split("\n").map(Number).filter(Boolean);
  assert.equal(pids.length, 1, "the launcher has one child, the service");
  const waiting = service.run({ acme__slow: true });
  await vendor.received(1);
  return { deployment, service, waiting, servicePid: pids[0]! };
}

test("a signal that reaches launcher and service alike is one request to stop: runs in progress are answered", async (t) => {
  const { service, waiting, servicePid } = await launched(t);
  // What Ctrl-C in a terminal does, and a supervisor that stops a group.
  service.signal("SIGINT");
  process.kill(servicePid, "SIGINT");
  assert.deepEqual((await waiting).json().outputs, { acme__slow: { slow: true } });
  assert.equal((await service.ended).code, 0);
});

test("a second signal to the launcher ends the service at once", async (t) => {
  const { service, waiting } = await launched(t);
  const lost = waiting.catch((error: Error) => error);
  service.signal("SIGTERM");
  await until(async () => (await fetch(`${service.adminUrl}/ready`)).status === 503);
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 130);
  assert.ok((await lost) instanceof Error);
});

test("a service whose launcher is killed stops as after a signal", async (t) => {
  const { service, waiting, deployment } = await launched(t);
  service.signal("SIGKILL");
  assert.deepEqual((await waiting).json().outputs, { acme__slow: { slow: true } });
  // The end of its output is the end of the service, which has it from the launcher.
  assert.equal((await service.ended).signal, "SIGKILL");
  assert.equal(service.log().at(-1)!["event"], "stopped");
  assert.equal(deployment.ledger()[0]!.run["state"], "ended");
});
