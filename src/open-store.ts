import { resolve } from "node:path";
import { createCredentialFinder } from "./credentials/find-credential.ts";
import { openRootKeys } from "./credentials/root-key-ring.ts";
import { createSealer } from "./credentials/sealer.ts";
import { openStore, type Store } from "./storage/store.ts";
import type { Clock } from "./terms/clock.ts";

export interface StoreSettings {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The value of `DATARUN_ROOT_KEY`. */
  readonly rootKey: string | undefined;
  readonly clock: Clock;
  /** See `RootKeyOptions`. */
  readonly adoptRootKey?: boolean;
}

export type OpenedStore = Awaited<ReturnType<typeof openKeyedStore>>;

/**
 * The store with what rests on its keys: the same for a service and for an operator's verb. A shared database may be
 * away; the root keys are then read now, and `proven` settles when they have been held against what is stored.
 */
export async function openKeyedStore(settings: StoreSettings) {
  const { clock, databaseUrl } = settings;
  const dataDir = resolve(settings.dataDir);
  const store: Store = await openStore({ dataDir, databaseUrl, clock });
  try {
    const variable = settings.rootKey;
    const adopt = settings.adoptRootKey ?? false;
    const shared = databaseUrl !== undefined;
    const open = (rows: Store["keys"]) =>
      openRootKeys({ variable, directory: shared ? null : dataDir, store: rows, adopt });
    const rootKeys = await open(shared ? nothingStored(store.keys) : store.keys);
    const proven: Promise<unknown> = shared ? store.ready().then(() => open(store.keys)) : Promise.resolve();
    // Whoever waits for it hears of it; nobody has to.
    proven.catch(() => {});
    const sealer = createSealer({ store: { ...store.credentials, ...store.keys }, rootKeys, clock });
    const finder = createCredentialFinder({ store: store.credentials, sealer, clock });
    return { store, rootKeys, sealer, finder, proven };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Stands in for a database that may be away while the keys are only read. */
function nothingStored(keys: Store["keys"]): Store["keys"] {
  return { ...keys, rootKeyIdsInUse: async () => [], dataKeysAfter: async () => [] };
}
