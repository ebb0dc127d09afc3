import { noRootKey, parseRootKeys, RootKeyError } from "./root-key.ts";
import { RootKeyFiles } from "./root-key-files.ts";
import type { NamedKey } from "./seal.ts";
import type { KeyStore } from "./ports.ts";
import { VARIABLES } from "../terms/variables.ts";

/** The root keys of one process. The first seals; all open. */
export interface RootKeyRing {
  current(): NamedKey;
  /** Reloads the keys for an unknown id, because another process may have added the key. */
  find(id: string): NamedKey | undefined;
  all(): readonly NamedKey[];
  reload(): void;
  /** The key files; `null` if the key is given. The service can only add and remove key files. */
  readonly files: RootKeyFiles | null;
}

export interface RootKeyOptions {
  /** The value of `DATARUN_ROOT_KEY` or of its file. */
  readonly variable: string | undefined;
  /** Reads that value again, if it can change while the process runs. */
  readonly reread?: (() => string | undefined) | undefined;
  /**
   * The directory of the embedded store, which keeps its own key; `null` with a shared database, for which the key must
   * be given.
   */
  readonly directory: string | null;
  readonly store: KeyStore;
  /** Lets the given key seal from now on, even if an embedded store has key files. */
  readonly adopt?: boolean;
}

/**
 * The root keys as given; `proveRootKeys` verifies them against the stored data keys. The first start of an embedded
 * store creates one. If stored data keys depend on a missing key file, the ring is empty.
 * @throws RootKeyError, naming the variable or the file
 */
export async function readRootKeys({
  variable,
  reread = () => variable,
  directory,
  store,
  adopt = false,
}: RootKeyOptions): Promise<RootKeyRing> {
  const configured = configuredRootKeys(variable, directory === null);
  const current = currentOf(configured, reread);
  if (directory === null) return ringOf(current, null);
  const inUse = await store.rootKeyIdsInUse();
  return configured === null
    ? openFiles(directory, inUse.length > 0)
    : openVariable(configured, current, directory, adopt, inUse);
}

/**
 * The root keys in the variable; `null` if it is not set. Needs no store, so that a command that cannot continue
 * creates none. @throws RootKeyError
 */
export function configuredRootKeys(variable: string | undefined, isRequired: boolean): readonly NamedKey[] | null {
  const given = variable?.trim() ?? "";
  if (given !== "") return parseRootKeys(given, VARIABLES.rootKey);
  if (!isRequired) return null;
  throw new RootKeyError(
    `${VARIABLES.rootKey} must be given with ${VARIABLES.databaseUrl}: make one with: openssl rand -base64 32`,
  );
}

/** The keys of the variable now. A value that is no key while its file is being replaced does not count. */
function currentOf(first: readonly NamedKey[] | null, reread: () => string | undefined): () => readonly NamedKey[] {
  let keys = first ?? [];
  return () => {
    try {
      keys = configuredRootKeys(reread(), false) ?? keys;
    } catch (error) {
      if (!(error instanceof RootKeyError)) throw error;
    }
    return keys;
  };
}

/**
 * If an embedded store has key files, the keys of the variable only open: a variable that happens to be set in a shell
 * must not change the sealing key. After `keys rotate` has adopted it, the first key of the variable seals; until then
 * the newest key file does.
 */
function openVariable(
  keys: readonly NamedKey[],
  current: () => readonly NamedKey[],
  directory: string,
  adopt: boolean,
  inUse: readonly string[],
): RootKeyRing {
  const files = new RootKeyFiles(directory);
  if (files.read().length === 0) return ringOf(current, null);
  const adopted = adopt || keys.some(({ id }) => inUse.includes(id));
  return ringOf(
    () => {
      const own = files.read();
      const others = (known: readonly NamedKey[], more: readonly NamedKey[]) =>
        more.filter((key) => known.every(({ id }) => id !== key.id));
      const given = current();
      return adopted ? [...given, ...others(given, own)] : [...own, ...others(own, given)];
    },
    adopted ? null : files,
  );
}

function openFiles(directory: string, hasRows: boolean): RootKeyRing {
  const files = new RootKeyFiles(directory);
  const [newest] = files.read();
  // If data keys exist, a new root key would only hide that theirs is missing.
  if (newest === undefined && !hasRows) files.add(newest);
  return ringOf(() => files.read(), files);
}

function ringOf(read: () => readonly NamedKey[], files: RootKeyFiles | null): RootKeyRing {
  let keys = read();
  const among = (id: string) => keys.find((key) => key.id === id);
  const reload = () => {
    const found = read();
    // A running service keeps its keys if the files disappear.
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
