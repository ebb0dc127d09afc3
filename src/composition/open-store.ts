import { BilledCalls } from "../credentials/billed-calls.ts";
import { createCredentialFinder } from "../credentials/find-credential.ts";
import { scopeKeyOf } from "../credentials/inline-scope.ts";
import { proveRootKeys, type KeyStanding } from "../credentials/prove-root-keys.ts";
import { createSealer } from "../credentials/sealer.ts";
import { createStore } from "../storage/store.ts";
import type { Clock } from "../terms/time/clock.ts";
import { openSecretReferences } from "./open-secret-references.ts";
import type { SecretSettings } from "./open-secret-stores.ts";
import { type KeyedEngine, openKeyedEngine, type StoreSettings } from "./open-keyed-engine.ts";

export type OpenedStore = ReturnType<typeof storeOver>;

/** Opens the store and the ports that depend on its keys, the same for a service and a verb. */
export async function openKeyedStore(
  settings: StoreSettings & { readonly secrets?: SecretSettings },
): Promise<OpenedStore> {
  return storeOver(await openKeyedEngine(settings), settings.clock, settings.secrets);
}

/**
 * `proven` resolves with the comparison of the root keys with the stored ones, which a shared database may delay. It
 * rejects if the keys are not those of this store.
 */
export function storeOver({ engine, keys, rootKeys }: KeyedEngine, clock: Clock, secrets?: SecretSettings) {
  const store = createStore(engine, clock);
  const proven: Promise<KeyStanding> = engine.ready().then(() => proveRootKeys(rootKeys, keys));
  // Callers that await it get the error; without one it is not an unhandled rejection.
  proven.catch(() => {});
  const sealer = createSealer({ store: { ...store.credentials, ...keys }, rootKeys, clock });
  const [rootKey] = rootKeys.all();
  const scopeKey = rootKey === undefined ? undefined : scopeKeyOf(rootKey);
  const billedCalls = new BilledCalls({ counts: store.callCounts, clock });
  const finder = createCredentialFinder({
    store: store.credentials,
    sealer,
    billedCalls,
    clock,
    scopeKey,
    ...(secrets !== undefined && { references: openSecretReferences(secrets, clock) }),
  });
  return { store, rootKeys, sealer, finder, billedCalls, proven };
}
