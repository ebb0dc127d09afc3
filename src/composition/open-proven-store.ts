import { proveRootKeys, type KeyStanding } from "../credentials/prove-root-keys.ts";
import type { RootKeyRing } from "../credentials/root-key-ring.ts";
import { proofOf } from "../credentials/seal.ts";
import type { RunObserver } from "../run/ports.ts";
import type { Log } from "../operate/log.ts";
import type { Settings } from "../settings/settings.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/time/clock.ts";
import { settledWithin } from "../terms/time/within.ts";
import { openKeyedStore, type OpenedStore } from "./open-store.ts";
import { unwrapRootKeys } from "./unwrap-root-keys.ts";

export interface StoreParts {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** See `StartOptions`. */
  readonly forCommand?: boolean;
}

export interface ProvenStore extends AsyncDisposable {
  readonly store: Store;
  readonly rootKeys: RootKeyRing;
  readonly sealer: OpenedStore["sealer"];
  readonly finder: OpenedStore["finder"];
  /** Resolves when the root keys have been compared with the stored ones, and the sealing key is chosen. */
  readonly settled: Promise<void>;
  readonly billedCalls: RunObserver;
  /** Rejects if the root key does not belong to the store. */
  readonly failed: Promise<never>;
  unreadableDataKeys(): number;
}

/**
 * How long a start waits for a database before it listens without it. Until the database answers, runs are refused and
 * `/status` works.
 */
export const STORE_WAIT_MS = 3_000;
/** How long closing waits for a database to count the last billed calls. */
const CALLS_WAIT_MS = 1_000;

/**
 * Opens a service's store, and compares its root keys with the stored ones as soon as possible. @throws RootKeyError
 */
export async function openProvenStore(parts: StoreParts): Promise<ProvenStore> {
  const { settings, dataDir, clock, log, forCommand = false } = parts;
  await using opened = new AsyncDisposableStack();
  const keyed = await openKeyedStore({
    dataDir,
    databaseUrl: settings.databaseUrl,
    rootKey: await unwrapRootKeys(settings, clock),
    ...(settings.rootKeyKms === undefined && { rereadRootKey: () => settings.rootKey }),
    ...(settings.databaseUrl !== undefined && { rereadDatabaseUrl: () => settings.databaseUrl }),
    secrets: settings,
    clock,
    opening: forCommand ? "look" : "upgrade",
    tell: ({ event, says }) => log.warn({ event }, says),
  });
  const { store, rootKeys, sealer, finder, billedCalls } = keyed;
  opened.defer(() => store.close());
  opened.defer(async () => void (await settledWithin(clock, CALLS_WAIT_MS, billedCalls.close())));
  let unreadable = 0;
  const settled = keyed.proven.then(async (standing) => {
    unreadable = standing.unreadable;
    if (!forCommand) await settleRootKey(keyed, standing, clock, log);
  });
  const failed = new Promise<never>((_, reject) => void settled.catch(reject));
  failed.catch(() => {});
  if (await settledWithin(clock, STORE_WAIT_MS, settled)) await settled;
  const kept = opened.move();
  return {
    store,
    rootKeys,
    sealer,
    finder,
    settled,
    billedCalls,
    failed,
    unreadableDataKeys: () => unreadable,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Acts on the comparison of the root keys with the store. The first service on a store registers the root key that
 * seals everything. Data keys that cannot be opened are logged, and do not stop the start.
 * @throws RootKeyError if another service has just registered a different root key
 */
async function settleRootKey(
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
