import { Worker } from "node:worker_threads";

/**
 * Standard input is a pipe whose other end only the service has. A separate thread blocks in a read of this pipe. When
 * the service is gone, however it ended, the kernel ends the read and the thread kills the process. This works while
 * the main thread is busy and while the isolates' threads are in endless loops.
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

/** Makes this process end when its parent process ends. */
export function startLifeLine(): void {
  new Worker(WATCH, { eval: true, execArgv: [], resourceLimits: MEMORY }).unref();
}
