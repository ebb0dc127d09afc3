// Runs the tests three times in succession while busy loops occupy the processors: four for each of them. Words are passed
// to `test/run.mjs`. Ends with the first run that fails.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const RUNS = 3;
const LOOPS_PER_PROCESSOR = 4;

const loops = Array.from({ length: LOOPS_PER_PROCESSOR * availableParallelism() }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
);
process.on("exit", () => {
  for (const loop of loops) loop.kill("SIGKILL");
});
let running;
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    running?.kill(signal);
    process.exit(1);
  });

const run = fileURLToPath(new URL("../run.mjs", import.meta.url));
for (let number = 1; number <= RUNS; number += 1) {
  process.stdout.write(`\nrun ${number} of ${RUNS} beside ${loops.length} busy loops\n`);
  running = spawn(process.execPath, [run, ...process.argv.slice(2)], { stdio: "inherit" });
  const [code] = await once(running, "exit");
  if (code !== 0) process.exit(1);
}
