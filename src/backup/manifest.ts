import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a folder must have to be a complete backup. It is written last. */
export const MANIFEST_FILE = "manifest.json";

/** The form of manifests that this version writes, and the only one that it reads. */
export const MANIFEST_FORM = 1;

/** In snake case, because it is a file that operators read. */
export interface Manifest {
  readonly form: number;
  /** When the backup was begun: every run that was answered before is in it. */
  readonly began_at: string;
  /** `postgresql`: the store is there, and the backup has only the journal of one data directory. */
  readonly store: "embedded" | "postgresql";
  /** The id of the journal, which its copies share; `null` if no service had made one. */
  readonly journal: string | null;
  /** The schema version of each database in the backup. */
  readonly schemas: { readonly store: number | null; readonly journal: number | null };
  readonly root_key: boolean;
  readonly files: readonly ManifestFile[];
}

export interface ManifestFile {
  /** Its path inside the data directory and inside the backup. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** All that a backup may have, so that a manifest cannot make a restore write anything else. */
const FILE_NAME = /^(store\.sqlite|root-\d{1,9}\.key|ledger\/journal\.db|ledger\/intents-\d{8,}\.log)$/;

/** `null` if the folder has no manifest, or none that this version can read: then it is not a complete backup. */
export function readManifest(folder: string): Manifest | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")) as Manifest;
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
