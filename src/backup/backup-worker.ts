/** The thread that `backup-thread.ts` starts. */
import { parentPort, workerData } from "node:worker_threads";
import { OperatorError } from "../terms/operator-error.ts";
import { backUp, type BackupRequest } from "./back-up.ts";
import type { FromBackup } from "./backup-thread.ts";

const port = parentPort!;
const post = (message: FromBackup): void => port.postMessage(message);

try {
  const made = await backUp(workerData as BackupRequest, (...progress) => post({ is: "progress", progress }));
  post({ is: "made", made });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  post({ is: "failed", message, code: error instanceof OperatorError ? error.code : null });
}
