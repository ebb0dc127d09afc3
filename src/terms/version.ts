import { hash } from "node:crypto";

/** Enough characters of a SHA-256 that no two versions ever share them: 96 bits. */
export const DIGEST_CHARACTERS = 24;

/** The fewest characters of a digest by which a person may name it, and the number that lists show. */
export const SHORT_DIGEST = 6;

/** The digest that identifies a version of a function or a source: of the text of everything that runs. */
export function digestOf(content: string): string {
  return hash("sha256", content, "hex").slice(0, DIGEST_CHARACTERS);
}

/** The file of a data directory with the versions that the store does not have yet, because it was away. */
export const PENDING_VERSIONS_FILE = "versions-pending.json";

/** The stored texts of a version. */
export interface VersionTexts {
  /** The text of the digest: JSON of everything that runs. */
  readonly content: string;
  /** The text of each file that a person wrote, by its path from the root of the project or catalog. */
  readonly source: Readonly<Record<string, string>>;
}

/** A version as people name it: its number, if it is known, and the beginning of its digest. */
export function versionName({ number, digest }: { readonly number: number | null; readonly digest: string }): string {
  const short = digest.slice(0, SHORT_DIGEST);
  return number === null ? short : `${number} (${short})`;
}
