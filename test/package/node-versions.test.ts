import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { startCommand } from "../rig/command.ts";
import { MACHINE_PATH } from "../rig/package.ts";
import { testedRequest } from "../rig/demo-page.ts";

/** The Node with which the service is started, and the one that then runs it: the same, or the one that npm installed. */
const VERSIONS = { 20: 24, 22: 24, 24: 24, 25: 24, 26: 26 } as const;

/** The Node of this test, that of the machine, and those that variables such as DATARUN_TEST_NODE_25 name. */
function findNode(major: string): string | undefined {
  const machine = MACHINE_PATH.split(delimiter).map((folder) => join(folder, "node"));
  return [process.env[`DATARUN_TEST_NODE_${major}`], process.execPath, ...machine]
    .filter((path) => path !== undefined)
    .find((path) => versionOf(path)?.startsWith(`v${major}.`));
}

function versionOf(path: string): string | undefined {
  const { stdout, status } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

for (const [major, runsOn] of Object.entries(VERSIONS)) {
  const node = findNode(major);
  const skip = node === undefined && `there is no Node ${major}; DATARUN_TEST_NODE_${major} may name one`;
  test(
    `started with Node ${major}, the service runs on Node ${runsOn}, and functions run in it`,
    { skip },
    async (t) => {
      const service = await startCommand(t, ["--demo"], {}, { program: [node!, "bin/datarun.mjs"] });
      const answer = await service.func(testedRequest("function request"));
      const [entry] = Object.values(answer.status);
      assert.equal(entry!.success, true, entry!.message);
      assert.ok(versionOf(readlinkSync(`/proc/${servicePid(service.pid)}/exe`))?.startsWith(`v${runsOn}.`));
    },
  );
}

/** The launcher's child if it started another Node, otherwise the launcher itself. */
function servicePid(launcher: number): number {
  const { stdout } = spawnSync("ps", ["-o", "pid=,args=", "--ppid", String(launcher)], { encoding: "utf8" });
  const child = stdout.split("\n").find((line) => /\bsrc\/main\.ts\b/.test(line));
  return child === undefined ? launcher : Number.parseInt(child, 10);
}
