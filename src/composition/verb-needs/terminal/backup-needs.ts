import { resolve } from "node:path";
import type { VerbNeeds } from "../../../admin/needs.ts";
import type { Act } from "../../../admin/ports.ts";
import { createStore, openEngine } from "../../../storage/store.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

/** Backups are made and restored in the command's own process, whether or not a service runs on the data directory. */
export function backupNeeds(place: DeploymentRef): Pick<VerbNeeds, "backUpStore" | "restoreStore"> {
  const { dataDir, databaseUrl } = place;
  const store = databaseUrl === undefined ? "embedded" : "postgresql";
  return {
    backUpStore: async ({ dir, ...request }, onProgress) => {
      const { backUp } = await import("../../../backup/back-up.ts");
      return backUp({ ...request, dir: resolve(dir), dataDir, store }, onProgress).catch(unavailable);
    },
    restoreStore: async (folder, act, onProgress) => {
      const { restore } = await import("../../../backup/restore.ts");
      const restored = await restore({ folder: resolve(folder), dataDir, store }, onProgress).catch(unavailable);
      await record(place, act, { backup: resolve(folder), began_at: restored.beganAt, root_key: restored.rootKey });
      return restored;
    },
  };
}

/** Opens the store without root keys: a store that lacks its own would otherwise create a new one. */
async function record(
  { dataDir, databaseUrl, clock, note }: DeploymentRef,
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
