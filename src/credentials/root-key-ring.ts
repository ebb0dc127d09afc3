import { noRootKey, parseRootKeys, RootKeyError } from "./root-key.ts";
import { RootKeyFiles } from "./root-key-files.ts";
import type { NamedKey } from "./seal.ts";
import type { KeyStore } from "./ports.ts";
import { VARIABLES } from "../terms/variables.ts";

/** The root keys of one process. The first seals; all open. */
export interface RootKeyRing {
  current(): NamedKey;
  /** Reads the keys again for an unknown id, because another process may have added the key. */
  find(id: string): NamedKey | undefined;
  all(): readonly NamedKey[];
  reload(): void;
  /** The key files, if keys are stored in files: only those can be added and removed by the service. */
  readonly files: RootKeyFiles | null;
}

export interface RootKeyOptions {
  /** The value of `DATARUN_ROOT_KEY`, or of its file. */
  readonly variable: string | undefined;
  /** Of the embedded store, which keeps its own key; `null` with a shared database, for which the key must be given. */
  readonly directory: string | null;
  readonly store: KeyStore;
  /** The key of the variable is to seal from now on, even if an embedded store has key files of its own. */
  readonly adopt?: boolean;
}

/**
 * The root keys as given, not yet verified against what is stored: `proveRootKeys` does that. The first start of an
 * embedded store creates one. If stored data keys depend on a key file that is missing, the ring is empty.
 * @throws RootKeyError, naming the variable or the file
 */
export async function readRootKeys({
  variable,
  directory,
  store,
  adopt = false,
}: RootKeyOptions): Promise<RootKeyRing> {
  const given = givenRootKeys(variable, directory === null);
  if (directory === null) return ringOf(() => given!, null);
  const inUse = await store.rootKeyIdsInUse();
  return given === null ? openFiles(directory, inUse.length > 0) : openVariable(given, directory, adopt, inUse);
}

/**
 * The root keys of the variable, `null` if it is not set. Needs no store, so that none is made by a command that cannot
 * go on. @throws RootKeyError
 */
export function givenRootKeys(variable: string | undefined, isRequired: boolean): readonly NamedKey[] | null {
  const given = variable?.trim() ?? "";
  if (given !== "") return parseRootKeys(given, VARIABLES.rootKey);
  if (!isRequired) return null;
  throw new RootKeyError(
    `${VARIABLES.rootKey} must be given with ${VARIABLES.databaseUrl}: make one with: openssl rand -base64 32`,
  );
}

/**
 * If an embedded store has key files, a variable that happens to be set in a shell must not decide which key seals: its
 * keys only open. The first one seals after it was adopted with `keys rotate`; until then the files' newest key does.
 */
function openVariable(
  keys: readonly NamedKey[],
  directory: string,
  adopt: boolean,
  inUse: readonly string[],
): RootKeyRing {
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
  const [newest] = files.read();
  // Creating a key although another one is in use would only hide that the other is missing.
  if (newest === undefined && !hasRows) files.add(newest);
  return ringOf(() => files.read(), files);
}

function ringOf(read: () => readonly NamedKey[], files: RootKeyFiles | null): RootKeyRing {
  let keys = read();
  const among = (id: string) => keys.find((key) => key.id === id);
  const reload = () => {
    const found = read();
    // If the files disappear, a running service keeps the keys that it has read.
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
