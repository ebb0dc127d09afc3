import type { Running } from "./running.ts";

/** What was found out about one run of a process. `bytes` is `null` for one whose thread did not come out to answer. */
export interface Weighed {
  readonly running: Running;
  readonly bytes: number | null;
}

export interface Named {
  readonly running: Running;
  readonly bytes: number;
  /** Its isolate was looked into. Otherwise it is what nothing else accounts for. */
  readonly measured: boolean;
}

/** Nobody who holds less is asked to leave: there would be little to gain. */
const WORTH_NAMING_BYTES = 16 * 1_048_576;

/**
 * Which run is to be ended in a process that holds too much: of the organization that holds most in it, the largest run.
 * What no isolate accounts for is divided among those that did not answer, none of which can hold more than the process
 * has grown by since it began. `null`: nobody can be named.
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
  const named = all
    .filter(({ running }) => byOrganization.get(running.job.organizationId) === most)
    .reduce<Named | null>((best, one) => (best === null || one.bytes > best.bytes ? one : best), null);
  return named !== null && named.bytes >= WORTH_NAMING_BYTES ? named : null;
}
