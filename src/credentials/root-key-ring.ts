import { parseRootKeys, ROOT_KEY_VARIABLE, RootKeyError } from "./root-key.ts";
import { RootKeyFiles } from "./root-key-files.ts";
import { unwrapDataKey, type NamedKey } from "./seal.ts";
import type { KeyStore, WrappedKey } from "./ports.ts";

/** The root keys of one process. The first seals; all open. */
export interface RootKeyRing {
  current(): NamedKey;
  /** A key that is not known is looked for once more where the keys are kept: another process may have added it. */
  find(id: string): NamedKey | undefined;
  all(): readonly NamedKey[];
  reload(): void;
  /** The files, where the keys are files: only those can be added and removed from here. */
  readonly files: RootKeyFiles | null;
}

export interface RootKeyOptions {
  /** The value of `DATARUN_ROOT_KEY`. */
  readonly variable: string | undefined;
  /** For the embedded store, which keeps its own key; `null` where a database is shared and the key must be given. */
  readonly directory: string | null;
  readonly store: KeyStore;
  /** The key of the variable shall seal from now on, also where an embedded store has key files of its own. */
  readonly adopt?: boolean;
}

/**
 * Opens the root keys and proves that they are the ones the stored keys are wrapped by. The first start on an embedded
 * store makes one.
 * @throws RootKeyError, naming the variable or the file
 */
export async function openRootKeys({
  variable,
  directory,
  store,
  adopt = false,
}: RootKeyOptions): Promise<RootKeyRing> {
  const inUse = await store.rootKeyIdsInUse();
  const given = variable?.trim() ?? "";
  const ring = given === "" ? openFiles(directory, inUse.length > 0) : openVariable(given, directory, adopt, inUse);
  const where = ring.files === null ? ROOT_KEY_VARIABLE : ring.files.directory;
  for (const id of inUse) {
    if (ring.find(id) === undefined) {
      throw new RootKeyError(
        `${where} does not hold the root key ${id}, which stored credentials depend on: give it in ${ROOT_KEY_VARIABLE}, or restore its file`,
      );
    }
  }
  await proveKeys(ring, inUse, store, where);
  return ring;
}

/**
 * On an embedded store with key files a variable that happens to stand in somebody's shell must not seal anything: all of
 * its keys open, and its first one seals once it was adopted, by `keys rotate`. The files open what they sealed until then.
 */
function openVariable(given: string, directory: string | null, adopt: boolean, inUse: readonly string[]): RootKeyRing {
  const keys = parseRootKeys(given, ROOT_KEY_VARIABLE);
  const files = directory === null ? null : new RootKeyFiles(directory);
  if (files === null || files.read().length === 0) return ringOf(() => keys, null);
  const adopted = adopt || keys.some(({ id }) => inUse.includes(id));
  return ringOf(
    () => {
      const own = files.read();
      const others = (known: readonly NamedKey[], more: readonly NamedKey[]) =>
        more.filter((key) => known.every(({ id }) => id !== key.id));
      return adopted ? [...keys, ...others(keys, own)] : [...own, ...others(own, keys)];
    },
    adopted ? null : files,
  );
}

function openFiles(directory: string | null, hasRows: boolean): RootKeyRing {
  if (directory === null) {
    throw new RootKeyError(
      `${ROOT_KEY_VARIABLE} must be given with DATABASE_URL: make one with: openssl rand -base64 32`,
    );
  }
  const files = new RootKeyFiles(directory);
  if (files.read().length === 0) {
    if (hasRows) {
      throw new RootKeyError(
        `${directory} has no root key file, but stored credentials depend on one: restore it, or give it in ${ROOT_KEY_VARIABLE}`,
      );
    }
    files.add();
  }
  return ringOf(() => files.read(), files);
}

/** An id proves little: of each root key in use some data key has to unwrap. One row that was altered stops no start. */
async function proveKeys(ring: RootKeyRing, inUse: readonly string[], store: KeyStore, where: string): Promise<void> {
  const unproven = new Set(inUse);
  let rows: readonly WrappedKey[] = [];
  do {
    rows = await store.dataKeysAfter(rows.at(-1)?.id ?? "", 100);
    for (const row of rows) if (unproven.has(row.rootKeyId) && unwraps(ring, row)) unproven.delete(row.rootKeyId);
  } while (unproven.size > 0 && rows.length > 0);
  if (unproven.size === 0) return;
  throw new RootKeyError(
    `${where} holds under the id ${[...unproven].join(", ")} another root key than stored credentials depend on`,
  );
}

function unwraps(ring: RootKeyRing, row: WrappedKey): boolean {
  const rootKey = ring.find(row.rootKeyId);
  try {
    return rootKey !== undefined && unwrapDataKey(rootKey, row).id === row.id;
  } catch {
    return false;
  }
}

function ringOf(read: () => readonly NamedKey[], files: RootKeyFiles | null): RootKeyRing {
  let keys = read();
  const among = (id: string) => keys.find((key) => key.id === id);
  const reload = () => {
    const found = read();
    // Files that vanished under a running service take nothing from it.
    if (found.length > 0) keys = found;
  };
  return {
    files,
    reload,
    all: () => keys,
    current: () => keys[0]!,
    find(id) {
      if (among(id) === undefined) reload();
      return among(id);
    },
  };
}
