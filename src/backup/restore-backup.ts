import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { RestoredStore } from "../admin/ports.ts";
import { isLocked } from "../ledger/journal/directory-lock.ts";
import { STORE_FILE } from "../storage/sqlite/engine.ts";
import { makeDirectory, syncDirectory } from "../terms/platform/make-directory.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { completeBackups, isIncomplete } from "./backup-folders.ts";
import { type BackupManifest, type ManifestFile, mib, readManifest, ROOT_KEY } from "./backup-manifest.ts";

export interface RestoreRequest {
  /** The folder of one backup. */
  readonly folder: string;
  readonly dataDir: string;
  /** The location of the store according to the settings. */
  readonly store: BackupManifest["store"];
}

const RESTORING = "restoring";
/** A directory that file systems create in their root. */
const OF_FILE_SYSTEM = "lost+found";
const CHUNK_BYTES = 1024 * 1024;

/**
 * Restores a backup into an empty data directory. Every file is copied to a separate folder and compared with the
 * manifest; the files are moved only if all are correct. Until the last move, a placeholder that is no database has the
 * name of the store: a service that starts meanwhile, or after a kill, is refused and does not create a new store
 * beside a restored ledger.
 * @throws OperatorError
 */
export async function restoreBackup(
  { folder, dataDir, store }: RestoreRequest,
  onProgress: OnProgress,
): Promise<RestoredStore> {
  const manifest = manifestOf(folder);
  assertSameStore(manifest, store);
  assertEmpty(dataDir);
  makeDirectory(dataDir);
  const hasKey = keyFilesOf(dataDir).length > 0;
  const files = hasKey ? manifest.files.filter(({ name }) => !ROOT_KEY.test(name)) : manifest.files;
  if (store === "embedded") takePlaceOfStore(dataDir);
  const from = join(dataDir, RESTORING);
  try {
    mkdirSync(from, { mode: 0o700 });
    await copyAll(folder, from, files, onProgress);
  } catch (error) {
    rmSync(from, { recursive: true, force: true });
    if (store === "embedded") rmSync(join(dataDir, STORE_FILE), { force: true });
    throw error;
  }
  moveAll(from, dataDir);
  return {
    dataDir,
    store,
    beganAt: manifest.began_at,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    rootKey: hasKey ? "present" : manifest.root_key ? "restored" : "missing",
  };
}

function manifestOf(folder: string): BackupManifest {
  if (isIncomplete(folder)) throw new OperatorError("refused", `${folder} is an incomplete backup.`);
  const manifest = readManifest(folder);
  if (manifest !== null) return manifest;
  const newest = completeBackups(folder).at(-1);
  throw newest === undefined
    ? new OperatorError("not_found", `There is no backup in ${folder} that this version of datarun can read.`)
    : new OperatorError(
        "refused",
        `${folder} holds backups. Name one of them, such as the newest: ${join(folder, newest.name)}`,
      );
}

function assertSameStore(manifest: BackupManifest, store: BackupManifest["store"]): void {
  if (manifest.store === store) return;
  throw new OperatorError(
    "refused",
    store === "embedded"
      ? "This is a backup of the journal of a deployment on PostgreSQL: set DATABASE_URL. The next start sends the runs to that database."
      : "This is a backup of an embedded store, but DATABASE_URL is set. Remove DATABASE_URL to restore it.",
  );
}

function assertEmpty(dataDir: string): void {
  if (isLocked(join(dataDir, "ledger"))) {
    throw new OperatorError("refused", `A service runs on ${dataDir}. Restore into an empty data directory.`);
  }
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const other = names.find((name) => !ROOT_KEY.test(name) && name !== OF_FILE_SYSTEM);
  if (other === undefined) return;
  throw new OperatorError(
    "refused",
    `${dataDir} is not empty: it contains ${other}. Restore into an empty data directory; only the root key file may be in it already.`,
  );
}

function keyFilesOf(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) => ROOT_KEY.test(name));
}

function takePlaceOfStore(dataDir: string): void {
  const text = "A backup is being restored here, or a restore was interrupted.\n";
  writeFileSync(join(dataDir, STORE_FILE), text, { mode: 0o600, flag: "wx" });
  syncDirectory(dataDir);
}

async function copyAll(
  folder: string,
  to: string,
  files: readonly ManifestFile[],
  onProgress: OnProgress,
): Promise<void> {
  const of = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let copied = 0;
  const onBytes = (bytes: number) => onProgress("MiB restored", mib((copied += bytes)), mib(of));
  for (const file of files) {
    const path = join(to, file.name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await copyFile(join(folder, file.name), path, file, onBytes))) {
      throw new OperatorError(
        "refused",
        `${join(folder, file.name)} differs from its checksum in the manifest. Nothing was restored; use another backup.`,
      );
    }
    syncDirectory(dirname(path));
  }
}

/** Copies a file. Returns whether the copy matches the manifest. */
async function copyFile(
  from: string,
  to: string,
  expected: ManifestFile,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  if (!existsSync(from)) return false;
  const source = openSync(from, "r");
  const target = openSync(to, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes = 0;
    for (let read = readSync(source, chunk); read > 0; read = readSync(source, chunk)) {
      const part = chunk.subarray(0, read);
      hash.update(part);
      for (let at = 0; at < read;) at += writeSync(target, part, at);
      bytes += read;
      onBytes(read);
      // Lets the process handle signals, such as Ctrl-C.
      await setImmediate();
    }
    fsyncSync(target);
    return bytes === expected.bytes && hash.digest("hex") === expected.sha256;
  } finally {
    closeSync(target);
    closeSync(source);
  }
}

/** Moves the store last, over its placeholder. */
function moveAll(from: string, dataDir: string): void {
  const names = readdirSync(from).toSorted((one, other) => Number(one === STORE_FILE) - Number(other === STORE_FILE));
  for (const name of names) renameSync(join(from, name), join(dataDir, name));
  rmSync(from, { recursive: true });
  syncDirectory(dataDir);
}
