import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runVerbSync } from "../rig/verb-thread.ts";
import type { Printed } from "../rig/verb-worker.ts";

export const LAUNCHER = fileURLToPath(new URL("../../bin/datarun.mjs", import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** Runs one command as an operator does, in a process of its own, and waits for its end. */
export function command(env: Environment, ...args: string[]): Printed {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

/** The result of a verb that must succeed, run in a thread of this process: most tests only set up with it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the command says what its result is
export function verb<Result = Record<string, string>>(env: Environment, ...args: string[]): Result {
  const ended = runVerbSync({ PATH: process.env["PATH"], ...env }, [...args, "--json"]);
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout) as Result;
}
