import { RootKeyError } from "./root-key.ts";
import type { RotationParts } from "./rotate-keys.ts";
import { eachRow, UnreadableRows, type Unreadable } from "./sealed-rows.ts";

export interface KeyVerification {
  readonly dataKeys: number;
  readonly credentials: number;
  readonly unreadable: readonly Unreadable[];
  /** The number of data keys wrapped by each root key. */
  readonly rootKeysInUse: ReadonlyMap<string, number>;
  /** Older root keys that nothing depends on. Empty while anything is unreadable, because that may need one of them. */
  readonly removable: readonly string[];
}

/** Opens all sealed data, and reports the root keys that are no longer needed. */
export async function verifyKeys(
  { store, rootKeys, sealer }: RotationParts,
  batchSize?: number,
): Promise<KeyVerification> {
  const unreadable = new UnreadableRows();
  const rootKeysInUse = new Map<string, number>();
  let dataKeys = 0;
  let credentials = 0;
  rootKeys.reload();
  for await (const row of eachRow((after, limit) => store.dataKeysAfter(after, limit), batchSize)) {
    dataKeys += 1;
    rootKeysInUse.set(row.rootKeyId, (rootKeysInUse.get(row.rootKeyId) ?? 0) + 1);
    await unreadable.unless(row, async () => sealer.unwrap(row));
  }
  for await (const row of eachRow((after, limit) => store.sealedCredentialsAfter(after, limit), batchSize)) {
    credentials += 1;
    await unreadable.unless(row, () => sealer.open(row));
  }
  const failed = unreadable.list();
  const older = rootKeys
    .all()
    .slice(1)
    .map((key) => key.id);
  const removable = failed.length > 0 ? [] : older.filter((id) => !rootKeysInUse.has(id));
  return { dataKeys, credentials, unreadable: failed, rootKeysInUse, removable };
}

/**
 * Verifies all keys, then removes the files of root keys that nothing depends on. `around` receives their ids and calls
 * back to remove them, so that it can act first.
 * @throws RootKeyError if something is unreadable, or if root keys are not files
 */
export async function removeOldRootKeys(
  parts: RotationParts,
  around: (ids: readonly string[], remove: () => void) => Promise<void> = async (_, remove) => remove(),
): Promise<readonly string[]> {
  const { files } = parts.rootKeys;
  if (files === null) throw new RootKeyError("root keys are given by DATARUN_ROOT_KEY: remove the older ones there");
  const { removable, unreadable } = await verifyKeys(parts);
  if (unreadable.length > 0) {
    throw new RootKeyError(
      `${unreadable.length} stored keys or credentials cannot be opened, so no root key is removed`,
    );
  }
  await around(removable, () => files.remove(new Set(removable)));
  parts.rootKeys.reload();
  return removable;
}
