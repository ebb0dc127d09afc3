import type { CredentialStore, KeyStore, SealedCredential } from "./ports.ts";
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
  /** Also gives every organization a new data key and seals all its credentials again. */
  readonly newDataKeys: boolean;
  readonly onProgress?: (progress: RotationProgress) => void;
  readonly batchSize?: number;
}

export interface RotationProgress {
  readonly step: "data keys" | "credentials";
  readonly done: number;
}

export interface RotationReport {
  /** The root key that is current now. */
  readonly rootKeyId: string;
  /** False where an unfinished rotation was taken up again, or where `DATARUN_ROOT_KEY` says which key is current. */
  readonly madeRootKey: boolean;
  readonly dataKeysRewrapped: number;
  readonly dataKeysMade: number;
  readonly credentialsResealed: number;
  /** What could not be opened and was left as it was. */
  readonly unreadable: readonly Unreadable[];
}

/** Each pass finds what was added or changed during the one before it. */
const PASSES_MAX = 10;

/**
 * Wraps every data key by the current root key, after making a new one where root keys are files, and seals credentials
 * again if asked. Services run on meanwhile: they look for a root key that they do not know where it is kept, and
 * every row is changed only from the state it was read in. Broken off at any moment, it can be started again.
 */
export async function rotateKeys(parts: RotationParts, options: RotationOptions): Promise<RotationReport> {
  const madeRootKey = await makeRootKey(parts, options);
  const unreadable = new UnreadableRows();
  const renewal = options.newDataKeys ? await makeDataKeys(parts, options) : null;
  const dataKeysRewrapped = await rewrapDataKeys(parts, options, unreadable);
  const credentialsResealed = renewal === null ? 0 : await resealCredentials(parts, options, renewal, unreadable);
  return {
    rootKeyId: parts.rootKeys.current().id,
    madeRootKey,
    dataKeysRewrapped,
    dataKeysMade: renewal?.newKeys.size ?? 0,
    credentialsResealed,
    unreadable: unreadable.list(),
  };
}

async function makeRootKey(parts: RotationParts, options: RotationOptions): Promise<boolean> {
  const { rootKeys } = parts;
  rootKeys.reload();
  if (rootKeys.files === null || (await isUnfinished(parts, options))) return false;
  const added = rootKeys.files.add();
  rootKeys.reload();
  return added;
}

/** What cannot be opened cannot be moved either: it must not keep a rotation unfinished for good. */
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
        options.onProgress?.({ step: "data keys", done });
      }
    }
    if (left === 0) break;
  }
  return done;
}

interface Renewal {
  /** By organization. */
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

/** What is sealed with a key made meanwhile is as good as new and stays. */
async function resealCredentials(
  { store, sealer }: RotationParts,
  options: RotationOptions,
  { newKeys, oldKeyIds }: Renewal,
  unreadable: UnreadableRows,
): Promise<number> {
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
        options.onProgress?.({ step: "credentials", done });
      }
    }
    if (left === 0) break;
  }
  return done;
}

async function reseal(row: SealedCredential, newKey: NamedKey, sealer: Sealer): Promise<string> {
  const sealed = sealFields(newKey, row, (await sealer.open(row)).reveal());
  // What was read must come out of what is written, or the write must not happen.
  openFields(newKey, row, sealed);
  return sealed;
}
