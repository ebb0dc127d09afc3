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
}

export type OpenedStore = Awaited<ReturnType<typeof openKeyedStore>>;

/** The store with what rests on its keys: the same for a service and for an operator's verb. */
export async function openKeyedStore(settings: StoreSettings) {
  const { clock, databaseUrl } = settings;
  const dataDir = resolve(settings.dataDir);
  const store: Store = await openStore({ dataDir, databaseUrl, clock });
  try {
    const keyStore = { ...store.credentials, ...store.keys };
    const directory = databaseUrl === undefined ? dataDir : null;
    const rootKeys = await openRootKeys({ variable: settings.rootKey, directory, store: store.keys });
    const sealer = createSealer({ store: keyStore, rootKeys, clock });
    const finder = createCredentialFinder({ store: store.credentials, sealer, clock });
    return { store, rootKeys, sealer, finder };
  } catch (error) {
    await store.close();
    throw error;
  }
}
