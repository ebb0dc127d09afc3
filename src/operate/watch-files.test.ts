import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

// Needs its own process: once no file can be opened, no test could run.
const EXHAUSTED = `
  import { openSync, closeSync } from "node:fs";
  import { watchFiles } from ${JSON.stringify(new URL("watch-files.ts", import.meta.url).href)};
  const turns = [];
  const clock = { after: (_, act) => (turns.push(act), () => {}) };
  const look = () => new Promise((resolve) => {
    const before = turns.length;
    turns.at(-1)();
    const wait = () => (turns.length > before ? resolve() : setTimeout(wait, 1));
    wait();
  });
  let told = 0;
  watchFiles(() => (told += 1), clock);
  const seen = [];
  await look();
  seen.push(told);
  const open = [];
  const openAll = () => { try { for (;;) open.push(openSync("/dev/null")); } catch {} };
  openAll();
  // The one that was opened to look is closed a moment later.
  await new Promise((resolve) => setTimeout(resolve, 50));
  openAll();
  await look();
  await look();
  seen.push(told);
  open.forEach((descriptor) => closeSync(descriptor));
  await look();
  seen.push(told);
  console.log(JSON.stringify(seen));
`;

test("a lack of file descriptors is reported for as long as it lasts, and not before or after", () => {
  const { stdout, stderr } = spawnSync(
    "/bin/sh",
    ["-c", `ulimit -n 64; exec "$0" --input-type=module -e "$1"`, process.execPath, EXHAUSTED],
    { encoding: "utf8" },
  );
  assert.deepEqual(stderr, "");
  assert.deepEqual(JSON.parse(stdout), [0, 2, 2]);
});
