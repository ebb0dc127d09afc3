/** The thread started by `parquet-thread.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { createParquetEncoder } from "./parquet-encoder.ts";
import type { ParquetReply, ParquetRequest } from "./parquet-thread.ts";
import type { Column } from "./row-file.ts";

const port = parentPort!;
const encoder = createParquetEncoder(workerData as readonly Column[]);

port.on("message", (request: ParquetRequest) => {
  try {
    const bytes = request === null ? encoder.end() : encoder.add(request);
    port.postMessage({ bytes } satisfies ParquetReply, [bytes.buffer]);
  } catch (error) {
    port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies ParquetReply);
  }
});
