import { join, resolve } from "node:path";
import { BilledCalls } from "../credentials/billed-calls.ts";
import { createCredentialFinder } from "../credentials/find-credential.ts";
import { scopeKeyOf } from "../credentials/inline-scope.ts";
import { proveRootKeys, type KeyStanding } from "../credentials/prove-root-keys.ts";
import { givenRootKeys, readRootKeys } from "../credentials/root-key-ring.ts";
import { createSealer } from "../credentials/sealer.ts";
import { usedJournal } from "../ledger/journal/used-journal.ts";
import { openStore, type Opening, type Store, type StoreNews } from "../storage/store.ts";
import type { Clock } from "../terms/clock.ts";

export interface StoreSettings {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The setting: the value of `DATARUN_ROOT_KEY`, or of its file. */
  readonly rootKey: string | undefined;
  readonly clock: Clock;
  /** See `RootKeyOptions`. */
  readonly adoptRootKey?: boolean;
  readonly opening?: Opening;
  readonly tell?: (news: StoreNews) => void;
}

export type OpenedStore = Awaited<ReturnType<typeof openKeyedStore>>;

/**
 * Opens the store and what depends on its keys, in the same way for a service and for an operator's verb. The root keys
 * are read now, before the store, which is not made for a process that lacks them. `proven` resolves with the result of
 * comparing them with the stored ones, which a shared database may delay, and rejects if they are not those of this store.
 */
export async function openKeyedStore(settings: StoreSettings) {
  const { clock, databaseUrl, opening, tell } = settings;
  const dataDir = resolve(settings.dataDir);
  givenRootKeys(settings.rootKey, databaseUrl !== undefined);
  const store: Store = await openStore({
    dataDir,
    databaseUrl,
    clock,
    usedJournal: usedJournal(join(dataDir, "ledger")),
    ...(opening !== undefined && { opening }),
    ...(tell !== undefined && { tell }),
  });
  try {
    const rootKeys = await readRootKeys({
      variable: settings.rootKey,
      directory: databaseUrl === undefined ? dataDir : null,
      store: store.keys,
      adopt: settings.adoptRootKey ?? false,
    });
    const proven: Promise<KeyStanding> = store.ready().then(() => proveRootKeys(rootKeys, store.keys));
    // Callers that wait for it get the error; it is not an error if nobody waits.
    proven.catch(() => {});
    const sealer = createSealer({ store: { ...store.credentials, ...store.keys }, rootKeys, clock });
    const [rootKey] = rootKeys.all();
    const scopeKey = rootKey === undefined ? undefined : scopeKeyOf(rootKey);
    const billedCalls = new BilledCalls({ counts: store.callCounts, clock });
    const finder = createCredentialFinder({ store: store.credentials, sealer, billedCalls, clock, scopeKey });
    return { store, rootKeys, sealer, finder, billedCalls, proven };
  } catch (error) {
    await store.close();
    throw error;
  }
}
