import { join, resolve } from "node:path";
import type { KeyStore } from "../credentials/ports.ts";
import { configuredRootKeys, readRootKeys, type RootKeyRing } from "../credentials/root-key-ring.ts";
import { usedJournal } from "../ledger/journal/used-journal.ts";
import { createKeyStore } from "../storage/credential-store.ts";
import type { Engine, Opening, StoreNews } from "../storage/engine.ts";
import { openEngine } from "../storage/open-engine.ts";
import { reportUnavailable } from "../storage/report-unavailable.ts";
import type { Clock } from "../terms/time/clock.ts";

export interface StoreSettings {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The value of `DATARUN_ROOT_KEY`, or the content of its file. */
  readonly rootKey: string | undefined;
  /** Read these values again, if they can change while the process runs. */
  readonly rereadRootKey?: () => string | undefined;
  readonly rereadDatabaseUrl?: () => string | undefined;
  readonly clock: Clock;
  /** See `RootKeyOptions`. */
  readonly adoptRootKey?: boolean;
  readonly opening?: Opening;
  readonly tell?: (news: StoreNews) => void;
}

/** The engine of a deployment's store, and its root keys before they are compared with the stored ones. */
export interface KeyedEngine {
  readonly engine: Engine;
  readonly keys: KeyStore;
  readonly rootKeys: RootKeyRing;
}

/**
 * Opens the parts of a store that every command and service needs. Reads the root keys first, because a process that
 * lacks them must not create a store. Loads only the port of the keys, so that a command loads no more than it uses.
 */
export async function openKeyedEngine(settings: StoreSettings): Promise<KeyedEngine> {
  const { clock, databaseUrl, opening, tell } = settings;
  const dataDir = resolve(settings.dataDir);
  configuredRootKeys(settings.rootKey, databaseUrl !== undefined);
  const engine = await openEngine({
    dataDir,
    databaseUrl,
    rereadDatabaseUrl: settings.rereadDatabaseUrl,
    clock,
    usedJournal: usedJournal(join(dataDir, "ledger")),
    ...(opening !== undefined && { opening }),
    ...(tell !== undefined && { onNews: tell }),
  });
  try {
    const keys = reportUnavailable(engine, clock, createKeyStore(engine, clock));
    const rootKeys = await readRootKeys({
      variable: settings.rootKey,
      reread: settings.rereadRootKey,
      directory: databaseUrl === undefined ? dataDir : null,
      store: keys,
      adopt: settings.adoptRootKey ?? false,
    });
    return { engine, keys, rootKeys };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
