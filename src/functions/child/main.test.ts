import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { FromChild, ToChild } from "../pool/messages.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

test("a process for functions keeps its compiled code for the next one, although it is always killed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-compiled-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const child = fork(MAIN, [], {
    env: { NODE_COMPILE_CACHE: folder },
    execArgv: ["--no-node-snapshot"],
    serialization: "advanced",
    stdio: ["pipe", "ignore", "inherit", "ipc"],
  });
  t.after(() => child.kill("SIGKILL"));
  const answerTo = async (message: ToChild) => {
    child.send(message);
    return (await once(child, "message"))[0] as FromChild;
  };
  assert.deepEqual(await answerTo({ type: "prelude", code: "" }), { type: "ready" });
  assert.deepEqual(await answerTo({ type: "end", id: 1 }), { type: "ended", id: 1, stuck: false });
  // As the service ends it: the process has no part in it.
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.ok(readdirSync(folder, { recursive: true }).length > 10);
});
