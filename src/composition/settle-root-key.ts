import { proveRootKeys, type KeyStanding } from "../credentials/prove-root-keys.ts";
import { proofOf } from "../credentials/seal.ts";
import type { OpenedStore } from "./open-store.ts";
import type { Log } from "../operate/log.ts";
import type { Clock } from "../terms/time/clock.ts";

/**
 * Acts on the comparison of the root keys with the store. The first service on a store registers the root key that
 * seals everything. Data keys that cannot be opened are logged, and do not stop the start.
 * @throws RootKeyError if another service has just registered a different root key
 */
export async function settleRootKey(
  { store, rootKeys }: OpenedStore,
  standing: KeyStanding,
  clock: Clock,
  log: Log,
): Promise<void> {
  if (standing.unreadable > 0) {
    log.error(
      { event: "data_keys_unreadable", data_keys: standing.unreadable, root_keys_lacking: standing.lacking },
      "some stored credentials cannot be used: datarun keys verify names them",
    );
  }
  if (standing.settled) return;
  const rootKey = rootKeys.current();
  const act = { who: "service", via: "service", what: "start", wallAt: clock.wall() } as const;
  const isFirst = await store.admin.registerRootKey(act, { id: rootKey.id, proof: proofOf(rootKey) }, false);
  if (isFirst)
    log.info({ event: "root_key_registered", root_key: rootKey.id }, "everything will be sealed by this root key");
  else await proveRootKeys(rootKeys, store.keys);
}
