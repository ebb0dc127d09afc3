import { Worker } from "node:worker_threads";

/**
 * Standard input is a pipe whose other end only the service holds. A separate thread blocks in a read of it, which the
 * kernel ends when the service is gone, however it died; then the thread kills the process. This needs neither the main
 * thread, which may be busy, nor the threads of the isolates, which may be in an endless loop.
 */
const WATCH = `
const { readSync } = require("node:fs");
const byte = Buffer.alloc(1);
for (;;) {
  try {
    if (readSync(0, byte) === 0) break;
  } catch (error) {
    if (error.code !== "EAGAIN" && error.code !== "EINTR") break;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}
process.kill(process.pid, "SIGKILL");
`;
const MEMORY = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

/** From now on, this process ends with the one that started it. */
export function holdLifeLine(): void {
  new Worker(WATCH, { eval: true, execArgv: [], resourceLimits: MEMORY }).unref();
}
