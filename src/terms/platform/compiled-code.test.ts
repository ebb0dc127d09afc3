import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { compiledCode } from "./compiled-code.ts";

test("a thread takes compiled code from where its process does", async () => {
  enableCompileCache();
  const code = 'require("node:worker_threads").parentPort.postMessage(require("node:module").getCompileCacheDir())';

  const thread = new Worker(code, { eval: true, env: compiledCode() });

  assert.deepEqual(await once(thread, "message"), [getCompileCacheDir()]);
});

test("every thread of the service that loads modules gets the location of compiled code", () => {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const files = globSync("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts", "**/*.kit.ts"] });

  const threads = files
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))
    .filter(({ text }) => /new Worker\((?!\w+, \{ eval)/.test(text));

  assert.ok(threads.length >= 3);
  assert.deepEqual(
    threads.filter(({ text }) => !text.includes("compiledCode()")).map(({ file }) => file),
    [],
  );
});
