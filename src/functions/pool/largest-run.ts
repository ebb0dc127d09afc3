import type { Running } from "./running.ts";

/** What is known about one run of a process. `bytes` is `null` if its thread was too busy to answer. */
export interface Weighed {
  readonly running: Running;
  readonly bytes: number | null;
}

export interface Named {
  readonly running: Running;
  readonly bytes: number;
  /**
   * Its isolate was measured. Otherwise `bytes` is an estimate: its share of the memory that no isolate accounts for.
   */
  readonly measured: boolean;
}

/** A run that holds less is never ended, because that would gain little. */
const WORTH_NAMING_BYTES = 16 * 1_048_576;

/**
 * Chooses the run to end in a process that uses too much memory: the largest run of the organization that holds the
 * most. The memory that no isolate accounts for is divided among the runs that did not answer; each counts for at most
 * what the process has grown since the run began. Runs that are being ended count, but are not named again. `null`: no
 * run can be named, for instance because no organization holds as much as is still unaccounted for. Ending a run would
 * then not help, and would punish the wrong one.
 */
export function nameLargest(weighed: readonly Weighed[], rssBytes: number, emptyBytes: number): Named | null {
  const known = weighed.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const silent = weighed.filter(({ bytes }) => bytes === null).length;
  const each = silent === 0 ? 0 : Math.max(0, rssBytes - emptyBytes - known) / silent;
  const all = weighed.map(({ running, bytes }): Named => {
    const grown = Math.max(0, rssBytes - running.rssBefore);
    return { running, bytes: bytes ?? Math.min(each, grown), measured: bytes !== null };
  });
  const byOrganization = new Map<string, number>();
  for (const { running, bytes } of all) {
    const { organizationId } = running.job;
    byOrganization.set(organizationId, (byOrganization.get(organizationId) ?? 0) + bytes);
  }
  const most = Math.max(...byOrganization.values());
  const unaccounted = rssBytes - emptyBytes - all.reduce((sum, { bytes }) => sum + bytes, 0);
  if (most < unaccounted) return null;
  const named = all
    .filter(({ running }) => !running.over && byOrganization.get(running.job.organizationId) === most)
    .reduce<Named | null>((best, one) => (best === null || one.bytes > best.bytes ? one : best), null);
  return named !== null && named.bytes >= WORTH_NAMING_BYTES ? named : null;
}
