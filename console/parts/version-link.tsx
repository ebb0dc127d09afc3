import { hrefOf } from "../address.ts";

/** The kinds of objects that have versions. */
export type VersionKind = "function" | "source";

/** The number of characters of a digest that lists show. */
const SHORT_DIGEST = 6;

interface Named {
  /** `null` if the number is not known. */
  readonly number: number | null;
  readonly digest: string;
}

/** A version as people name it: its number and the beginning of its digest. */
export function versionName({ number, digest }: Named): string {
  const short = digest.slice(0, SHORT_DIGEST);
  return number === null ? short : `${number} (${short})`;
}

interface VersionLinkProps {
  readonly kind: VersionKind;
  readonly id: string;
  readonly number: number | null;
  /** `null` if it was not recorded. */
  readonly digest: string | null;
}

/** The version that a run or a call recorded, linked to its line in the list of versions. */
export function VersionLink({ kind, id, number, digest }: VersionLinkProps) {
  if (digest === null) return <span class="dim">before versions were recorded</span>;
  return (
    <a href={hrefOf(pathOfVersions(kind, id), { version: digest })} title={digest}>
      {versionName({ number, digest })}
    </a>
  );
}

/** The page that has the list of versions. */
export function pathOfVersions(kind: VersionKind, id: string): string {
  return `/${kind}s/${encodeURIComponent(id)}`;
}
