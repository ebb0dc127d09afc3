import { Worker } from "node:worker_threads";
import { compiledCode } from "../terms/platform/compiled-code.ts";
import { moduleBeside } from "../terms/platform/module-beside.ts";
import type { ParquetRow } from "./parquet-encoder.ts";
import type { Column } from "./row-file.ts";

/** Encodes Parquet in a thread of its own: a row group takes some hundred milliseconds, which would delay every run. */
export interface ParquetThread {
  /** Resolves with the bytes that are ready, which may be none. Call it again only then. */
  add(rows: readonly ParquetRow[]): Promise<Uint8Array>;
  /** The last bytes. */
  end(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** `null` ends the file. */
export type ParquetRequest = readonly ParquetRow[] | null;
export type ParquetReply = { readonly bytes: Uint8Array } | { readonly failed: string };

/**
 * Encoding makes much garbage and keeps one row group. Without a limit, V8 lets the garbage of the thread grow to 200 MiB
 * before it collects it.
 */
const YOUNG_MB = 8;

export function openParquetThread(columns: readonly Column[]): ParquetThread {
  const worker = new Worker(moduleBeside("./parquet-worker.ts", import.meta.url), {
    name: "parquet",
    workerData: columns,
    env: compiledCode(),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const ask = (request: ParquetRequest): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const onEnd = (): void => reject(new Error("the thread that encodes Parquet has ended"));
      worker.once("message", (reply: ParquetReply) => {
        worker.removeListener("error", reject).removeListener("exit", onEnd);
        if ("bytes" in reply) resolve(reply.bytes);
        else reject(new Error(reply.failed));
      });
      worker.once("error", reject).once("exit", onEnd);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(request);
    });
  return {
    add: ask,
    end: () => ask(null),
    async close() {
      await worker.terminate();
    },
  };
}
