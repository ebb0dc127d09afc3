import { noRootKey, parseRootKeys, ROOT_KEY_VARIABLE, RootKeyError } from "./root-key.ts";
import { RootKeyFiles } from "./root-key-files.ts";
import type { NamedKey } from "./seal.ts";
import type { KeyStore } from "./ports.ts";

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
 * The root keys as they are given, not yet held against what is stored: `proveRootKeys` does that. The first start on an
 * embedded store makes one. Where stored keys depend on a file that is gone the ring is empty.
 * @throws RootKeyError, naming the variable or the file
 */
export async function readRootKeys({
  variable,
  directory,
  store,
  adopt = false,
}: RootKeyOptions): Promise<RootKeyRing> {
  const given = variable?.trim() ?? "";
  if (directory === null) {
    if (given !== "") return ringOf(() => parseRootKeys(given, ROOT_KEY_VARIABLE), null);
    throw new RootKeyError(
      `${ROOT_KEY_VARIABLE} must be given with DATABASE_URL: make one with: openssl rand -base64 32`,
    );
  }
  const inUse = await store.rootKeyIdsInUse();
  return given === "" ? openFiles(directory, inUse.length > 0) : openVariable(given, directory, adopt, inUse);
}

/**
 * On an embedded store with key files a variable that happens to stand in somebody's shell must not seal anything: all of
 * its keys open, and its first one seals once it was adopted, by `keys rotate`. The files open what they sealed until then.
 */
function openVariable(given: string, directory: string, adopt: boolean, inUse: readonly string[]): RootKeyRing {
  const keys = parseRootKeys(given, ROOT_KEY_VARIABLE);
  const files = new RootKeyFiles(directory);
  if (files.read().length === 0) return ringOf(() => keys, null);
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

function openFiles(directory: string, hasRows: boolean): RootKeyRing {
  const files = new RootKeyFiles(directory);
  // A new key over what another sealed would only hide that it is gone.
  if (files.read().length === 0 && !hasRows) files.add();
  return ringOf(() => files.read(), files);
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
    current() {
      const [first] = keys;
      if (first === undefined) throw noRootKey(files?.directory);
      return first;
    },
    find(id) {
      if (among(id) === undefined) reload();
      return among(id);
    },
  };
}
