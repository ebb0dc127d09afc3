/** A version of a workflow as a state file names it: `12`, `12@10%`, or the digest of one without a number. */
export function versionText(number: number | null, digest: string, percent: number): string {
  return `${number ?? digest}${percent < 100 ? `@${percent}%` : ""}`;
}
