import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const LIFE_LINE = fileURLToPath(new URL("./life-line.ts", import.meta.url));

test("a process whose own thread never comes back ends with the pipe that it was given", async () => {
  const code = `import { startLifeLine } from ${JSON.stringify(LIFE_LINE)};
    startLifeLine();
    process.stdout.write("spinning");
    setImmediate(() => { for (;;); });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    await once(child.stdout, "data");
    const ended = once(child, "exit");
    child.stdin.end();
    const [, signal] = (await ended) as [number | null, string | null];
    assert.equal(signal, "SIGKILL");
  } finally {
    child.kill("SIGKILL");
  }
});
