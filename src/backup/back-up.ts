import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { BackedUp, BackupOrder } from "../admin/ports.ts";
import { JOURNAL_FILE } from "../ledger/journal/journal-file.ts";
import { STORE_FILE } from "../storage/sqlite/engine.ts";
import { makeDirectory, syncDirectory } from "../terms/platform/make-directory.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { PENDING_VERSIONS_FILE } from "../terms/version.ts";
import { makeUnfinished, removeAbandoned, removeOlder } from "./backup-folders.ts";
import { copyDatabase, type OnBytes } from "./copy-database.ts";
import { copyLedger } from "./copy-ledger.ts";
import {
  type BackupManifest,
  digestOf,
  MANIFEST_FILE,
  MANIFEST_FORM,
  type ManifestFile,
  mib,
  ROOT_KEY,
} from "./backup-manifest.ts";

export interface BackupRequest extends BackupOrder {
  readonly dataDir: string;
  readonly store: BackupManifest["store"];
}

/** The result code of SQLite for a full disk. */
const SQLITE_FULL = 13;

/**
 * Copies the files of a data directory that must not be lost, while a service may be running on it. The journal is
 * copied before the store, so that the store has every organization, workflow and token that the journal refers to. The
 * versions that wait for the store are copied between both: after the runs that have used them, and before the store,
 * which may get them meanwhile.
 * Files of the running process are left out: its address, its lock, and its records of budget use, which a copy must
 * not have.
 * @throws OperatorError
 */
export async function backUp(request: BackupRequest, onProgress: OnProgress): Promise<BackedUp> {
  const { dir, store, keep } = request;
  const { folder, manifest } = await makeBackup(request, onProgress).catch((error: unknown) => {
    throw toOperatorError(error, `No backup was made in ${dir}`);
  });
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  try {
    const made = { name: basename(folder), manifest };
    return { folder, store, bytes, removed: keep === undefined ? [] : removeOlder(dir, made, keep) };
  } catch (error) {
    throw toOperatorError(error, `The backup ${folder} is complete, but older ones could not be removed`);
  }
}

async function makeBackup(
  request: BackupRequest,
  onProgress: OnProgress,
): Promise<{ readonly folder: string; readonly manifest: BackupManifest }> {
  const { dataDir, dir, store, wallAt } = request;
  const hasJournal = existsSync(join(dataDir, "ledger", JOURNAL_FILE));
  const rootKeys = request.includeRootKey ? rootKeyFiles(dataDir) : [];
  assertAnything(request, hasJournal);
  makeDirectory(dir);
  removeAbandoned(dir, wallAt);
  const unfinished = makeUnfinished(dir, wallAt);
  try {
    const to = unfinished.path;
    for (const name of rootKeys) copyPrivately(join(dataDir, name), join(to, name));
    const onBytes: OnBytes = (done, of) => onProgress("MiB copied", mib(done), mib(of));
    const ledger = hasJournal ? await copyLedger(join(dataDir, "ledger"), makeFolder(to, "ledger"), onBytes) : null;
    const pending = copyPending(dataDir, to);
    const storeSchema =
      store === "embedded"
        ? await copyDatabase(join(dataDir, STORE_FILE), join(to, STORE_FILE), onBytes, schemaOf)
        : null;
    const names = [
      ...(ledger?.names.map((name) => `ledger/${name}`) ?? []),
      ...pending,
      ...(store === "embedded" ? [STORE_FILE] : []),
      ...rootKeys,
    ];
    const manifest: BackupManifest = {
      form: MANIFEST_FORM,
      began_at: new Date(wallAt).toISOString(),
      store,
      journal: ledger?.id ?? null,
      schemas: { store: storeSchema, journal: ledger?.schema ?? null },
      root_key: request.includeRootKey,
      files: await digest(to, names, onProgress),
    };
    putOnDisk(to, manifest);
    return { folder: unfinished.complete(), manifest };
  } catch (error) {
    unfinished.remove();
    throw error;
  }
}

function assertAnything({ dataDir, store }: BackupRequest, hasJournal: boolean): void {
  if (store === "embedded" ? existsSync(join(dataDir, STORE_FILE)) : hasJournal) return;
  const what = store === "embedded" ? "store" : "journal";
  throw new OperatorError("not_found", `There is no ${what} in ${dataDir} to back up.`);
}

function rootKeyFiles(dataDir: string): readonly string[] {
  const names = readdirSync(dataDir).filter((name) => ROOT_KEY.test(name));
  if (names.length > 0) return names;
  throw new OperatorError(
    "refused",
    `There is no root key file in ${dataDir}: keep a copy of DATARUN_ROOT_KEY yourself.`,
  );
}

async function digest(
  folder: string,
  names: readonly string[],
  onProgress: OnProgress,
): Promise<readonly ManifestFile[]> {
  const of = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  let read = 0;
  const files = [];
  for (const name of names) {
    const found = await digestOf(join(folder, name), (bytes) =>
      onProgress("MiB checked", mib((read += bytes)), mib(of)),
    );
    files.push({ name, ...found });
  }
  return files;
}

/** Writes the manifest last: a folder with a manifest is complete. */
function putOnDisk(folder: string, manifest: BackupManifest): void {
  for (const { name } of manifest.files) syncFile(join(folder, name));
  if (manifest.journal !== null) syncDirectory(join(folder, "ledger"));
  const path = join(folder, MANIFEST_FILE);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  syncFile(path);
  syncDirectory(folder);
}

function makeFolder(...path: readonly string[]): string {
  const folder = join(...path);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function copyPrivately(from: string, to: string): void {
  writeFileSync(to, readFileSync(from), { mode: 0o600, flag: "wx" });
}

/** The file is always complete. It is removed when the store has its versions. */
function copyPending(dataDir: string, to: string): readonly string[] {
  try {
    copyPrivately(join(dataDir, PENDING_VERSIONS_FILE), join(to, PENDING_VERSIONS_FILE));
    return [PENDING_VERSIONS_FILE];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function schemaOf(database: DatabaseSync): number {
  const row = database.prepare("SELECT max(version) AS version FROM datarun_migrations").get();
  return (row as { readonly version: number }).version;
}

/** Errors of disks, file systems and SQLite are reported to the operator. Any other error is a defect. */
function toOperatorError(error: unknown, says: string): unknown {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message: string };
  if (error instanceof OperatorError || typeof code !== "string") return error;
  const reason = code === "ENOSPC" || errcode === SQLITE_FULL ? "the disk is full" : message;
  return new OperatorError("unavailable", `${says}: ${reason}`, { cause: error });
}
