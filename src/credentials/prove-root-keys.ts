import type { KeyStore, WrappedKey } from "./ports.ts";
import { noRootKey, RootKeyError } from "./root-key.ts";
import type { RootKeyRing } from "./root-key-ring.ts";
import { isProvenBy, type NamedKey, unwrapDataKey } from "./seal.ts";
import { eachRow } from "./sealed-rows.ts";
import { VARIABLES } from "../terms/variables.ts";

/** How well the root keys of this process match the stored data keys. */
export interface KeyStanding {
  readonly dataKeys: number;
  /** Data keys that this process cannot open. Calls fail only if they need a credential sealed with one of them. */
  readonly unreadable: number;
  /** Root keys that wrap data keys but cannot open them: they were not given, or another key has the same id. */
  readonly lacking: readonly string[];
  /**
   * Whether there is evidence that the sealing root key belongs to this deployment: it opens stored keys, comes from
   * key files, or was registered. There is no evidence if the key is given from outside and nothing is sealed yet.
   */
  readonly settled: boolean;
}

const BATCH_SIZE = 500;

/**
 * Verifies the root keys by opening all stored data keys, because an id alone proves little. Data keys that cannot be
 * opened are reported.
 * @throws RootKeyError if there are data keys and none can be opened: the root key is wrong
 */
export async function proveRootKeys(ring: RootKeyRing, store: KeyStore): Promise<KeyStanding> {
  const given = new Map<string, NamedKey | undefined>();
  const proven = new Set<string>();
  let dataKeys = 0;
  let unreadable = 0;
  for await (const row of eachRow((after, limit) => store.dataKeysAfter(after, limit), BATCH_SIZE)) {
    dataKeys += 1;
    if (!given.has(row.rootKeyId)) given.set(row.rootKeyId, ring.find(row.rootKeyId));
    if (unwraps(given.get(row.rootKeyId), row)) proven.add(row.rootKeyId);
    else unreadable += 1;
  }
  const lacking = [...given.keys()].filter((id) => !proven.has(id)).sort();
  if (dataKeys > 0 && proven.size === 0) throw refusal(ring, lacking);
  return { dataKeys, unreadable, lacking, settled: dataKeys > 0 || (await isSettled(ring, store)) };
}

/** For a store without sealed data. */
async function isSettled(ring: RootKeyRing, store: KeyStore): Promise<boolean> {
  if (ring.files !== null) return true;
  const registered = await store.registeredRootKey();
  if (registered === null) return false;
  const key = ring.find(registered.id);
  if (key !== undefined && isProvenBy(key, registered.proof)) return true;
  throw new RootKeyError(
    `${VARIABLES.rootKey} does not hold the root key ${registered.id}, which was registered for this store. Give that key. Nothing is sealed with it yet, so you can also register the given one: datarun keys adopt`,
  );
}

function refusal(ring: RootKeyRing, lacking: readonly string[]): RootKeyError {
  if (ring.all().length === 0) return noRootKey(ring.files?.directory);
  const where = ring.files === null ? VARIABLES.rootKey : ring.files.directory;
  const absent = lacking.filter((id) => ring.find(id) === undefined);
  if (absent.length === 0)
    return new RootKeyError(
      `${where} has a root key with the id ${lacking.join(", ")}, but it is not the one that stored credentials depend on`,
    );
  const keys = absent.length === 1 ? `the root key ${absent[0]!}` : `any of the root keys ${absent.join(", ")}`;
  return new RootKeyError(
    `${where} does not hold ${keys}, which stored credentials depend on: give it in ${VARIABLES.rootKey}, or restore its file`,
  );
}

function unwraps(rootKey: NamedKey | undefined, row: WrappedKey): boolean {
  try {
    return rootKey !== undefined && unwrapDataKey(rootKey, row).id === row.id;
  } catch {
    return false;
  }
}
