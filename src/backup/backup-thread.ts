import { Worker } from "node:worker_threads";
import type { BackedUp } from "../admin/ports.ts";
import { compiledCode } from "../terms/platform/compiled-code.ts";
import { moduleBeside } from "../terms/platform/module-beside.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import { OperatorError, type OperatorErrorCode } from "../terms/operator-error.ts";
import type { BackupRequest } from "./back-up.ts";

export type FromBackup =
  | { readonly is: "progress"; readonly progress: Parameters<OnProgress> }
  | { readonly is: "made"; readonly made: BackedUp }
  /** An error in a form that threads can exchange; `code` is that of an `OperatorError`. */
  | { readonly is: "failed"; readonly message: string; readonly code: OperatorErrorCode | null };

/** Makes a backup in a separate thread, because it waits for disks and locks. @throws OperatorError */
export function backUpInThread(request: BackupRequest, onProgress: OnProgress): Promise<BackedUp> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(moduleBeside("./backup-worker.ts", import.meta.url), {
      name: "backup",
      workerData: request,
      env: compiledCode(),
    });
    worker.on("message", (message: FromBackup) => {
      if (message.is === "progress") onProgress(...message.progress);
      else if (message.is === "made") resolve(message.made);
      else
        reject(message.code === null ? new Error(message.message) : new OperatorError(message.code, message.message));
    });
    worker.on("error", reject);
    worker.on("exit", () => reject(new OperatorError("unavailable", "The backup thread ended unexpectedly.")));
  });
}
