import type { CredentialStore, KeyStore, SealedCredential, WrappedKey } from "./ports.ts";
import type { RootKeyRing } from "./root-key-ring.ts";
import { openFields, sealFields, wrapDataKey, type NamedKey } from "./seal.ts";
import { eachRow, UnreadableRows, type Unreadable } from "./sealed-rows.ts";
import type { Sealer } from "./sealer.ts";

export interface RotationParts {
  readonly store: KeyStore & Pick<CredentialStore, "dataKey">;
  readonly rootKeys: RootKeyRing;
  readonly sealer: Sealer;
}

export interface RotationOptions {
  /** Also creates a new data key for every organization and reseals its credentials. */
  readonly newDataKeys: boolean;
  readonly onProgress?: (progress: RotationProgress) => void;
  readonly batchSize?: number;
}

export interface RotationProgress {
  readonly step: "data keys wrapped" | "credentials sealed";
  readonly done: number;
  /** Total number at the start of the step. */
  readonly of: number;
}

export interface RotationReport {
  /** The root key that seals after the rotation. */
  readonly rootKeyId: string;
  /**
   * False if an unfinished rotation was resumed, if a concurrent rotation made the key, or if `DATARUN_ROOT_KEY`
   * determines the key.
   */
  readonly createdRootKey: boolean;
  readonly dataKeysRewrapped: number;
  readonly dataKeysCreated: number;
  readonly credentialsResealed: number;
  /** Rows that could not be opened. They are unchanged. */
  readonly unreadable: readonly Unreadable[];
}

/** Each pass handles the rows that were added or changed during the previous one. */
const PASSES_MAX = 10;

/**
 * Wraps every data key with the current root key. If root keys are files, creates a new one first. Reseals credentials
 * on request. Services keep running: they reload root keys for an unknown id, and a row is changed only if it is still
 * as it was read. An interrupted rotation can be started again.
 */
export async function rotateKeys(parts: RotationParts, options: RotationOptions): Promise<RotationReport> {
  const createdRootKey = await makeRootKey(parts, options);
  const unreadable = new UnreadableRows();
  const renewal = options.newDataKeys ? await makeDataKeys(parts, options) : null;
  const dataKeysRewrapped = await rewrapDataKeys(parts, options, unreadable);
  const credentialsResealed = renewal === null ? 0 : await resealCredentials(parts, options, renewal, unreadable);
  return {
    rootKeyId: parts.rootKeys.current().id,
    createdRootKey,
    dataKeysRewrapped,
    dataKeysCreated: renewal?.newKeys.size ?? 0,
    credentialsResealed,
    unreadable: unreadable.list(),
  };
}

async function makeRootKey(parts: RotationParts, options: RotationOptions): Promise<boolean> {
  const { rootKeys } = parts;
  rootKeys.reload();
  const newest = rootKeys.current();
  if (rootKeys.files === null || (await isUnfinished(parts, options))) return false;
  const added = rootKeys.files.add(newest);
  rootKeys.reload();
  return added;
}

/** Unreadable rows do not count, because they could never be rewrapped. */
async function isUnfinished({ store, rootKeys, sealer }: RotationParts, options: RotationOptions): Promise<boolean> {
  const current = rootKeys.current().id;
  const unreadable = new UnreadableRows();
  for await (const row of eachRow((after, limit) => store.dataKeysAfter(after, limit), options.batchSize)) {
    if (row.rootKeyId !== current && (await unreadable.unless(row, async () => sealer.unwrap(row))) !== null)
      return true;
  }
  return false;
}

async function rewrapDataKeys(
  { store, rootKeys, sealer }: RotationParts,
  options: RotationOptions,
  unreadable: UnreadableRows,
): Promise<number> {
  const isDue = ({ rootKeyId }: WrappedKey): boolean => rootKeyId !== rootKeys.current().id;
  const of = await count(
    eachRow((after, limit) => store.dataKeysAfter(after, limit), options.batchSize),
    isDue,
  );
  let done = 0;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    rootKeys.reload();
    const rootKey = rootKeys.current();
    let left = 0;
    for await (const row of eachRow((after, limit) => store.dataKeysAfter(after, limit), options.batchSize)) {
      if (row.rootKeyId === rootKey.id || unreadable.has(row.id)) continue;
      left += 1;
      const key = await unreadable.unless(row, async () => sealer.unwrap(row));
      if (key === null) continue;
      if (await store.rewrapDataKey(row.rootKeyId, wrapDataKey(rootKey, key, row.organizationId))) {
        done += 1;
        await reportProgress(options, { step: "data keys wrapped", done, of });
      }
    }
    if (left === 0) break;
  }
  return done;
}

interface Renewal {
  /** By organization id. */
  readonly newKeys: ReadonlyMap<string, NamedKey>;
  readonly oldKeyIds: ReadonlySet<string>;
}

async function makeDataKeys({ store, sealer }: RotationParts, options: RotationOptions): Promise<Renewal> {
  const organizations = new Set<string>();
  const oldKeyIds = new Set<string>();
  for await (const row of eachRow((after, limit) => store.dataKeysAfter(after, limit), options.batchSize)) {
    organizations.add(row.organizationId);
    oldKeyIds.add(row.id);
  }
  const newKeys = new Map<string, NamedKey>();
  for (const organizationId of organizations) newKeys.set(organizationId, await sealer.makeDataKey(organizationId));
  return { newKeys, oldKeyIds };
}

/** Reseals only rows with an old key. Rows added meanwhile use a new key already. */
async function resealCredentials(
  { store, sealer }: RotationParts,
  options: RotationOptions,
  { newKeys, oldKeyIds }: Renewal,
  unreadable: UnreadableRows,
): Promise<number> {
  const isDue = ({ keyId }: SealedCredential): boolean => oldKeyIds.has(keyId);
  const of = await count(
    eachRow((after, limit) => store.sealedCredentialsAfter(after, limit), options.batchSize),
    isDue,
  );
  let done = 0;
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    let left = 0;
    for await (const row of eachRow((after, limit) => store.sealedCredentialsAfter(after, limit), options.batchSize)) {
      const newKey = newKeys.get(row.organizationId);
      if (newKey === undefined || !oldKeyIds.has(row.keyId) || unreadable.has(row.id)) continue;
      left += 1;
      const sealed = await unreadable.unless(row, () => reseal(row, newKey, sealer));
      if (sealed !== null && (await store.resealCredential(row, { keyId: newKey.id, sealed }))) {
        done += 1;
        await reportProgress(options, { step: "credentials sealed", done, of });
      }
    }
    if (left === 0) break;
  }
  return done;
}

/** Yields to the event loop, so that the process handles signals: with an embedded store nothing else here waits. */
async function reportProgress({ onProgress }: RotationOptions, progress: RotationProgress): Promise<void> {
  onProgress?.(progress);
  await new Promise(setImmediate);
}

/** Reading rows takes far less time than sealing them. */
async function count<Row>(rows: AsyncIterable<Row>, isDue: (row: Row) => boolean): Promise<number> {
  let found = 0;
  for await (const row of rows) if (isDue(row)) found += 1;
  return found;
}

async function reseal(row: SealedCredential, newKey: NamedKey, sealer: Sealer): Promise<string> {
  const sealed = sealFields(newKey, row, (await sealer.open(row)).reveal());
  // Verifies that the new text opens before it replaces the old one.
  openFields(newKey, row, sealed);
  return sealed;
}
