import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";

/** A folder with this file is a complete backup. It is written last. */
export const MANIFEST_FILE = "manifest.json";

/** The version of the manifest format. Only this version can be read. */
export const MANIFEST_FORM = 1;

/** Names are in snake case, because operators read the file. */
export interface BackupManifest {
  readonly form: number;
  /** The start of the backup. It contains every run that was answered before. */
  readonly began_at: string;
  /** `postgresql`: the backup has only the journal of one data directory, not the store. */
  readonly store: "embedded" | "postgresql";
  /** The id of the journal, which copies keep; `null` if there was no journal yet. */
  readonly journal: string | null;
  /** The schema version of each database. */
  readonly schemas: { readonly store: number | null; readonly journal: number | null };
  readonly root_key: boolean;
  readonly files: readonly ManifestFile[];
}

export interface ManifestFile {
  /** The path, relative to the data directory and to the backup. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The files with root keys, in a data directory and in a backup. */
export const ROOT_KEY = /^root-\d{1,9}\.key$/;

/** All names that a backup may contain, so that a manifest cannot make a restore write other files. */
const FILE_NAME =
  /^(store\.sqlite|versions-pending\.json|root-\d{1,9}\.key|ledger\/journal\.db|ledger\/intents-\d{8,}\.log)$/;

/** `null` if the folder has no manifest that this version can read: then it is not a complete backup. */
export function readManifest(folder: string): BackupManifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")) as BackupManifest;
    const isWhole = manifest.form === MANIFEST_FORM && manifest.files.every(({ name }) => FILE_NAME.test(name));
    return isWhole ? manifest : null;
  } catch {
    return null;
  }
}

export async function digestOf(path: string, onBytes: (bytes: number) => void): Promise<Omit<ManifestFile, "name">> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    onBytes(chunk.length);
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** For progress. */
export function mib(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024));
}
