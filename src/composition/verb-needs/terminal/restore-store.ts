import { resolve } from "node:path";
import type { Act, RestoredStore } from "../../../admin/ports.ts";
import { restoreBackup } from "../../../backup/restore-backup.ts";
import { createStore, openEngine } from "../../../storage/store.ts";
import type { OnProgress } from "../../../terms/on-progress.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

/** Restores a backup in the command's own process, and records that in the restored store. @throws OperatorError */
export async function restoreStore(
  deployment: DeploymentRef,
  folder: string,
  act: Act,
  onProgress: OnProgress,
): Promise<RestoredStore> {
  const { dataDir, databaseUrl } = deployment.settings;
  const store = databaseUrl === undefined ? "embedded" : "postgresql";
  const restored = await restoreBackup({ folder: resolve(folder), dataDir, store }, onProgress).catch(unavailable);
  await record(deployment, act, { backup: resolve(folder), began_at: restored.beganAt, root_key: restored.rootKey });
  return restored;
}

/** Opens the store without root keys: a store that lacks its own would otherwise create a new one. */
async function record(
  { settings: { dataDir, databaseUrl }, clock, note }: DeploymentRef,
  act: Act,
  detail: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const store = createStore(await openEngine({ dataDir, databaseUrl, clock, opening: "look" }), clock);
    try {
      await store.admin.recordAct(act, { organizationId: null, subjectId: "store", detail });
    } finally {
      await store.close();
    }
  } catch (error) {
    // A store of an older version is restored too, but cannot record the entry.
    if (!(error instanceof OperatorError)) throw error;
    note(`The backup is restored, but this could not be recorded in the audit trail: ${error.message}`);
  }
}
