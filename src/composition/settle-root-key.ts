import { proveRootKeys, type KeyStanding } from "../credentials/prove-root-keys.ts";
import { proofOf } from "../credentials/seal.ts";
import type { OpenedStore } from "./open-store.ts";
import type { Log } from "../operate/log.ts";
import type { Clock } from "../terms/clock.ts";

/**
 * What a start makes of how its root keys stand to the store. The first service on a store says by which root key all will
 * be sealed, and what cannot be opened is told and stops nothing.
 * @throws RootKeyError when another service has just said otherwise
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
