import { join, resolve } from "node:path";
import type { KeyStore } from "../credentials/ports.ts";
import { givenRootKeys, readRootKeys, type RootKeyRing } from "../credentials/root-key-ring.ts";
import { usedJournal } from "../ledger/journal/used-journal.ts";
import { createKeyStore } from "../storage/credential-store.ts";
import type { Engine, Opening, StoreNews } from "../storage/engine.ts";
import { openEngine } from "../storage/open-engine.ts";
import { reportUnavailable } from "../storage/report-unavailable.ts";
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

/** The engine of a deployment's store, and its root keys, which have not been compared with the stored ones yet. */
export interface KeyedEngine {
  readonly engine: Engine;
  readonly keys: KeyStore;
  readonly rootKeys: RootKeyRing;
}

/**
 * Opens what every command and every service needs of a store. The root keys are read first, because a store is not made
 * for a process that lacks them. It loads no port but that of the keys, so that a command loads only what it uses.
 */
export async function openKeyedEngine(settings: StoreSettings): Promise<KeyedEngine> {
  const { clock, databaseUrl, opening, tell } = settings;
  const dataDir = resolve(settings.dataDir);
  givenRootKeys(settings.rootKey, databaseUrl !== undefined);
  const engine = await openEngine({
    dataDir,
    databaseUrl,
    clock,
    usedJournal: usedJournal(join(dataDir, "ledger")),
    ...(opening !== undefined && { opening }),
    ...(tell !== undefined && { tell }),
  });
  try {
    const keys = reportUnavailable(engine, clock, createKeyStore(engine, clock));
    const rootKeys = await readRootKeys({
      variable: settings.rootKey,
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
