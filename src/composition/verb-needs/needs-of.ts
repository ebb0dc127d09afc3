import { resolve } from "node:path";
import type { VerbNeeds } from "../../admin/needs.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import type { NeedParts } from "./need-parts.ts";

/** The needs that only the terminal of a command provides, because they read or write files on its machine. */
export type TerminalNeed =
  | "projectFolder"
  | "writeTypes"
  | "lockCatalogs"
  | "terminal"
  | "copyStore"
  | "restoreStore"
  | "drainLedger";

/**
 * The needs of one verb, in a service and in a terminal. Code that most verbs do not use is imported by the need that
 * uses it, because a command loads no more than its verb takes.
 */
export function needsOf(parts: NeedParts): Omit<VerbNeeds, TerminalNeed> {
  const { settings, note, keyedStore, ledgers } = parts;
  const isEmbedded = settings.databaseUrl === undefined;
  /** Proves that the keys are the deployment's, before anything sealed is opened or moved. */
  const proven = async (adoptRootKey = false) => {
    const keyed = await keyedStore(adoptRootKey);
    // Fails with the store's own reason if the database is unavailable.
    await keyed.store.keys.rootKeyIdsInUse();
    return { ...keyed, isSettled: await keyed.isSettled() };
  };
  return {
    store: () => parts.adminStore(),
    sealer: async () => {
      const { sealer, isSettled } = await proven();
      if (!isSettled) throw new OperatorError("refused", UNSETTLED);
      return sealer;
    },
    finder: async () => (await proven()).finder,
    keys: async ({ adopt = false, unproven = false } = {}) => {
      const { store, rootKeys, sealer } = await (unproven ? keyedStore(adopt) : proven(adopt));
      return { store: { ...store.credentials, ...store.keys }, rootKeys, sealer };
    },
    region: () => settings.region,
    replyBytesMax: () => settings.limits.expert.replyDecodedBytes,
    ledger: async () => {
      if (isEmbedded) return ledgers.journal();
      const waiting = await ledgers.undrainedRuns();
      if (waiting > 0) note(undrainedText(waiting));
      return ledgers.shared();
    },
    ledgersHere: async () => [
      ...(isEmbedded ? [] : [{ place: "shared", open: ledgers.shared } as const]),
      ...(isEmbedded || ledgers.hasJournal() ? [{ place: "journal", open: ledgers.journal } as const] : []),
    ],
    backUpStore: async (order, onProgress) => {
      const store = isEmbedded ? "embedded" : "postgresql";
      return parts.backUp({ ...order, dataDir: resolve(settings.dataDir), store }, onProgress);
    },
    sources: async ({ quiet } = { quiet: false }) => {
      const { toSourceListing } = await import("../../project/list-sources.ts");
      const { loaded, isOn, projectHint } = await parts.sources();
      if (!quiet) for (const { message } of loaded.problems) note(`A file cannot be used: ${message}`);
      return { ...toSourceListing(loaded, isOn, note), projectHint };
    },
    functions: () => parts.functions(),
    storedVersions: () => parts.storedVersions(),
    authoring: async () => (await import("./authoring-tools.ts")).openAuthoringTools(parts),
    service: () => parts.runService(),
    serviceState: () => parts.state(),
  };
}

/** A root key that happens to be set in a shell must not become the deployment's by being used first. */
const UNSETTLED =
  "Nothing is sealed in this store yet, and no service has started on it, so DATARUN_ROOT_KEY of this shell may not be the root key of the deployment. Start the service first, or confirm it with: datarun keys adopt";

/** Tells readers of the shared ledger that it lacks runs which are still in this machine's journal. */
function undrainedText(runs: number): string {
  const which = runs === 1 ? "1 run of this machine has" : `${runs} runs of this machine have`;
  return `${which} not reached the shared database yet and cannot be seen here.`;
}
