import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startCommand, type CommandService } from "../rig/command.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NO_BINARY = "Error: No native build was found for abi=141";
const OWN = {
  "functions/own.mjs": `export default { id: "dfunc_own", title: "Own", timeout_ms: 30_000, run: () => ({ output: {} }),
    cases: [{ name: "any", inputs: {}, expect: { output: {} } }] };`,
};

/** A checkout without functions of its own, whose `isolated-vm` can be made to have no binary for this Node. */
function checkout(t: TestContext) {
  const root = project(t, {});
  for (const name of ["bin", "src", "catalog", "package.json"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  rmSync(join(root, "catalog/functions"), { recursive: true });
  const modules = join(root, "node_modules");
  mkdirSync(modules);
  const link = (name: string) => symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(ROOT, "node_modules"))) if (name !== ".cache") link(name);
  const isolates = join(modules, "isolated-vm");
  return {
    root,
    breakIsolates() {
      rmSync(isolates);
      mkdirSync(isolates);
      writeFileSync(join(isolates, "package.json"), `{"name": "isolated-vm", "main": "main.js"}`);
      writeFileSync(join(isolates, "main.js"), `throw new Error("No native build was found for abi=141");`);
    },
    mendIsolates() {
      rmSync(isolates, { recursive: true });
      link("isolated-vm");
    },
  };
}

async function reasonsOf({ adminUrl }: CommandService): Promise<readonly string[]> {
  const reply = await fetch(`${adminUrl}/ready`);
  const { reasons } = (await reply.json()) as { readonly reasons: readonly string[] };
  assert.equal(reply.status, reasons.length === 0 ? 200 : 503);
  return reasons;
}

test("where no process for functions can be started, the service is not ready, functions fail at once, and a check says why", async (t) => {
  const { root, breakIsolates, mendIsolates } = checkout(t);
  const folder = project(t, OWN);
  const env = { DATARUN_DATA_DIR: join(folder, "data") };
  // Not by the launcher, which would look for another Node.
  const program = [process.execPath, join(root, "src/main.ts")] as const;
  const start = () => startCommand(t, ["--demo", "--project", folder], env, { program, cwd: root });
  const first = await start();
  await until(async () => (await reasonsOf(first)).length === 0);
  process.kill(first.pid, "SIGTERM");
  assert.equal((await first.ended).code, 0);
  breakIsolates();

  const service = await start();

  assert.equal(
    (await reasonsOf(service)).length,
    1,
    "at first because it is not known whether a process can be started",
  );
  await until(async () => (await reasonsOf(service))[0] === `functions: ${NO_BINARY}`);
  const answer = await service.func({ config: { data_func: "dfunc_own" } });
  const { dfunc_own: status } = answer.status as unknown as Record<string, { response_time_ms: number }>;
  assert.ok(status!.response_time_ms < 10_000, "it does not use up its 30 s");
  assert.deepEqual(
    { ...status, response_time_ms: 0 },
    {
      success: false,
      message: "Data function error: the service cannot start a process for functions, so this one was not run",
      response_time_ms: 0,
      failure: { kind: "unavailable", retryable: true, charged: "no" },
    },
  );
  const { stdout } = spawnSync(program[0], [program[1], "check", "--project", folder], { env, encoding: "utf8" });
  assert.match(
    stdout,
    /own\.mjs: it cannot be evaluated: no process for functions can be started: Error: No native build/,
  );

  mendIsolates();
  await until(async () => (await reasonsOf(service)).length === 0);
  const mended = await service.func({ config: { data_func: "dfunc_own" } });
  assert.equal(mended.status["dfunc_own"]?.success, true);
});
