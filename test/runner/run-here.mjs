// Runs the test files named on the command line in this process, one after another, each as a suite of its own: hooks that
// a file registers while it is loaded are of its suite, and its tests begin when it is loaded. The reporter beside it tells
// the runner, on file descriptor 3, how each test ended; this module tells it when a file has ended, and what it took.
import { existsSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "node:test";
import { setImmediate } from "node:timers/promises";
import { shareProcess } from "../rig/process-life.ts";

/** What the kernel counts processor time in, on every processor that Node supports. */
const TICKS_PER_SECOND = 100;
const STAT = "/proc/self/stat";

const endShared = shareProcess();
// Some tests wait for what does not keep a process alive.
const alive = setInterval(() => {}, 2 ** 30);
for (const file of process.argv.slice(2)) {
  const startedAt = performance.now();
  const cpuBefore = cpuSeconds();
  await suite(file, () => import(pathToFileURL(join(process.cwd(), file)).href));
  const seconds = (performance.now() - startedAt) / 1000;
  // The reporter hears of the last tests in one of the next ticks of the event loop.
  for (let tick = 0; tick < 3; tick += 1) await setImmediate();
  writeSync(3, `${JSON.stringify({ event: "end", file, seconds, cpu: cpuSeconds() - cpuBefore })}\n`);
}
await endShared();
clearInterval(alive);

/** Processor time of this process and of the child processes that it has waited for. */
function cpuSeconds() {
  if (!existsSync(STAT)) return 0;
  const fields = readFileSync(STAT, "utf8").split(") ").at(-1).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}
