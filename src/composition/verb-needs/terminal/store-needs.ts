import type { VerbNeeds } from "../../../admin/needs.ts";
import type { OpenedStore } from "../../open-store.ts";
import { createAdminStore } from "../../../storage/admin-store.ts";
import { reportUnavailable } from "../../../storage/report-unavailable.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

/** The store, and the cipher of its credentials. */
export function storeNeeds({
  engine,
  store: open,
  dataDir,
  databaseUrl,
  rootKey,
  region,
  clock,
  note,
}: DeploymentRef): Pick<VerbNeeds, "store" | "sealer" | "keys" | "finder" | "copyStore" | "region"> {
  /** Proves that the keys are the deployment's, before anything sealed is opened or moved. */
  const proven = async (adoptRootKey = false) => {
    const opened = await open(adoptRootKey);
    const standing = await inTime(opened).catch(unavailable);
    return { ...opened, standing };
  };
  return {
    store: async () => {
      const opened = await engine();
      return reportUnavailable(opened.engine, clock, createAdminStore(opened.engine));
    },
    sealer: async () => {
      const { sealer, standing } = await proven();
      if (!standing.settled) throw new OperatorError("refused", UNSETTLED);
      return sealer;
    },
    keys: async ({ adopt = false, unproven = false } = {}) => {
      const { store, rootKeys, sealer } = await (unproven ? open(adopt) : proven(adopt));
      return { store: { ...store.credentials, ...store.keys }, rootKeys, sealer };
    },
    finder: async () => (await proven()).finder,
    region: () => region,
    copyStore: async (act, onProgress) => {
      const { copyStore } = await import("./copy-store.ts");
      return copyStore({ dataDir, databaseUrl, rootKey, clock, act, note, onProgress }).catch(unavailable);
    },
  };
}

/** A root key that happens to be set in a shell must not become the deployment's by being used first. */
const UNSETTLED =
  "Nothing is sealed in this store yet, and no service has started on it, so DATARUN_ROOT_KEY of this shell may not be the root key of the deployment. Start the service first, or confirm it with: datarun keys adopt";

/** Waits for a shared database as the store's own ports do, and fails with the same messages. */
async function inTime({ store, proven }: OpenedStore) {
  await store.keys.rootKeyIdsInUse();
  return proven;
}
