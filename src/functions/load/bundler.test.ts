import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleFunction } from "./bundle.ts";
import { bundle, bundlerPid } from "./bundler.ts";
import { LoadError } from "../../terms/load-error.ts";

const DOUBLED = Array.from({ length: 40 }, (_, at) => `a${at + 1} = a${at} + a${at}`).join(", ");

/** Inputs that crash the bundler, or would fill the memory of the machine. */
const BOMBS = [
  [
    "code nested a million deep",
    `export default ${"(".repeat(1e6)}`,
    /it cannot be bundled: (it makes the bundler exit; is its code nested very deeply\?|it takes too much memory)/,
  ],
  [
    "a text that doubles forty times",
    `enum E { a0 = "${"x".repeat(16)}", ${DOUBLED} }\nexport default E;`,
    /it cannot be bundled: it takes too much memory/,
  ],
] as const;

test("a bundle, and so the version of a function, does not depend on where the service is installed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "datarun-bundler-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "function.ts");
  await writeFile(file, 'import { defineFunction } from "datarun";\nexport default defineFunction({ id: 1 });');
  const { code } = await bundleFunction(file, folder, []);
  assert.match(code, /a schema made with Type/);
  assert.ok(!code.includes(import.meta.dirname.replace(/src.*/, "")), code);
});

test("a file that ends the bundler fails alone: those beside it and after it are bundled", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "datarun-bundler-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const innocent = join(folder, "innocent.ts");
  await writeFile(innocent, "export default { id: 1 };");
  for (const [name, text, says] of BOMBS) {
    const skip = name.includes("doubles") && !existsSync("/proc/self/status") && "there is no /proc to look into";
    await t.test(name, { skip }, async () => {
      const file = join(folder, "bomb.ts");
      await writeFile(file, text);
      const [before, bomb, beside] = await Promise.allSettled(
        [innocent, file, innocent].map((each) => bundleFunction(each, folder, [])),
      );
      assert.deepEqual([before!.status, bomb!.status, beside!.status], ["fulfilled", "rejected", "fulfilled"]);
      const { reason } = bomb as PromiseRejectedResult;
      assert.ok(reason instanceof LoadError, String(reason));
      assert.equal(reason.file, file);
      assert.match(reason.reason, says);
      assert.match((await bundleFunction(innocent, folder, [])).code, /id: 1/);
    });
  }
});

test(
  "a build may wait for its turn on a busy machine, but not use the processor for ever",
  { skip: !existsSync("/proc/self/stat") },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "datarun-bundler-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "long.js");
    await writeFile(file, `x = [${"[1, 'a', () => 2], ".repeat(300_000)}];`);
    const build = (cpuMs: number) =>
      bundle({ entryPoints: [file], logLevel: "silent" }, { cpuMs, withinMs: 60_000, memoryBytes: 2 ** 30 });
    await assert.rejects(build(200), { name: "BundlerEnded", message: "it takes too much processor time" });

    // A bundler that gets no processor time uses none, however long it waits.
    await writeFile(file, "x = 1;");
    await build(200);
    process.kill(bundlerPid()!, "SIGSTOP");
    const waits = build(200);
    await sleep(500);
    process.kill(bundlerPid()!, "SIGCONT");
    assert.match(await waits, /x = 1/);
  },
);

test("the bundler has nothing of the service's environment", { skip: !existsSync("/proc/self/environ") }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "datarun-bundler-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "a.ts"), "export default {};");
  await bundleFunction(join(folder, "a.ts"), folder, []);
  assert.notEqual(bundlerPid(), undefined);
  assert.equal(readFileSync(`/proc/${bundlerPid()}/environ`, "utf8"), "");
  assert.notEqual(process.env["PATH"], undefined);
});

test("the bundler's process goes when nothing has been bundled for a while, and comes again", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "datarun-bundler-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "a.ts"), "export default {};");
  await bundleFunction(join(folder, "a.ts"), folder, []);
  const first = bundlerPid()!;
  while (bundlerPid() !== undefined || isRunning(first)) await sleep(100);

  await bundleFunction(join(folder, "a.ts"), folder, []);
  assert.notEqual(bundlerPid(), first);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
